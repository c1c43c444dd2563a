import { CID } from 'multiformats/cid'
import { baseNameOf, formatCid } from '../../cid/formatCid.js'
import { codecCode } from '../../cid/makeCid.js'
import { parseCid } from '../../cid/parseCid.js'
import { errorText, FileNetworkError } from '../../errors.js'

/** How CIDs are rewritten. */
export interface CidConversion {
  pattern: string
  /** Undefined: as it is. */
  version: 0 | 1 | undefined
  codec: number | undefined
  /** Name of the base; undefined: the one that the text is in. */
  base: string | undefined
}

/** Rewrites CIDs, a line for each; one that is none gets a line with why. */
export async function* emitCids(texts: string[], conversion: CidConversion): AsyncGenerator<object> {
  for (const text of texts) {
    const line = { CidStr: text, Formatted: '', ErrorMsg: '' }
    try {
      line.Formatted = rewrite(text, conversion)
    } catch (error) {
      line.ErrorMsg = errorText(error)
    }
    yield line
  }
}

function rewrite(text: string, { pattern, version, codec, base }: CidConversion): string {
  let cid = parseCid(text)
  if (codec !== undefined && codec !== cid.code) cid = CID.createV1(codec, cid.multihash)
  if (version === 1) cid = cid.toV1()
  if (version === 0) {
    if (cid.code !== codecCode.dagPb) throw new FileNetworkError("can't convert non-dag-pb nodes to cidv0")
    cid = cid.toV0()
  }
  return formatCid(pattern, cid, base ?? (cid.version === 0 ? 'base58btc' : baseNameOf(text)))
}
