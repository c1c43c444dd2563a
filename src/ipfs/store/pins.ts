import { CID } from 'multiformats/cid'
import type { RecordStore } from '../../storage/files/recordStore.js'

/** How a pin protects: the block alone, or the whole DAG. */
export type PinMode = 'recursive' | 'direct'

/** A pin. A CID has at most one; version 0 and version 1 of a CID are pinned apart. */
export interface Pin {
  cid: CID
  mode: PinMode
  name: string
}

/** The pins, kept across restarts. */
export interface Pins {
  find(cid: CID): Pin | undefined
  /** Sets a pin, instead of the one that the CID may have. */
  set(pin: Pin): Promise<void>
  remove(cid: CID): Promise<void>
  /** Every pin of a mode, in the order of the CIDs. */
  list(mode: PinMode): AsyncIterable<Pin>
}

const modeBytes = { recursive: 1, direct: 2 } as const

/** Pins over rows: the key is the CID, the value a byte for the mode and the name in UTF-8. */
export function createPins(records: RecordStore): Pins {
  return {
    find(cid) {
      const value = records.get(cid.bytes)
      return value && decodePin(cid, value)
    },
    set: ({ cid, mode, name }) =>
      records.put(cid.bytes, Buffer.concat([Uint8Array.of(modeBytes[mode]), Buffer.from(name)])),
    remove: (cid) => records.delete(cid.bytes),
    async *list(mode) {
      for await (const [key, value] of records.entries()) {
        const pin = decodePin(CID.decode(key), value)
        if (pin.mode === mode) yield pin
      }
    },
  }
}

function decodePin(cid: CID, value: Uint8Array): Pin {
  const mode = value[0] === modeBytes.recursive ? 'recursive' : 'direct'
  return { cid, mode, name: Buffer.from(value.subarray(1)).toString() }
}
