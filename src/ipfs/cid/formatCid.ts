import { bases } from 'multiformats/basics'
import type { CID } from 'multiformats/cid'
import { codecName } from '../dag/codecs.js'
import { FileNetworkError } from '../errors.js'
import { multibaseByName } from './cidEncoder.js'
import { hashNameByCode } from './hashFunctions.js'

/** The name of the base that a CID's text is written in. */
export function baseNameOf(text: string): string {
  if (text.length === 46 && text.startsWith('Qm')) return 'base58btc'
  return Object.values(bases).find((base) => text.startsWith(base.prefix))?.name ?? 'base32'
}

/**
 * A CID by a pattern of `%` codes, such as `%s` for the CID itself or `%P` for its prefix
 * (go-cidutil, `format.go`).
 *
 * @throws {@link FileNetworkError} for a code that does not exist
 */
export function formatCid(pattern: string, cid: CID, baseName: string): string {
  const base = multibaseByName(baseName)
  const withoutPrefix = (bytes: Uint8Array): string => base.encoder.encode(bytes).slice(base.prefix.length)
  const text = cid.version === 0 && baseName === 'base58btc' ? cid.toString() : base.encoder.encode(cid.bytes)
  const { code, size, digest } = cid.multihash
  const codec = codecName(cid.code) ?? `codec?${cid.code}`
  const hash = hashNameByCode(code) ?? `multihash?${code}`

  const fields: Record<string, () => string> = {
    '%': () => '%',
    b: () => base.name,
    B: () => base.prefix,
    v: () => `cidv${cid.version}`,
    V: () => String(cid.version),
    c: () => codec,
    C: () => String(cid.code),
    h: () => hash,
    H: () => String(code),
    L: () => String(size),
    m: () => base.encoder.encode(cid.multihash.bytes),
    M: () => withoutPrefix(cid.multihash.bytes),
    d: () => base.encoder.encode(digest),
    D: () => withoutPrefix(digest),
    s: () => text,
    S: () => withoutPrefix(cid.bytes),
    P: () => `cidv${cid.version}-${codec}-${hash}-${size}`,
  }
  return pattern.replace(/%(.?)/gsu, (whole, name: string) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw new FileNetworkError(`unrecognized specifier in format string: ${whole}`)
    return field()
  })
}
