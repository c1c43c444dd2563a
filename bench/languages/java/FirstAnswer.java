import org.standin.Node;
import org.standin.Standin;

/** Starts nodes one after another and prints the milliseconds from each start to its first answer. */
class FirstAnswer {
  public static void main(String[] words) {
    for (int round = Integer.parseInt(words[0]); round > 0; round--) {
      long began = System.nanoTime();
      try (Node node = Standin.start()) {
        node.call("eth_chainId");
        System.out.println((System.nanoTime() - began) / 1e6);
      }
    }
  }
}
