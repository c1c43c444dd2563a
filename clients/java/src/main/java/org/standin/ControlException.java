package org.standin;

/** A response of the control API with a status other than 2xx. */
public final class ControlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  ControlException(int status, String body) {
    super("HTTP " + status + ": " + body);
    this.status = status;
  }

  public int status() {
    return status;
  }
}
