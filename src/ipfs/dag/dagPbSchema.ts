import type { CID } from 'multiformats/cid'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { decodeInSlices, decoderOf } from './codecs.js'
import { LINKS_AT_ONCE, type PBNode } from './dagPb.js'
import { kindOf } from './kinds.js'

/** Decodes a block as paths see it: a dag-pb node has all fields of its schema, null where they are absent. */
export async function decodeNode(cid: CID, block: Uint8Array): Promise<unknown> {
  const data = await decodeInSlices(decoderOf(cid), block)
  return cid.code === codecCode.dagPb ? runInSlices(inSchemaOrder(data as PBNode), new TimeSlice()) : data
}

/** Orders a dag-pb node as in its schema (https://ipld.io/specs/codecs/dag-pb/spec/). */
function* inSchemaOrder({ Links, Data }: PBNode): Steps<object> {
  const links: object[] = []
  for (const { Hash, Name = null, Tsize = null } of Links) {
    if (links.push({ Hash, Name, Tsize }) % LINKS_AT_ONCE === 0) yield
  }
  return { Links: links, Data: Data ?? null }
}

/** Types of the fields of a link in go-codec-dagpb. */
const linkTypes: Readonly<Record<string, string>> = { Hash: 'Link', Name: 'String', Tsize: 'Int' }

/**
 * Returns go-ipld-prime's name for a value inside a block: its kind, or its type in go-codec-dagpb.
 *
 * @param keys - from the block to the value
 */
export function nodeName({ code }: CID, keys: readonly string[], value: unknown): string {
  if (code !== codecCode.dagPb) return kindOf(value)
  if (value === null) return 'absent'
  const [first, , field = ''] = keys
  if (first === 'Data') return 'dagpb.Bytes'
  return `dagpb.${['PBNode', 'PBLinks', 'PBLink'][keys.length] ?? linkTypes[field] ?? ''}`
}
