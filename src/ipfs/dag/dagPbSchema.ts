import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { decodeInTurns, decoderOf } from './codecs.js'
import type { PBNode } from './dagPb.js'
import { kindOf } from './kinds.js'

/** Decodes a block as paths see it: a dag-pb node has all fields of its schema, null where they are absent. */
export async function decodeNode(cid: CID, block: Uint8Array): Promise<unknown> {
  const data = await decodeInTurns(decoderOf(cid), block)
  return cid.code === codecCode.dagPb ? inSchemaOrder(data as PBNode) : data
}

/** Orders a dag-pb node as in its schema (https://ipld.io/specs/codecs/dag-pb/spec/). */
function inSchemaOrder({ Links, Data }: PBNode): object {
  const links = Links.map(({ Hash, Name = null, Tsize = null }) => ({ Hash, Name, Tsize }))
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
