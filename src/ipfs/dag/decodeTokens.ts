import type { DecodeTokenizer } from 'cborg/interface'
import { Type } from 'cborg'
import { rememberNames } from '../../encoding/memberNames.js'
import type { Pieces } from '../../encoding/timeSlice.js'

/** How the library begins what it says of data that it cannot decode. */
const FAULT = 'CBOR decode error:'
/** The tag of links. */
const LINK_TAG = 42
/** Tokens that are read at once. */
const TOKENS_AT_ONCE = 256

/** What stands in the place of a value behind the last token. */
const DONE = Symbol('done')
/** What stands in the place of a value at the end of a list or map that did not say how many it has. */
const BREAK = Symbol('break')

/**
 * The value that tokens stand for, as cborg's decoder makes it of them under the options of the IPLD codecs, but in
 * pieces: the library gives whole values only.
 *
 * @param length - bytes that the tokens come from
 * @param linkOf - makes a link of what stands behind its tag
 * @throws Error in the words of the library
 */
export function* decodeTokens(
  tokenizer: DecodeTokenizer,
  length: number,
  linkOf: (content: unknown) => unknown,
): Pieces<unknown> {
  const value = yield* new ValueReader(tokenizer, linkOf).read()
  if (value === DONE) throw new Error(`${FAULT} did not find any content to decode`)
  if (value === BREAK) throw new Error(`${FAULT} got unexpected break`)
  if (tokenizer.pos() < length) throw new Error(`${FAULT} too many terminals, data makes no sense`)
  return value
}

class ValueReader {
  readonly #tokenizer: DecodeTokenizer
  readonly #linkOf: (content: unknown) => unknown
  #tokens = 0

  constructor(tokenizer: DecodeTokenizer, linkOf: (content: unknown) => unknown) {
    this.#tokenizer = tokenizer
    this.#linkOf = linkOf
  }

  *read(): Pieces<unknown> {
    if (this.#tokenizer.done()) return DONE
    const { type, value } = this.#tokenizer.next()
    if (++this.#tokens % TOKENS_AT_ONCE === 0) yield
    if (Type.equals(type, Type.break)) return BREAK
    if (type.terminal) return value
    if (Type.equals(type, Type.array)) return yield* this.#readArray(value as number)
    if (Type.equals(type, Type.map)) return yield* this.#readMap(value as number)
    if (value === LINK_TAG) return yield* this.#readLink()
    throw new Error(`${FAULT} tag not supported (${value})`)
  }

  /** @param length - infinite where a break ends it */
  *#readArray(length: number): Pieces<unknown[]> {
    const values: unknown[] = []
    while (values.length < length) {
      const value = yield* this.read()
      if (value === BREAK) {
        if (length === Infinity) break
        throw new Error(`${FAULT} got unexpected break to lengthed array`)
      }
      if (value === DONE) {
        throw new Error(
          `${FAULT} found array but not enough entries (got ${values.length}, expected ${length})`,
        )
      }
      values.push(value)
    }
    return values
  }

  /** @param length - infinite where a break ends it */
  *#readMap(length: number): Pieces<object> {
    const members: Record<string, unknown> = {}
    const names: string[] = []
    for (let index = 0; index < length; index++) {
      const key = yield* this.read()
      if (key === BREAK) {
        if (length === Infinity) break
        throw new Error(`${FAULT} got unexpected break to lengthed map`)
      }
      if (key === DONE) throw tooFew('key', index, length)
      if (typeof key !== 'string') {
        throw new Error(`${FAULT} non-string keys not supported (got ${typeof key})`)
      }
      if (Object.hasOwn(members, key)) throw new Error(`${FAULT} found repeat map key "${key}"`)
      names.push(key)
      const value = yield* this.read()
      if (value === DONE) throw tooFew('value', index, length)
      if (key === '__proto__') {
        Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true })
      } else members[key] = value
    }
    rememberNames(members, names)
    return members
  }

  *#readLink(): Pieces<unknown> {
    const content = yield* this.read()
    if (content === DONE) throw new Error(`${FAULT} tag content missing`)
    if (content === BREAK) throw new Error(`${FAULT} got unexpected break in tag content`)
    return this.#linkOf(content)
  }
}

function tooFew(missing: 'key' | 'value', found: number, length: number): Error {
  return new Error(
    `${FAULT} found map but not enough entries (got ${found} [no ${missing}], expected ${length})`,
  )
}
