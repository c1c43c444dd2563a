import { CID } from 'multiformats/cid'
import { keysOf } from '../../encoding/jsonKeys.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { withReplacements } from '../../encoding/byteText.js'
import { UnsupportedNumberError, WholeFloat } from './float.js'

/** Values encoded between two yields. */
const VALUES_AT_ONCE = 512

/**
 * Encodes plain JSON like go-ipld-prime: one value per line, indented by tabs, with a newline after a list or map.
 *
 * @throws {@link FileNetworkError} for links and bytes, which plain JSON cannot represent
 */
export function* encodePrettyJson(value: unknown): Steps<Uint8Array> {
  const texts: string[] = []
  let written = 0

  function* write(item: unknown, indent: string): Steps<void> {
    if (++written % VALUES_AT_ONCE === 0) yield
    if (typeof item === 'number' && !Number.isFinite(item)) throw new UnsupportedNumberError(item)
    if (typeof item !== 'object' || item === null || item instanceof WholeFloat) {
      texts.push(textOf(item))
      return
    }
    if (item instanceof Uint8Array) throw new FileNetworkError('cannot marshal IPLD bytes to this codec')
    if (CID.asCID(item) !== null) throw new FileNetworkError('cannot marshal IPLD links to this codec')
    const isList = Array.isArray(item)
    const names = isList ? [...item.keys()] : keysOf(item)
    texts.push(isList ? '[' : '{')
    for (const [index, name] of names.entries()) {
      texts.push(index === 0 ? '' : ',', `\n${indent}\t`)
      if (!isList) texts.push(`${quoted(String(name))}: `)
      yield* write((item as Record<string | number, unknown>)[name], `${indent}\t`)
    }
    if (names.length > 0) texts.push(`\n${indent}`)
    texts.push(isList ? ']' : '}')
  }

  yield* write(value, '')
  const isContainer = texts[0] === '[' || texts[0] === '{'
  return Buffer.from(texts.join('') + (isContainer ? '\n' : ''))
}

function textOf(item: unknown): string {
  if (typeof item === 'bigint') return String(item)
  if (item instanceof WholeFloat) return item.toString()
  return typeof item === 'string' ? quoted(item) : (JSON.stringify(item) ?? 'null')
}

function quoted(text: string): string {
  return withReplacements(JSON.stringify(text))
}
