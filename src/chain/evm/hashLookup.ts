import type { EVMMockBlockchainInterface } from '@ethereumjs/evm'
import type { Awaitable } from '../types.js'

/** BLOCKHASH of a block that is not known. */
const ZERO_HASH = new Uint8Array(32)

/** What BLOCKHASH asks: the chain as the library knows one. */
export class HashLookup implements EVMMockBlockchainInterface {
  /** The 32-byte hash of an earlier block; undefined reads as zero. */
  find: (number: bigint) => Awaitable<Uint8Array | undefined> = unknownHash

  async getBlock(number: number): Promise<{ hash: () => Uint8Array }> {
    const hash = (await this.find(BigInt(number))) ?? ZERO_HASH
    return { hash: () => hash }
  }

  async putBlock(): Promise<void> {}

  shallowCopy(): this {
    return this
  }

  /** Knows no block any more. */
  forget(): void {
    this.find = unknownHash
  }
}

function unknownHash(): undefined {
  return undefined
}
