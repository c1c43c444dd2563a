package org.standin;

import com.google.gson.JsonElement;

/** The node answered a JSON-RPC call with an error object. */
public final class RpcException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final transient JsonElement data;

  RpcException(int code, String message, JsonElement data) {
    super(message + " (" + code + ")");
    this.code = code;
    this.data = data;
  }

  public int code() {
    return code;
  }

  /** Null if there was none. */
  public JsonElement data() {
    return data;
  }
}
