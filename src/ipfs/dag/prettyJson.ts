import { CID } from 'multiformats/cid'
import { joinInSteps } from '../../encoding/hex.js'
import { keysOf } from '../../encoding/jsonKeys.js'
import { STRING_AT_ONCE, longString } from '../../encoding/jsonWriter.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { withReplacements } from '../../encoding/byteText.js'
import { UnsupportedNumberError, WholeFloat } from './float.js'

/** Values encoded between two yields. */
const VALUES_AT_ONCE = 512
/** Characters joined at once. */
const CHARACTERS_AT_ONCE = 65_536
/** Maximum number of characters: a thousand levels of a few bytes indent each value below by a thousand tabs. */
const MAX_CHARACTERS = 64 * 2 ** 20

/** Text that is encoded as soon as there is enough of it. */
class EncodedText {
  readonly parts: Uint8Array[] = []
  #texts: string[] = []
  #waiting = 0
  #length = 0

  /** @throws {@link FileNetworkError} if there is too much */
  add(...texts: string[]): void {
    for (const text of texts) this.#waiting += text.length
    this.#texts.push(...texts)
    if (this.#waiting >= CHARACTERS_AT_ONCE) this.flush()
  }

  flush(): void {
    this.#length += this.#waiting
    if (this.#length > MAX_CHARACTERS) {
      throw new FileNetworkError(`JSON of more than ${MAX_CHARACTERS} characters`)
    }
    this.parts.push(Buffer.from(this.#texts.join('')))
    this.#texts = []
    this.#waiting = 0
  }
}

/**
 * Encodes plain JSON like go-ipld-prime: one value per line, indented by tabs, with a newline after a list or map.
 *
 * @throws {@link FileNetworkError} for links and bytes, which plain JSON cannot represent
 */
export function* encodePrettyJson(value: unknown): Steps<Uint8Array> {
  const text = new EncodedText()
  let written = 0

  function* write(item: unknown, indent: string): Steps<void> {
    if (++written % VALUES_AT_ONCE === 0) yield
    if (typeof item === 'number' && !Number.isFinite(item)) throw new UnsupportedNumberError(item)
    if (typeof item === 'string') {
      yield* writeString(item)
      return
    }
    if (typeof item !== 'object' || item === null || item instanceof WholeFloat) {
      text.add(textOf(item))
      return
    }
    if (item instanceof Uint8Array) throw new FileNetworkError('cannot marshal IPLD bytes to this codec')
    if (CID.asCID(item) !== null) throw new FileNetworkError('cannot marshal IPLD links to this codec')
    const names = Array.isArray(item) ? undefined : keysOf(item)
    const { length } = names ?? (item as unknown[])
    text.add(names === undefined ? '[' : '{')
    for (let index = 0; index < length; index++) {
      text.add(index === 0 ? '' : ',', `\n${indent}\t`)
      const name = names?.[index]
      if (name !== undefined) {
        yield* writeString(name)
        text.add(': ')
      }
      yield* write((item as Readonly<Record<string | number, unknown>>)[name ?? index], `${indent}\t`)
    }
    if (length > 0) text.add(`\n${indent}`)
    text.add(names === undefined ? ']' : '}')
  }

  function* writeString(string: string): Steps<void> {
    if (string.length <= STRING_AT_ONCE) {
      text.add(withReplacements(JSON.stringify(string)))
      return
    }
    for (const part of longString(string)) {
      text.add(withReplacements(part))
      yield
    }
  }

  yield* write(value, '')
  if (isContainer(value)) text.add('\n')
  text.flush()
  return yield* joinInSteps(text.parts)
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof WholeFloat)
}

function textOf(item: unknown): string {
  if (typeof item === 'bigint') return String(item)
  return item instanceof WholeFloat ? item.toString() : (JSON.stringify(item) ?? 'null')
}
