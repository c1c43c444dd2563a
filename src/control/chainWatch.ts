import type { StoredBlock } from '../chain/block/record.js'
import type { ChainEvent } from '../chain/reader.js'
import { bytesToHex } from '../encoding/hex.js'

/** Reorganisations remembered per network, and blocks per reorganisation. */
const MAX_REORGANISATIONS = 64
const MAX_BLOCKS = 256

/** Block that a reorganisation removed from the canonical chain. */
export interface OrphanedBlock {
  number: number
  hash: string
  parentHash: string
  /** Seconds since 1970. */
  timestamp: number
  transactions: number
}

/** Blocks that left the canonical chain together. */
export interface Reorganisation {
  /** Milliseconds since 1970. */
  time: number
  /** Oldest first; only the blocks nearest to the head if there are many. */
  removed: OrphanedBlock[]
}

/** Tracks for observers how often each of a node's chains has changed, and its reorganisations. */
export class ChainWatch {
  readonly #versions = new Map<string, number>()
  readonly #reorganisations = new Map<string, Reorganisation[]>()

  /** Handles an event of a network's chain. */
  handleEvent(network: string, event: ChainEvent): void {
    this.#versions.set(network, this.version(network) + 1)
    if (event.type === 'removed') this.#remember(network, event.blocks)
    // None of the previous blocks can be read any more.
    if (event.type === 'replaced') this.#reorganisations.delete(network)
  }

  /** Returns a number that grows with every event. */
  version(network: string): number {
    return this.#versions.get(network) ?? 0
  }

  /** Returns a network's reorganisations, oldest first. */
  reorganisations(network: string): readonly Reorganisation[] {
    return this.#reorganisations.get(network) ?? []
  }

  #remember(network: string, blocks: readonly StoredBlock[]): void {
    const list = this.#reorganisations.get(network) ?? []
    list.push({ time: Date.now(), removed: blocks.slice(-MAX_BLOCKS).map(describe) })
    this.#reorganisations.set(network, list.slice(-MAX_REORGANISATIONS))
  }
}

function describe({ hash, header, transactions }: StoredBlock): OrphanedBlock {
  return {
    number: Number(header.number),
    hash: bytesToHex(hash),
    parentHash: bytesToHex(header.parentHash),
    timestamp: Number(header.timestamp),
    transactions: transactions.length,
  }
}
