package org.standin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.core.methods.response.EthLog;
import org.web3j.protocol.core.methods.response.TransactionReceipt;
import org.web3j.protocol.http.HttpService;
import org.web3j.tx.RawTransactionManager;
import org.web3j.tx.Transfer;
import org.web3j.tx.response.PollingTransactionReceiptProcessor;
import org.web3j.utils.Convert;

@WithStandin
class NodeTest {
  private static final String ALICE = "0x00000000000000000000000000000000000a11ce";

  private static Web3j web3jOf(Node node) {
    return Web3j.build(new HttpService(node.url()));
  }

  private static RawTransactionManager senderOf(Node node, Web3j web3j) {
    Credentials credentials = Credentials.create(node.accounts().get(0).privateKey());
    return new RawTransactionManager(
        web3j, credentials, 31337, new PollingTransactionReceiptProcessor(web3j, 50, 200));
  }

  @Test
  void transactionReceiptAndProof(Node node) throws Exception {
    Web3j web3j = web3jOf(node);
    TransactionReceipt receipt =
        new Transfer(web3j, senderOf(node, web3j))
            .sendFunds(ALICE, java.math.BigDecimal.valueOf(7), Convert.Unit.WEI)
            .send();
    assertTrue(receipt.isStatusOK());
    assertEquals(BigInteger.valueOf(21000), receipt.getGasUsed());
    var proof = web3j.ethGetProof(ALICE, List.of(), "latest").send().getResult();
    assertEquals("0x7", proof.getBalanceRaw());
    String leaf = proof.getAccountProof().get(proof.getAccountProof().size() - 1);
    assertTrue(leaf.contains(proof.getStorageHash().substring(2)));
    assertTrue(leaf.contains(proof.getCodeHash().substring(2)));
  }

  @Test
  void eachTestStartsWithTheInitialChain(Node node) throws Exception {
    Web3j web3j = web3jOf(node);
    assertEquals(
        BigInteger.ZERO, web3j.ethGetBalance(ALICE, DefaultBlockParameterName.LATEST).send().getBalance());
    node.mine(3);
    assertEquals(BigInteger.valueOf(3), web3j.ethBlockNumber().send().getBlockNumber());
  }

  @Test
  void logsOfAContract(Node node) throws Exception {
    Web3j web3j = web3jOf(node);
    // PUSH1 42 PUSH1 0 MSTORE, PUSH1 9 PUSH1 32 PUSH1 0 LOG1 STOP: init code that logs the number 42 with topic 9.
    String code = "0x602a60005260096020" + "6000a100";
    var sent =
        senderOf(node, web3j)
            .sendTransaction(
                BigInteger.valueOf(20_000_000_000L), BigInteger.valueOf(200_000), null, code, BigInteger.ZERO);
    assertFalse(sent.hasError(), () -> sent.getError().getMessage());
    String topic = "0x" + "0".repeat(63) + "9";
    EthFilter filter =
        new EthFilter(DefaultBlockParameterName.EARLIEST, DefaultBlockParameterName.LATEST, List.of());
    filter.addSingleTopic(topic);
    List<EthLog.LogResult> logs = web3j.ethGetLogs(filter).send().getLogs();
    assertEquals(1, logs.size());
    EthLog.LogObject log = (EthLog.LogObject) logs.get(0);
    assertEquals("0x" + "0".repeat(62) + "2a", log.getData());
    assertEquals(sent.getTransactionHash(), log.getTransactionHash());
  }

  @Test
  void aFileIsUploaded(Node node) throws Exception {
    String part = "Content-Disposition: form-data; name=\"file\"; filename=\"hello\"";
    String body = "--standin\r\n" + part + "\r\n\r\nhello world\n\r\n--standin--\r\n";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.ipfsUrl() + "/api/v0/add"))
            .header("content-type", "multipart/form-data; boundary=standin")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String line = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    // The CID that `ipfs add` prints for these bytes.
    assertEquals(
        "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o",
        JsonParser.parseString(line).getAsJsonObject().get("Hash").getAsString());
  }

  @Test
  void aFaultIsReturnedAndRecorded(Node node) throws Exception {
    node.addFault(
        new Fault()
            .id("tired")
            .match(new FaultMatch().method(List.of("eth_gasPrice")).nth(List.of(1L)))
            .action(new FaultAction().type("error").code(-32099L).message("tired")));
    Web3j web3j = web3jOf(node);
    assertEquals(-32099, web3j.ethGasPrice().send().getError().getCode());
    assertTrue(web3j.ethGasPrice().send().getGasPrice().signum() > 0);
    Map<String, ?> failed = Map.of("method", "eth_gasPrice", "failed", true);
    JournalEntry entry = node.waitForRequest(failed, Duration.ofSeconds(10));
    assertEquals(List.of("tired"), entry.faults());
    assertEquals(-32099L, entry.error().code());
    assertEquals(1L, node.faults().get(0).hits());
    node.assertRequested(failed);
    node.assertNotRequested(Map.of("method", "eth_noSuch"));
    assertThrows(AssertionError.class, () -> node.assertNotRequested(failed));
    assertThrows(AssertionError.class, () -> node.assertRequested(Map.of("method", "eth_noSuch")));
    assertEquals(-32601, assertThrows(RpcException.class, () -> node.call("no_such")).code());
  }

  @Test
  void setsTheClock(Node node) {
    long before = timestampOf(node);
    node.increaseTime(Duration.ofHours(1));
    node.mine(1);
    assertTrue(timestampOf(node) >= before + 3600);
    node.setNextBlockTimestamp(Instant.ofEpochSecond(before + 100_000));
    node.mine(1);
    assertEquals(before + 100_000, timestampOf(node));
  }

  private static long timestampOf(Node node) {
    var block = node.call("eth_getBlockByNumber", "latest", false).getAsJsonObject();
    return Long.decode(block.get("timestamp").getAsString());
  }

  @Test
  void aKeyDistinguishesRequests(Node node) {
    Node.Key key = node.createKey();
    Node mine = Standin.attach(key.url());
    assertEquals(key.wsUrl(), mine.wsUrl());
    mine.call("eth_chainId");
    node.call("eth_chainId");
    assertEquals(1, node.journal(Map.of("key", key.key())).size());
    node.removeKey(key);
    assertThrows(IllegalArgumentException.class, () -> Standin.attach("ftp://127.0.0.1"));
  }

  /** The process that the test kills: starts a node and prints its URL. */
  static final class Parent {
    public static void main(String[] words) throws InterruptedException {
      Node node = Standin.start();
      System.out.println(node.url());
      Thread.sleep(60_000);
    }
  }

  @Test
  void theNodeExitsWhenItsParentIsKilled() throws Exception {
    Process parent =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String url = new BufferedReader(new InputStreamReader(parent.getInputStream())).readLine();
    Node node = Standin.attach(url);
    BooleanSupplier answers =
        () -> {
          try {
            node.call("eth_chainId");
            return true;
          } catch (RuntimeException gone) {
            return false;
          }
        };
    assertTrue(answers.getAsBoolean());
    parent.destroyForcibly().waitFor();
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (answers.getAsBoolean() && System.nanoTime() < deadline) Thread.sleep(50);
    assertFalse(answers.getAsBoolean());
  }
}
