import { rememberKeys } from '../../encoding/jsonKeys.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { type DataToken, DemandingError, type TokenSource } from './dataTokens.js'
import { WholeFloat } from './float.js'
import { goQuote } from '../text/goQuote.js'

/** Tokens decoded between two yields; this many units of cost count as another token. */
const TOKENS_AT_ONCE = 256
const COST_LIKE_A_TOKEN = 256
/** Maximum nesting of lists and maps (go-ipld-prime, `defaultMaxDepth`). */
const DEEPEST = 1024
/**
 * Maximum number of values, and of lists and maps among them: one takes up to two hundred bytes of memory, and V8
 * copies a list that grows. The largest block that Kubo exchanges has no more values than that.
 */
const MAX_VALUES = 2 * 2 ** 20
const MAX_CONTAINERS = 2 ** 20
/** Maximum number of entries of a map: the engine copies the table of a larger one in one step. */
const MAX_ENTRIES = 2 ** 17
/** Costs of a list and a map entry in addition to their contents (go-ipld-prime, `dagcbor`). */
const LIST_ENTRY_COST = 4
const MAP_ENTRY_COST = 8

/**
 * Decodes tokens to a value, incrementally.
 *
 * @throws {@link FileNetworkError} with go-ipld-prime's messages, or if there are too many values
 */
export function* decodeTokens(source: TokenSource): Steps<unknown> {
  const value = yield* new ValueReader(source).read()
  source.finish()
  return value
}

class ValueReader {
  readonly #source: TokenSource
  #budget: number
  /** Tokens since the last yield. */
  #tokens = 0
  #values = 0
  #containers = 0

  constructor(source: TokenSource) {
    this.#source = source
    this.#budget = source.budget
  }

  *read(): Steps<unknown> {
    return yield* this.#valueOf(this.#source.next('value'), 0)
  }

  *#valueOf(token: DataToken, depth: number): Steps<unknown> {
    if (++this.#tokens >= TOKENS_AT_ONCE) {
      this.#tokens = 0
      yield
    }
    if (++this.#values > MAX_VALUES) throw new FileNetworkError(`more than ${MAX_VALUES} values`)
    switch (token.kind) {
      case 'map open':
        return yield* this.#readMap(this.#begin(token.length, depth), depth)
      case 'array open':
        return yield* this.#readArray(this.#begin(token.length, depth), depth)
      case 'map close':
        throw new FileNetworkError('unexpected mapClose token')
      case 'array close':
        throw new FileNetworkError('unexpected arrClose token')
      case 'break':
        throw new FileNetworkError('Invalid majorByte: 0xff')
      case 'float':
        this.#spend(1)
        return floatOf(token.value as number)
      default:
        this.#spend(costOf(token))
        return token.value
    }
  }

  /** Checks that a list or map may begin here, and returns its length. */
  #begin(length: number, depth: number): number {
    if (depth >= DEEPEST) throw new FileNetworkError('message structure exceeded maximum nesting depth')
    if (length !== Infinity) this.#spend(length)
    if (++this.#containers > MAX_CONTAINERS) {
      throw new FileNetworkError(`more than ${MAX_CONTAINERS} lists and maps`)
    }
    return length
  }

  #spend(cost: number): void {
    this.#budget -= cost
    this.#tokens += cost / COST_LIKE_A_TOKEN
    if (this.#budget >= 0) return
    throw new DemandingError()
  }

  /** @param length - infinite if a token ends the list */
  *#readArray(length: number, depth: number): Steps<unknown[]> {
    const values: unknown[] = []
    while (values.length < length) {
      const token = this.#source.next('entry')
      if (length === Infinity && (token.kind === 'array close' || token.kind === 'break')) break
      this.#spend(LIST_ENTRY_COST)
      values.push(yield* this.#valueOf(token, depth + 1))
    }
    return values
  }

  /** @param length - infinite if a token ends the map */
  *#readMap(length: number, depth: number): Steps<object> {
    const members: Record<string, unknown> = {}
    const names: string[] = []
    while (names.length < length) {
      const token = this.#source.next('entry')
      if (length === Infinity && (token.kind === 'map close' || token.kind === 'break')) break
      const key = this.#keyOf(token)
      if (Object.hasOwn(members, key)) {
        throw new FileNetworkError(`cannot repeat map key ${goQuote(key)}`)
      }
      if (names.push(key) > MAX_ENTRIES) {
        throw new FileNetworkError(`a map of more than ${MAX_ENTRIES} entries`)
      }
      const value = yield* this.#valueOf(this.#memberToken(length), depth + 1)
      if (key === '__proto__') {
        Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true })
      } else members[key] = value
    }
    rememberKeys(members, names)
    return members
  }

  #memberToken(length: number): DataToken {
    const token = this.#source.next('value')
    if (token.kind === 'break' && length === Infinity) {
      throw new FileNetworkError('unexpected break; expected value in indefinite-length map')
    }
    return token
  }

  #keyOf(token: DataToken): string {
    if (token.kind === 'break') throw new FileNetworkError('Invalid majorByte: 0xff')
    if (token.kind !== 'string') {
      throw new FileNetworkError(`unexpected ${kindOfKey(token)} token while expecting map key`)
    }
    const key = token.value as string
    this.#spend(key.length + MAP_ENTRY_COST)
    return key
  }
}

/** Names the kind of a key for errors. Only CBOR can have a link as a key, and there it is bytes. */
function kindOfKey({ kind }: DataToken): string {
  return kind === 'link' ? 'bytes' : kind
}

function costOf({ kind, value }: Extract<DataToken, { value: unknown }>): number {
  if (kind === 'null') return 0
  if (kind === 'string' || kind === 'bytes') return (value as string | Uint8Array).length
  return 1
}

function floatOf(value: number): number | WholeFloat {
  return Number.isInteger(value) ? new WholeFloat(value) : value
}
