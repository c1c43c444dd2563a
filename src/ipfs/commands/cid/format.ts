import { CID } from 'multiformats/cid'
import { codecCode, hashNameByCode } from '../../cid/cidFormat.js'
import { baseNameByPrefix, multibaseByName } from '../../cid/multibase.js'
import { exactCodec, parseCid } from '../../cid/parseCid.js'
import { codecCodeByName, codecText } from '../../dag/codecs.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, pathArguments, values } from '../../request/command.js'
import { bytesOfText, textOfBytes } from '../../../encoding/byteText.js'
import { goQuote } from '../../text/goQuote.js'

/** `cid/format`: reformats CIDs. */
export const cidFormat = defineCommand({
  description: 'Convert CIDs.',
  arguments: [pathArguments('cid', 'CIDs.', 'all')],
  options: {
    f: { type: 'string', default: '%s', description: 'Format string of a line.' },
    v: { type: 'string', description: 'CID version to convert to.' },
    mc: { type: 'string', description: 'Codec to convert to.' },
    b: { type: 'string', description: 'Multibase to convert to.' },
  },
  run({ args, options }) {
    const { f: pattern, v: version = '', mc: codecName = '', b: baseName = '' } = options
    if (!pattern.includes('%')) {
      throw new FileNetworkError(`invalid format string: ${goQuote(pattern)}`)
    }
    const codec = codecName === '' ? undefined : codecCodeByName(codecName)
    if (version === '0') checkVersion0(codec, baseName)
    else if (version !== '' && version !== '1') {
      throw new FileNetworkError(`invalid cid version: ${goQuote(version)}`)
    }
    return values(
      emitCids(args, {
        pattern,
        version: version === '0' ? 0 : version === '1' || baseName !== '' ? 1 : undefined,
        codec,
        base: baseName === '' ? undefined : multibaseByName(baseName).name,
      }),
    )
  },
})

function checkVersion0(codec: number | undefined, baseName: string): void {
  if (codec !== undefined && codec !== codecCode.dagPb) {
    throw new FileNetworkError('cannot convert to CIDv0 with any codec other than dag-pb')
  }
  if (baseName !== '' && baseName !== 'base58btc') {
    throw new FileNetworkError('cannot convert to CIDv0 with any multibase other than the implicit base58btc')
  }
}

/** `cid/base32`: converts CIDs to version 1 in base32. */
export const cidBase32 = defineCommand({
  description: 'Convert CIDs to version 1 in base32.',
  arguments: [pathArguments('cid', 'CIDs.', 'all')],
  options: {},
  run({ args }) {
    return values(emitCids(args, { pattern: '%s', version: 1, codec: undefined, base: 'base32' }))
  },
})

/** An invalid format pattern. */
class FormatError extends FileNetworkError {}

/** How to reformat CIDs. */
export interface CidConversion {
  pattern: string
  /** Undefined: unchanged. */
  version: 0 | 1 | undefined
  codec: number | undefined
  /** Name of the base; undefined: unchanged. */
  base: string | undefined
}

/** Reformats CIDs, one line each; an invalid one gets a line with the error. */
async function* emitCids(texts: string[], conversion: CidConversion): AsyncGenerator<object> {
  for (const text of texts) {
    const line = { CidStr: text, Formatted: '', ErrorMsg: '' }
    try {
      line.Formatted = rewrite(text, conversion)
    } catch (error) {
      if (error instanceof FormatError) throw error
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

/** Returns the name of the base in which a CID is written. */
export function baseNameOf(text: string): string {
  if (text.length === 46 && text.startsWith('Qm')) return 'base58btc'
  return baseNameByPrefix(text) ?? 'base32'
}

/**
 * Formats a CID by a pattern of `%` codes, such as `%s` for the CID itself or `%P` for its prefix (go-cidutil,
 * `format.go`).
 *
 * @throws {@link FileNetworkError} for an unknown code
 */
function formatCid(pattern: string, cid: CID, baseName: string): string {
  const base = multibaseByName(baseName)
  // Go cuts off one byte, which is not all of an emoji.
  const withoutPrefix = (bytes: Uint8Array): string =>
    textOfBytes(bytesOfText(base.encode(bytes)).subarray(1))
  const text = cid.version === 0 && baseName === 'base58btc' ? cid.toString() : base.encode(cid.bytes)
  const { code, size, digest } = cid.multihash
  const codecNumber = exactCodec(cid)
  const codec = codecText(codecNumber)
  const hash = hashNameByCode(code) ?? `hash?${code}`

  const fields: Record<string, () => string> = {
    '%': () => '%',
    b: () => base.name,
    B: () => textOfBytes(Buffer.from(base.prefix, 'utf16le').subarray(0, 1)),
    v: () => `cidv${cid.version}`,
    V: () => String(cid.version),
    c: () => codec,
    C: () => String(codecNumber),
    h: () => hash,
    H: () => String(code),
    L: () => String(size),
    m: () => base.encode(cid.multihash.bytes),
    M: () => withoutPrefix(cid.multihash.bytes),
    d: () => base.encode(digest),
    D: () => withoutPrefix(digest),
    s: () => text,
    S: () => withoutPrefix(cid.bytes),
    P: () => `cidv${cid.version}-${codec}-${hash}-${size}`,
  }
  // A pattern may repeat a code thousands of times, and each encoding takes a while.
  const known = new Map<string, string>()
  return pattern.replace(/%(.?)/gsu, (whole, name: string) => {
    if (name === '') throw new FormatError('premature end of format string')
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw new FormatError(`unrecognized specifier in format string: ${whole}`)
    const value = known.get(name) ?? field()
    known.set(name, value)
    return value
  })
}
