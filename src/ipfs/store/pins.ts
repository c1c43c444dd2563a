import { CID } from 'multiformats/cid'
import { LargeSet } from '../../encoding/largeMap.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { cidKey } from '../cid/cidFormat.js'
import { linksOf, walkCids, walkDag } from '../dag/links.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { bytesOfText, textOfBytes } from '../../encoding/byteText.js'

/** What a pin protects: the block alone, or the whole DAG. */
export type PinMode = 'recursive' | 'direct'

/** A pin. A CID has at most one; versions 0 and 1 of a CID are pinned separately. */
export interface Pin {
  cid: CID
  mode: PinMode
  name: string
}

const modeBytes = { recursive: 1, direct: 2 } as const

/** Persistent pins: a row's key is the CID, its value a byte for the mode and the name in UTF-8. */
export class Pins {
  readonly #rows: RowStore

  constructor(rows: RowStore) {
    this.#rows = rows
  }

  find(cid: CID): Pin | undefined {
    const value = this.#rows.get(cid.bytes)
    return value && decodePin(cid, value)
  }

  /** Sets a pin, replacing the CID's current one. */
  set({ cid, mode, name }: Pin): Promise<void> {
    const nameBytes = name === '' ? new Uint8Array() : bytesOfText(name)
    return this.#rows.put(cid.bytes, Buffer.concat([Uint8Array.of(modeBytes[mode]), nameBytes]))
  }

  remove(cid: CID): Promise<void> {
    return this.#rows.delete(cid.bytes)
  }

  /** Yields every pin of a mode, in CID order. */
  async *list(mode: PinMode): AsyncGenerator<Pin> {
    for await (const [key, value] of this.#rows.entries()) {
      const pin = decodePin(CID.decode(key), value)
      if (pin.mode === mode) yield pin
    }
  }
}

function decodePin(cid: CID, value: Uint8Array): Pin {
  const mode = value[0] === modeBytes.recursive ? 'recursive' : 'direct'
  return { cid, mode, name: textOfBytes(value.subarray(1)) }
}

type PinContext = Pick<NetworkContext, 'blockstore' | 'pins' | 'collectionLock'>

/**
 * Pins a DAG. All its blocks must be stored.
 *
 * @throws {@link FileNetworkError} with the prefix `pin: `
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
 * Pins one block, which must be stored and readable.
 *
 * @throws {@link FileNetworkError} with the prefix `pin: `, also if the CID is already pinned recursively
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
 * @throws {@link FileNetworkError} if there is none, or if it is recursive and `options.recursive` is false
 */
export async function unpin({ pins }: PinContext, cid: CID, options: { recursive: boolean }): Promise<void> {
  const pin = pins.find(cid)
  if (pin === undefined) throw new FileNetworkError('not pinned or pinned indirectly')
  if (pin.mode === 'recursive' && !options.recursive) {
    throw new FileNetworkError(`${cid} is pinned recursively`)
  }
  await pins.remove(cid)
}

/**
 * Lists the recursive pins in the order in which Kubo searches their DAGs: that of the CIDs in base64url (boxo,
 * `dsindex`).
 */
export async function pinsInSearchOrder(pins: Pins): Promise<Pin[]> {
  const keyed: { pin: Pin; text: string }[] = []
  for await (const pin of pins.list('recursive')) {
    keyed.push({ pin, text: Buffer.from(pin.cid.bytes).toString('base64url') })
  }
  const byText = sortInSteps(keyed, (a, b) => (a.text < b.text ? -1 : 1))
  return (await runInSlices(byText, new TimeSlice())).map(({ pin }) => pin)
}

/** Finds the recursive pins that protect blocks, by {@link cidKey}. */
export async function findPinAbove(network: PinContext, cids: CID[]): Promise<Map<string, CID>> {
  const wanted = new Set(cids.map(cidKey))
  const found = new Map<string, CID>()
  const seen = new LargeSet()
  for (const pin of await pinsInSearchOrder(network.pins)) {
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

/** A failure to pin; `cause` is the original error. */
class PinError extends FileNetworkError {
  constructor(cause: FileNetworkError) {
    super(`pin: ${errorText(cause)}`)
    this.cause = cause
  }
}

const MAX_NAME_LENGTH = 255

/** Options of operations that pin, for announcing the roots to peers. */
export const provideOptions = {
  'fast-provide-root': { type: 'bool', description: 'No effect: there are no peers.' },
  'fast-provide-dag': { type: 'bool', description: 'No effect: there are no peers.' },
  'fast-provide-wait': { type: 'bool', description: 'No effect: there are no peers.' },
} as const

/** Rejects a pin name that is too long (Kubo, `cmdutils.ValidatePinName`). */
export function validatePinName(name: string): void {
  const length = Buffer.byteLength(name)
  if (length <= MAX_NAME_LENGTH) return
  throw new FileNetworkError(`pin name is ${length} bytes (max ${MAX_NAME_LENGTH} bytes)`)
}
