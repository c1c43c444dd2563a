import { Token, Type } from 'cborg'
import { Tokenizer } from 'cborg/json'
import { base64 } from 'multiformats/bases/base64'
import { latin1 } from '../../encoding/nativeText.js'

const QUOTE = 0x22
/** Characters of a string that the library reads one by one. */
const LONG_STRING = 65_536
/** Characters of ASCII that stand for themselves. */
const plainText = /^[ -!#-[\]-~]*$/

/**
 * The tokens of DAG-JSON: what stands for links and bytes there becomes a tag and a string, or bytes. `@ipld/dag-json`
 * has the same for itself alone.
 */
export class DagJsonTokenizer extends Tokenizer {
  /** Tokens that were looked at and are still to come, the next one last. */
  readonly #ahead: Token[] = []

  constructor(data: Uint8Array) {
    super(data, { allowBigInt: true })
  }

  override done(): boolean {
    return this.#ahead.length === 0 && super.done()
  }

  override next(): Token {
    const token = this.#take()
    if (!Type.equals(token.type, Type.map)) return token
    const key = this.#take()
    if (isString(key) && key.value === '/') {
      const value = this.#take()
      const special = isString(value) ? this.#link(value) : this.#bytes(value)
      if (special !== undefined) return special
      this.#ahead.push(value)
    }
    this.#ahead.push(key)
    return token
  }

  /** A long string is mostly plain text: the library goes through it character by character, half a second for 20 MB. */
  override parseString(): Token {
    const start = this._pos + 1
    const end = this.data.indexOf(QUOTE, start)
    if (end - start > LONG_STRING) {
      const text = latin1(this.data, start, end)
      if (plainText.test(text)) {
        this._pos = end + 1
        return new Token(Type.string, text, text.length)
      }
    }
    return super.parseString()
  }

  #take(): Token {
    return this.#ahead.pop() ?? super.next()
  }

  #link(text: Token): Token {
    if (!Type.equals(this.#take().type, Type.break)) throw new Error('Invalid encoded CID form')
    this.#ahead.push(text)
    return new Token(Type.tag, 42, 0)
  }

  /** @param map - what stands behind the slash; what belongs to no bytes is put back behind it */
  #bytes(map: Token): Token | undefined {
    if (!Type.equals(map.type, Type.map)) return undefined
    const key = this.#take()
    if (isString(key) && key.value === 'bytes') {
      const text = this.#take()
      if (isString(text)) {
        for (let end = 0; end < 2; end++) {
          if (!Type.equals(this.#take().type, Type.break)) throw new Error('Invalid encoded Bytes form')
        }
        const encoded = text.value as string
        return new Token(Type.bytes, base64.decode(`m${encoded}`), encoded.length)
      }
      this.#ahead.push(text)
    }
    this.#ahead.push(key)
    return undefined
  }
}

function isString(token: Token): boolean {
  return Type.equals(token.type, Type.string)
}
