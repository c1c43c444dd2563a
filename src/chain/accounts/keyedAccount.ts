/** An account with its key. */
export interface KeyedAccount {
  /** 20 bytes. */
  address: Uint8Array
  /** 32 bytes. */
  privateKey: Uint8Array
}
