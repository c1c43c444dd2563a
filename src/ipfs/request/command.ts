import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { readAll } from '../blockSize.js'
import type { CidEncoder } from '../cid/cidFormat.js'
import { FileNetworkError, RequestError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { parseGoInteger } from '../text/goInteger.js'
import { goQuote } from '../text/goQuote.js'
import type { ListingMemory } from './listingMemory.js'
import { type Upload, contentOf, unescapeQuery } from './upload.js'

/** Types of option values, by their names in go-ipfs-cmds. */
export interface OptionTypes {
  bool: boolean
  int: number
  int64: bigint
  uint: number
  uint64: bigint
  string: string
  strings: string[]
}

/** Declaration of an option, from which query parsing and the guide's table are derived. */
export interface OptionSpec {
  type: keyof OptionTypes
  aliases?: readonly string[]
  default?: OptionTypes[keyof OptionTypes]
  /** Whether it is inherited from the parent operation, under which `commands` lists it. */
  inherited?: boolean
  description: string
}

/** The options of a command, by wire name. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** Option values; undefined if not given and without a default. */
export type OptionValues<O extends OptionSpecs> = {
  [K in keyof O]:
    OptionTypes[O[K]['type']] | (O[K] extends { default: OptionTypes[keyof OptionTypes] } ? never : undefined)
}

/** A positional argument: a string in `arg`, or a file in the body. */
export interface ArgumentSpec {
  name: string
  kind: 'string' | 'file'
  required: boolean
  variadic: boolean
  description: string
  fromBody?: BodyLines | undefined
}

/**
 * Which lines of the body are arguments too: those for required arguments that the query lacks, or all of them
 * (go-ipfs-cmds, `EnableStdin`, `ParseBodyArgs`).
 */
export type BodyLines = 'missing' | 'all'

/** A request with its query parsed. */
export interface CommandInput<O extends OptionSpecs> {
  args: string[]
  options: OptionValues<O>
  /** Files of the multipart body; empty if there is none. */
  upload: Upload
  encodeCid: CidEncoder
  /** Counts the entries of an answer that is not streamed. */
  memory: ListingMemory
  /** The requested CID base. */
  cidBase: string | undefined
  /** Aborted when the client disconnects or the request's timeout expires. */
  signal: AbortSignal
  /** The request's `offline` option. There is no network either way. */
  offline: boolean | undefined
  /** Whether a failure for a missing block is delayed until the request's timeout. */
  waitsForBlocks: boolean
}

/** An operation of the file network. */
export interface Command<O extends OptionSpecs = OptionSpecs> {
  description: string
  arguments: readonly ArgumentSpec[]
  options: O
  /** Whether it only has operations below it, so that a path to it takes no argument. */
  isGroup?: boolean
  run(input: CommandInput<O>, network: NetworkContext): Awaitable<Output>
  /**
   * Formats a value of the answer for `encoding=text`, line ends included: as one string, or in pieces if it may be
   * long. By default the text is the value's JSON, where Kubo prints a Go structure.
   *
   * @throws {@link FileNetworkError} for a value that reports a failure
   */
  text?(value: never, input: TextInput<O>): string | Iterable<string>
}

/** What the text of a value may depend on. */
export type TextInput<O extends OptionSpecs = OptionSpecs> = Pick<
  CommandInput<O>,
  'args' | 'options' | 'encodeCid' | 'cidBase'
>

/** Declares a command, inferring the types of its options. */
export function defineCommand<const O extends OptionSpecs>(command: Command<O>): Command<O> {
  return command
}

/** Declares a required path argument. */
export function pathArgument(name: string, description: string, fromBody?: BodyLines): ArgumentSpec {
  return { name, kind: 'string', required: true, variadic: false, description, fromBody }
}

/** Declares one or more path arguments. */
export function pathArguments(name: string, description: string, fromBody?: BodyLines): ArgumentSpec {
  return { name, kind: 'string', required: true, variadic: true, description, fromBody }
}

/** Declares an optional string argument. */
export function optionalArgument(name: string, description: string): ArgumentSpec {
  return { name, kind: 'string', required: false, variadic: false, description }
}

/** Declares any number of string arguments. */
export function optionalArguments(name: string, description: string, fromBody?: BodyLines): ArgumentSpec {
  return { name, kind: 'string', required: false, variadic: true, description, fromBody }
}

/** Declares one file in the body. */
export function fileArgument(name: string, description: string): ArgumentSpec {
  return { name, kind: 'file', required: true, variadic: false, description }
}

/** Declares one or more files in the body. */
export function fileArguments(name: string, description: string): ArgumentSpec {
  return { name, kind: 'file', required: true, variadic: true, description }
}

/** The result of a command. */
export type Output =
  | { kind: 'single'; value: unknown }
  | { kind: 'values'; values: AsyncIterable<unknown> }
  | { kind: 'valueGroups'; groups: AsyncIterable<readonly unknown[]> }
  | {
      kind: 'bytes'
      bytes: AsyncIterable<Uint8Array>
      contentType: string
      length?: number | undefined
      /** Whether the next piece reuses a piece's memory, so that each is valid only until the next is requested. */
      reusesBuffer?: boolean | undefined
    }

/** The fields of an object that has too many for one, in order. Encoded as a JSON object. */
export class Fields<T> {
  readonly list: readonly (readonly [name: string, value: T])[]

  constructor(list: Fields<T>['list']) {
    this.list = list
  }
}

/** Returns one JSON value. */
export function single(value: unknown): Output {
  return { kind: 'single', value }
}

/** Returns JSON values, one per line, sent as they arrive. */
export function values(source: AsyncIterable<unknown>): Output {
  return { kind: 'values', values: source }
}

/** Returns JSON values, one per line; each non-empty group is sent as one chunk. */
export function valueGroups(groups: AsyncIterable<readonly unknown[]>): Output {
  return { kind: 'valueGroups', groups }
}

/** Like {@link values}, for values already known. */
export function valuesOf(...known: unknown[]): Output {
  return values(
    (async function* () {
      yield* known
    })(),
  )
}

/** Returns no value. */
export function nothing(): Output {
  return valuesOf()
}

/** Returns a stream of bytes, plain text by default. */
export function bytes(
  source: AsyncIterable<Uint8Array>,
  options: { contentType?: string; length?: number; reusesBuffer?: boolean } = {},
): Output {
  return {
    kind: 'bytes',
    bytes: source,
    contentType: options.contentType ?? 'text/plain',
    length: options.length,
    reusesBuffer: options.reusesBuffer,
  }
}

/** Options of every command (go-ipfs-cmds, `cmds.go`; Kubo, `root.go`). */
export const globalOptions = {
  timeout: { type: 'string', description: 'Timeout of the command, as a Go duration.' },
  'cid-base': {
    type: 'string',
    description: 'Multibase of the CIDs in the answer; any but base58btc converts CIDv0 to CIDv1.',
  },
  offline: { type: 'bool', description: 'Fail immediately if a block is missing, regardless of `timeout`.' },
  'stream-channels': {
    type: 'bool',
    aliases: [],
    description: 'Stream values as they become available; always on.',
  },
  encoding: { type: 'string', aliases: ['enc'], description: 'Encoding of the answer: json or text.' },
  'upgrade-cidv0-in-output': {
    type: 'bool',
    aliases: [],
    description: 'Whether to convert CIDv0 to CIDv1 in the answer, regardless of `cid-base`.',
  },
  local: { type: 'bool', aliases: ['L'], description: 'Without effect here; deprecated in Kubo.' },
  debug: { type: 'bool', aliases: ['D'], description: 'Without effect here.' },
  help: { type: 'bool', aliases: [], description: 'Without effect in requests.' },
  h: { type: 'bool', aliases: [], description: 'Without effect in requests.' },
  config: { type: 'string', aliases: ['c'], description: 'Without effect in requests.' },
  'config-file': { type: 'string', aliases: [], description: 'Without effect in requests.' },
  'repo-dir': { type: 'string', aliases: [], description: 'Without effect in requests.' },
  api: { type: 'string', aliases: [], description: 'Without effect in requests.' },
  'api-auth': { type: 'string', aliases: [], description: 'Without effect in requests.' },
} as const satisfies OptionSpecs

/** The parameters of a request, in order. */
export type RequestQuery = Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'size'> &
  Iterable<[string, string]> & { keys(): Iterable<string> }

/** A query string as Go parses it. Bytes that are not UTF-8 are kept (see byteText.ts). */
export class GoQuery implements RequestQuery {
  readonly #pairs: readonly [string, string][]

  constructor(pairs: readonly [string, string][]) {
    this.#pairs = pairs
  }

  /** Parses a query string, ignoring pairs with a semicolon or a malformed escape (`url.ParseQuery`). */
  static parse(search: string): GoQuery {
    const pairs: [string, string][] = []
    for (const pair of search.replace(/^\?/, '').split('&')) {
      if (pair === '' || pair.includes(';')) continue
      const equals = pair.indexOf('=')
      const name = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals))
      const value = unescapeQuery(equals < 0 ? '' : pair.slice(equals + 1))
      if (name !== undefined && value !== undefined) pairs.push([name, value])
    }
    return new GoQuery(pairs)
  }

  get size(): number {
    return this.#pairs.length
  }

  get(name: string): string | null {
    return this.getAll(name)[0] ?? null
  }

  getAll(name: string): string[] {
    return this.#pairs.filter(([given]) => given === name).map(([, value]) => value)
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  keys(): string[] {
    return this.#pairs.map(([name]) => name)
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#pairs.values()
  }

  toString(): string {
    return new URLSearchParams([...this.#pairs]).toString()
  }
}

/** A parsed query: options by main name, arguments in order. */
export interface ParsedQuery {
  args: string[]
  options: Record<string, OptionTypes[keyof OptionTypes] | undefined>
}

/**
 * Parses a query string by a command's declaration, in the order and with the messages of go-ipfs-cmds.
 *
 * @throws {@link RequestError}
 */
export function parseQuery(query: RequestQuery, command: { options: OptionSpecs }): ParsedQuery {
  const specs: OptionSpecs = { ...globalOptions, ...command.options }
  const given = collectOptions(query, specs)
  const options: ParsedQuery['options'] = {}
  for (const [name, spec] of Object.entries(specs)) {
    const texts = given.get(name)
    options[name] = texts === undefined ? spec.default : convert(name, spec, texts)
  }
  return { args: query.getAll('arg'), options }
}

/**
 * Rejects an option that is given twice; go-ipfs-cmds checks this first.
 *
 * @throws {@link RequestError}
 */
export function checkSingleValues(query: RequestQuery, command: { options: OptionSpecs }): void {
  collectOptions(query, { ...globalOptions, ...command.options })
}

function collectOptions(query: RequestQuery, specs: OptionSpecs): Map<string, string[]> {
  const names = new Map<string, string>()
  for (const [name, spec] of Object.entries(specs)) {
    for (const known of [name, ...(spec.aliases ?? [])]) names.set(known, name)
  }
  const given = new Map<string, string[]>()
  for (const key of new Set(query.keys())) {
    const name = names.get(key)
    if (name === undefined) continue
    const texts = query.getAll(key)
    if (texts.length > 1 && specs[name]?.type !== 'strings') {
      throw new RequestError(
        `expected key ${name} to have only a single value, received [${texts.join(' ')}]`,
      )
    }
    given.set(name, texts)
  }
  return given
}

function convert(name: string, spec: OptionSpec, texts: string[]): OptionTypes[keyof OptionTypes] {
  if (spec.type === 'strings') return texts
  const [text = ''] = texts
  const value = parseValue(spec.type, text)
  if (value !== undefined) return value
  const shown = text === '' ? 'empty value' : `value ${goQuote(text)}`
  throw new RequestError(`could not convert ${shown} to type "${spec.type}" (for option "-${name}")`)
}

/** Bounds of integer options: `int` and `uint` have 32 bits on any machine (go-ipfs-cmds, `option.go`). */
const integerLimits = {
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
} as const

function parseValue(type: keyof OptionTypes, text: string): boolean | number | bigint | string | undefined {
  if (type === 'string') return text
  if (type === 'bool') return parseBool(text)
  if (type === 'strings') return undefined
  // Unsigned numbers may not have a sign (Go, `strconv.ParseUint`).
  const number = type.startsWith('uint') && text.startsWith('+') ? undefined : parseGoInteger(text)
  const [min, max] = integerLimits[type]
  if (number === undefined || number < min || number > max) return undefined
  return type.endsWith('64') ? number : Number(number)
}

function parseBool(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  if (['', '1', 't', 'true'].includes(lower)) return true
  return ['0', 'f', 'false'].includes(lower) ? false : undefined
}

/**
 * Yields the content of the only file of a request (Kubo, `cmdenv/file.go`).
 *
 * @param prefix - prefix of error messages
 * @throws {@link FileNetworkError} if there is none, or a directory
 */
export async function* fileArgumentContent(upload: Upload, prefix = ''): AsyncGenerator<Uint8Array> {
  yield* await openFileArgument(upload, prefix)
}

/** Finds the only file of a request. @throws {@link FileNetworkError} if there is none, or a directory */
export async function openFileArgument(upload: Upload, prefix = ''): Promise<AsyncIterable<Uint8Array>> {
  const entry = await upload.entries().next()
  if (entry === undefined) throw new FileNetworkError(`${prefix}expected a file argument`)
  const content = contentOf(entry)
  if (content === undefined) throw new FileNetworkError(`${prefix}file argument was nil`)
  return content
}

/**
 * Reads the only file of a request.
 *
 * @throws {@link FileNetworkError} if there is none, or a directory, or a file longer than the limit
 */
export function readFileArgument(upload: Upload, limit: number, prefix?: string): Promise<Uint8Array> {
  return readAll(fileArgumentContent(upload, prefix), limit)
}

/** The longest accepted body of arguments, in bytes. */
const BODY_LIMIT = 1024 * 1024

/**
 * Returns the arguments of a request: those of the query, then lines of the body's first file if the last argument
 * takes them, which is how command lines send arguments from standard input (go-ipfs-cmds, `command.go`,
 * `arguments.go`).
 *
 * @throws {@link RequestError} if a required argument is missing
 */
export async function readArguments(
  given: string[],
  specs: readonly ArgumentSpec[],
  upload: Upload,
): Promise<string[]> {
  const required = specs.filter((spec) => spec.kind === 'string' && spec.required)
  const fromBody = specs.at(-1)?.fromBody
  const args = [...given]
  if (fromBody !== undefined && upload.present) {
    const most = fromBody === 'all' ? Infinity : required.length - given.length
    await runInSlices(addLines(args, await readText(upload), most), new TimeSlice())
  }
  const missing = required[args.length]
  if (missing) throw new RequestError(`argument "${missing.name}" is required`)
  return args
}

async function readText(upload: Upload): Promise<string> {
  const entry = await upload.entries().next()
  const content = entry && contentOf(entry)
  return content === undefined ? '' : Buffer.from(await readAll(content, BODY_LIMIT)).toString()
}

/** Lines split between two yields. */
const LINES_AT_ONCE = 1024

/** Adds the lines of a text, of at most the given number, to arguments. */
function* addLines(args: string[], text: string, most: number): Steps<void> {
  for (let start = 0, added = 0; start < text.length && added < most;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const isBroken = newline > start && text[newline - 1] === '\r'
    args.push(text.slice(start, isBroken ? newline - 1 : end))
    start = end + 1
    if (++added % LINES_AT_ONCE === 0) yield
  }
}
