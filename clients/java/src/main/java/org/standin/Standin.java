package org.standin;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts nodes and attaches to them. */
public final class Standin {
  private static final long LONGEST_START_SECONDS = 60;

  private Standin() {}

  /** What {@code --json} prints. */
  private record Ready(String url, String wsUrl, String ipfsUrl, List<Node.Account> accounts) {}

  /**
   * Starts a node with options of the command line and waits for its ready line.
   *
   * <p>The command is {@code STANDIN_COMMAND}, run by a shell, or else {@code npx --yes standin}. The node watches this
   * process and ends with it, even when this process is killed.
   */
  public static Node start(String... options) {
    String command = System.getenv().getOrDefault("STANDIN_COMMAND", "npx --yes standin");
    List<String> words = new ArrayList<>(List.of("sh", "-c", "exec " + command + " \"$@\"", "sh"));
    words.addAll(List.of("--json", "--port", "0", "--ipfs-port", "0"));
    words.addAll(List.of("--parent-pid", String.valueOf(ProcessHandle.current().pid())));
    words.addAll(List.of(options));
    Process process;
    try {
      process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    CompletableFuture<String> firstLine = new CompletableFuture<>();
    Thread reader = new Thread(() -> read(process, firstLine), "standin-output");
    reader.setDaemon(true);
    reader.start();
    try {
      Ready ready = new Gson().fromJson(firstLine.get(LONGEST_START_SECONDS, TimeUnit.SECONDS), Ready.class);
      if (ready == null) throw new IllegalStateException(command + " ended without a ready line");
      return new Node(ready.url(), ready.wsUrl(), ready.ipfsUrl(), ready.accounts(), process);
    } catch (InterruptedException interruption) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command + " started", interruption);
    } catch (ExecutionException | TimeoutException | JsonSyntaxException error) {
      process.destroyForcibly();
      throw new IllegalStateException(command + " printed no ready line", error);
    } catch (IllegalStateException error) {
      process.destroyForcibly();
      throw error;
    }
  }

  /** Reads on behind the first line: a full pipe would hold the node. */
  private static void read(Process process, CompletableFuture<String> firstLine) {
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line = output.readLine();
      firstLine.complete(line == null ? "" : line);
      while (output.readLine() != null) continue;
    } catch (IOException error) {
      firstLine.completeExceptionally(error);
    }
  }

  /** Attaches to the node whose JSON-RPC URL, with its key, this is. It keeps running. */
  public static Node attach(String url) {
    URI parts = URI.create(url);
    if (!"http".equals(parts.getScheme()) && !"https".equals(parts.getScheme())) {
      throw new IllegalArgumentException(url + " is no URL of HTTP");
    }
    String scheme = "https".equals(parts.getScheme()) ? "wss" : "ws";
    String wsUrl = scheme + "://" + parts.getRawAuthority() + "/ws" + parts.getRawPath();
    return new Node(url, wsUrl, null, List.of(), null);
  }

  /** The node at {@code STANDIN_URL}, or else one of this process' own. */
  static Node attachOrStart() {
    String url = System.getenv("STANDIN_URL");
    return url == null || url.isEmpty() ? start() : attach(url);
  }
}
