package org.standin;

import com.google.gson.JsonElement;

/** The error object of a JSON-RPC response. */
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

  /** Null if the error has no data. */
  public JsonElement data() {
    return data;
  }
}
