import { CID } from 'multiformats/cid'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { cidKey } from '../cid/cidFormat.js'
import { linksOf, walkCids, walkDag } from '../dag/links.js'
import { FileNetworkError, errorText } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'

/** How a pin protects: the block alone, or the whole DAG. */
export type PinMode = 'recursive' | 'direct'

/** A pin. A CID has at most one; version 0 and version 1 of a CID are pinned apart. */
export interface Pin {
  cid: CID
  mode: PinMode
  name: string
}

const modeBytes = { recursive: 1, direct: 2 } as const

/** The pins, kept across restarts: the key of a row is the CID, its value a byte for the mode and the name in UTF-8. */
export class Pins {
  readonly #rows: RowStore

  constructor(rows: RowStore) {
    this.#rows = rows
  }

  find(cid: CID): Pin | undefined {
    const value = this.#rows.get(cid.bytes)
    return value && decodePin(cid, value)
  }

  /** Sets a pin, instead of the one that the CID may have. */
  set({ cid, mode, name }: Pin): Promise<void> {
    return this.#rows.put(cid.bytes, Buffer.concat([Uint8Array.of(modeBytes[mode]), Buffer.from(name)]))
  }

  remove(cid: CID): Promise<void> {
    return this.#rows.delete(cid.bytes)
  }

  /** Every pin of a mode, in the order of the CIDs. */
  async *list(mode: PinMode): AsyncGenerator<Pin> {
    for await (const [key, value] of this.#rows.entries()) {
      const pin = decodePin(CID.decode(key), value)
      if (pin.mode === mode) yield pin
    }
  }
}

function decodePin(cid: CID, value: Uint8Array): Pin {
  const mode = value[0] === modeBytes.recursive ? 'recursive' : 'direct'
  return { cid, mode, name: Buffer.from(value.subarray(1)).toString() }
}

type PinContext = Pick<NetworkContext, 'blockstore' | 'pins' | 'collectionLock'>

/**
 * Pins a DAG. Every block of it must be there.
 *
 * @throws {@link FileNetworkError} with `pin: ` in front of what is wrong
 */
export async function pinDag(
  network: PinContext,
  cid: CID,
  name: string,
): Promise<{ blocks: number; bytes: number }> {
  return network.collectionLock.share(async () => {
    let blocks = 0
    let bytes = 0
    try {
      for await (const block of walkDag(network.blockstore, cid)) {
        blocks++
        bytes += block.bytes.length
      }
    } catch (error) {
      throw prefixed(error)
    }
    await network.pins.set({ cid, mode: 'recursive', name })
    return { blocks, bytes }
  })
}

/**
 * Pins one block, which must be there and readable.
 *
 * @throws {@link FileNetworkError} with `pin: ` in front, also when the CID is already pinned recursively
 */
export async function pinBlock(network: PinContext, cid: CID, name: string): Promise<void> {
  await network.collectionLock.share(async () => {
    try {
      await linksOf(cid, await network.blockstore.get(cid))
    } catch (error) {
      throw prefixed(error)
    }
    if (network.pins.find(cid)?.mode === 'recursive') {
      throw new FileNetworkError(`pin: ${cid} already pinned recursively`)
    }
    await network.pins.set({ cid, mode: 'direct', name })
  })
}

/**
 * Removes a pin.
 *
 * @throws {@link FileNetworkError} when there is none, or a recursive one that may not be removed so
 */
export async function unpin({ pins }: PinContext, cid: CID, options: { recursive: boolean }): Promise<void> {
  const pin = pins.find(cid)
  if (pin === undefined) throw new FileNetworkError('not pinned or pinned indirectly')
  if (pin.mode === 'recursive' && !options.recursive) {
    throw new FileNetworkError(`${cid} is pinned recursively`)
  }
  await pins.remove(cid)
}

/** The recursive pins that protect blocks, by the blocks' keys. The DAGs are walked in the order of the pins. */
export async function findPinAbove(network: PinContext, cids: CID[]): Promise<Map<string, CID>> {
  const wanted = new Set(cids.map(cidKey))
  const found = new Map<string, CID>()
  const seen = new Set<string>()
  for await (const pin of network.pins.list('recursive')) {
    for await (const cid of walkCids(network.blockstore, pin.cid, seen)) {
      const key = cidKey(cid)
      if (wanted.delete(key)) found.set(key, pin.cid)
      if (wanted.size === 0) return found
    }
  }
  return found
}

function prefixed(error: unknown): unknown {
  if (!(error instanceof FileNetworkError)) return error
  return new PinError(error)
}

/** A refusal to pin; its cause is what was wrong. */
export class PinError extends FileNetworkError {
  constructor(cause: FileNetworkError) {
    super(`pin: ${errorText(cause)}`)
    this.cause = cause
  }
}

const longestName = 255

/** Refuses pin names that are too long (Kubo, `cmdutils.ValidatePinName`). */
export function validatePinName(name: string): void {
  const length = Buffer.byteLength(name)
  if (length <= longestName) return
  throw new FileNetworkError(`pin name is ${length} bytes (max ${longestName} bytes)`)
}
