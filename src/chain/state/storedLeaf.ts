import { endsAtLeaf, LEAF_FLAG } from './nibbles.js'
import { leafRecord } from './makeRecord.js'
import type { NodeRecord } from './nodeRecord.js'
import { listStart, payloadAt, type Payload } from '../rlp.js'

/** Whether a record is a leaf, and not that of a key. */
export function isLeafOfAnother({ bytes }: NodeRecord, depth: number, key: Uint8Array): boolean {
  const path = payloadAt(bytes, listStart(bytes))
  return ((bytes[path.start] ?? 0) & LEAF_FLAG) !== 0 && !endsAtLeaf(key, depth, bytes, path)
}

/** A leaf with another value; the record itself if it had that value, undefined if it is not the leaf of the key. */
export function withValue(
  record: NodeRecord,
  depth: number,
  key: Uint8Array,
  value: Uint8Array,
): NodeRecord | undefined {
  const { bytes } = record
  const pathStart = listStart(bytes)
  const path = payloadAt(bytes, pathStart)
  if (!endsAtLeaf(key, depth, bytes, path)) return undefined
  if (isSameAt(bytes, payloadAt(bytes, path.end), value)) return record
  return leafRecord(bytes.subarray(pathStart, path.end), value)
}

function isSameAt(bytes: Uint8Array, { start, end }: Payload, value: Uint8Array): boolean {
  if (end - start !== value.length) return false
  for (let i = 0; i < value.length; i++) if (bytes[start + i] !== value[i]) return false
  return true
}
