/** The chain that a fork goes on from: it answers for its blocks up to the one that the fork left it at. */
export interface RemoteChain {
  /** The number of the last block that both chains share. */
  readonly forkBlock: bigint
  readonly chainId: bigint
  /** Its URL as it may be shown. */
  readonly shownUrl: string
  /** Calls a method of the remote node. @throws Error with a JSON-RPC `code` where the remote answered with one */
  request(method: string, params: readonly unknown[]): Promise<unknown>
}
