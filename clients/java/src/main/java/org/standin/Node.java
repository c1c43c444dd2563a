package org.standin;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** A running node. A started node stops when it is closed, or when this process exits, even if it is killed. */
public final class Node implements AutoCloseable {
  private static final Gson GSON = new Gson();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final SecureRandom RANDOM = new SecureRandom();

  /** An unlocked account of the node's chain; both values are 0x-prefixed hexadecimal. */
  public record Account(String address, String privateKey) {}

  /** An API key for one test, with the URLs that contain it. */
  public record Key(String key, String secret, String url, String wsUrl) {}

  private final String url;
  private final String wsUrl;
  private final String ipfsUrl;
  private final List<Account> accounts;
  private final Process process;

  Node(String url, String wsUrl, String ipfsUrl, List<Account> accounts, Process process) {
    this.url = url;
    this.wsUrl = wsUrl;
    this.ipfsUrl = ipfsUrl;
    this.accounts = List.copyOf(accounts);
    this.process = process;
  }

  /** JSON-RPC URL with an API key. */
  public String url() {
    return url;
  }

  /** WebSocket URL with an API key. */
  public String wsUrl() {
    return wsUrl;
  }

  /** IPFS API URL without {@code /api/v0}; null for an attached node. */
  public String ipfsUrl() {
    return ipfsUrl;
  }

  /** Empty for an attached node. */
  public List<Account> accounts() {
    return accounts;
  }

  /** Whether this process started the node. */
  boolean isOwn() {
    return process != null;
  }

  /** Calls a JSON-RPC method. @throws RpcException if the response is an error object */
  public JsonElement call(String method, Object... params) {
    JsonObject call = new JsonObject();
    call.addProperty("jsonrpc", "2.0");
    call.addProperty("id", 1);
    call.addProperty("method", method);
    call.add("params", GSON.toJsonTree(params));
    JsonObject answer = JsonParser.parseString(send("POST", url, call).body()).getAsJsonObject();
    if (answer.has("error")) {
      JsonObject error = answer.getAsJsonObject("error");
      throw new RpcException(
          error.get("code").getAsInt(), error.get("message").getAsString(), error.get("data"));
    }
    return answer.get("result");
  }

  /** Calls the control API at {@code /_standin} + path. @throws ControlException for a status other than 2xx */
  public JsonElement control(String method, String path, Object body) {
    URI base = URI.create(url);
    HttpResponse<String> response =
        send(method, base.getScheme() + "://" + base.getAuthority() + "/_standin" + path, body);
    if (response.statusCode() / 100 != 2) {
      throw new ControlException(response.statusCode(), response.body());
    }
    return response.body().isEmpty() ? JsonNull.INSTANCE : JsonParser.parseString(response.body());
  }

  /** Takes a snapshot of the chain and returns its ID for {@link #revert}. */
  public String snapshot() {
    return call("evm_snapshot").getAsString();
  }

  /** Restores a snapshot of the chain. Each snapshot can be used once. */
  public void revert(String snapshot) {
    if (!call("evm_revert", snapshot).getAsBoolean()) {
      throw new IllegalArgumentException("no snapshot " + snapshot);
    }
  }

  /** Mines the given number of blocks. Pending transactions go into the first ones. */
  public void mine(long blocks) {
    call("hardhat_mine", "0x" + Long.toHexString(blocks));
  }

  /** Advances the clock of the following blocks by whole seconds. */
  public void increaseTime(Duration by) {
    call("evm_increaseTime", by.toSeconds());
  }

  /** Sets the timestamp of the next block. */
  public void setNextBlockTimestamp(Instant time) {
    call("evm_setNextBlockTimestamp", time.getEpochSecond());
  }

  /** Lists the active faults. */
  public List<FaultReport> faults() {
    return List.of(GSON.fromJson(control("GET", "/faults", null), FaultReport[].class));
  }

  /** Sets a fault. */
  public void addFault(Fault fault) {
    control("POST", "/faults", Map.of("faults", List.of(fault)));
  }

  public void clearFaults() {
    control("DELETE", "/faults", null);
  }

  /** Lists recorded requests, oldest first. Accepts the query parameters of {@code GET /_standin/requests}. */
  public List<JournalEntry> journal(Map<String, ?> query) {
    String parameters =
        query.entrySet().stream()
            .map(entry -> encode(entry.getKey()) + "=" + encode(String.valueOf(entry.getValue())))
            .collect(Collectors.joining("&"));
    return List.of(GSON.fromJson(control("GET", "/requests?" + parameters, null), JournalEntry[].class));
  }

  /** Waits for the first recorded request that matches. */
  public JournalEntry waitForRequest(Map<String, ?> query, Duration timeout)
      throws TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      List<JournalEntry> found = journal(query);
      if (!found.isEmpty()) return found.get(0);
      if (System.nanoTime() > deadline) throw new TimeoutException("no request matched " + query);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Fails unless a recorded request matches the query. */
  public void assertRequested(Map<String, ?> query) {
    if (!journal(query).isEmpty()) return;
    List<String> methods = journal(Map.of()).stream().map(JournalEntry::method).toList();
    throw new AssertionError("no request matched " + query + "; recorded methods: " + methods);
  }

  /** Fails if a recorded request matches the query. */
  public void assertNotRequested(Map<String, ?> query) {
    int found = journal(query).size();
    if (found > 0) throw new AssertionError(found + " requests matched " + query);
  }

  /** Adds a key with a secret for one test. Quotas, allowlists and the journal distinguish tests by their keys. */
  public Key createKey() {
    String key = randomName();
    String secret = randomName();
    control("PUT", "/keys/" + key, Map.of("secret", secret));
    return new Key(key, secret, withKey(url, key), withKey(wsUrl, key));
  }

  public void removeKey(Key key) {
    control("DELETE", "/keys/" + key.key(), null);
  }

  /** Stops the node's process. An attached node keeps running. */
  @Override
  public void close() {
    if (process == null) return;
    process.destroy();
    try {
      if (process.waitFor(5, TimeUnit.SECONDS)) return;
    } catch (InterruptedException interruption) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  private static HttpResponse<String> send(String method, String address, Object body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address))
            .timeout(Duration.ofSeconds(60))
            .header("content-type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(GSON.toJson(body)))
            .build();
    try {
      return HTTP.send(request, BodyHandlers.ofString());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException interruption) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted during a request", interruption);
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String randomName() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static String withKey(String url, String key) {
    return url.substring(0, url.lastIndexOf('/') + 1) + key;
  }

  @Override
  public String toString() {
    return "Node[" + url + ", accounts=" + Arrays.toString(accounts.stream().map(Account::address).toArray()) + "]";
  }
}
