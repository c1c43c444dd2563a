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
  private static final long START_TIMEOUT_SECONDS = 60;

  private Standin() {}

  /** The ready line that {@code --json} prints. */
  private record Ready(String url, String wsUrl, String ipfsUrl, List<Node.Account> accounts) {}

  /**
   * Starts a node with command-line options and waits for its ready line.
   *
   * <p>A shell runs the command {@code STANDIN_COMMAND}, which defaults to {@code npx --yes standin}. The node exits
   * when this process exits, even if it is killed.
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
      Ready ready = new Gson().fromJson(firstLine.get(START_TIMEOUT_SECONDS, TimeUnit.SECONDS), Ready.class);
      if (ready == null) throw new IllegalStateException(command + " exited without a ready line");
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

  /** Keeps reading after the first line: a full pipe would block the node. */
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

  /** Attaches to the running node with this JSON-RPC URL, which includes its key. Closing it does not stop the node. */
  public static Node attach(String url) {
    URI parts = URI.create(url);
    if (!"http".equals(parts.getScheme()) && !"https".equals(parts.getScheme())) {
      throw new IllegalArgumentException(url + " is not an HTTP URL");
    }
    String scheme = "https".equals(parts.getScheme()) ? "wss" : "ws";
    String wsUrl = scheme + "://" + parts.getRawAuthority() + "/ws" + parts.getRawPath();
    return new Node(url, wsUrl, null, List.of(), null);
  }

  /** Attaches to the node at {@code STANDIN_URL} if set, and starts one otherwise. */
  static Node attachOrStart() {
    String url = System.getenv("STANDIN_URL");
    return url == null || url.isEmpty() ? start() : attach(url);
  }
}
