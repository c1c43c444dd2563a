package org.standin;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes a {@link Node} to tests as a parameter: the one at {@code STANDIN_URL}, or one started for the whole test run.
 * After each test it removes all faults and reverts the chain. Use {@link WithStandin}.
 */
public final class StandinExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(StandinExtension.class);

  /** Closed by JUnit at the end of the test run. */
  private record SharedNode(Node node) implements Store.CloseableResource {
    @Override
    public void close() {
      node.close();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(NAMESPACE).put("snapshot", nodeOf(context).snapshot());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Node node = nodeOf(context);
    node.clearFaults();
    node.revert(context.getStore(NAMESPACE).get("snapshot", String.class));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Node.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return nodeOf(context);
  }

  private static Node nodeOf(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent("node", name -> new SharedNode(Standin.attachOrStart()), SharedNode.class)
        .node();
  }
}
