import { readAll } from '../blockSize.js'
import type { CidEncoder } from '../cid/cidFormat.js'
import { FileNetworkError, RequestError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import type { Upload } from './upload.js'

/** The types of option values, by their names in go-ipfs-cmds. */
export interface OptionTypes {
  bool: boolean
  int: number
  int64: number
  uint: number
  uint64: bigint
  string: string
  strings: string[]
}

/** An option of a command, as data: query parsing and the guide's table come from it. */
export interface OptionSpec {
  type: keyof OptionTypes
  aliases?: readonly string[]
  default?: OptionTypes[keyof OptionTypes]
  /** Whether it is one of the parent operation, with which `commands` lists it. */
  inherited?: boolean
  description: string
}

/** The options of a command, by the name on the wire. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** The values of options: undefined where none was given and there is no default. */
export type OptionValues<O extends OptionSpecs> = {
  [K in keyof O]:
    OptionTypes[O[K]['type']] | (O[K] extends { default: OptionTypes[keyof OptionTypes] } ? never : undefined)
}

/** A positional argument: a text in `arg`, or a file in the body. */
export interface ArgumentSpec {
  name: string
  kind: 'string' | 'file'
  required: boolean
  variadic: boolean
  description: string
}

/** A request whose query has been read. */
export interface CommandInput<O extends OptionSpecs> {
  args: string[]
  options: OptionValues<O>
  /** The files of a multipart body; without any when there was no such body. */
  upload: Upload
  encodeCid: CidEncoder
  /** The base that the request asked for. */
  cidBase: string | undefined
  /** Ends when the client goes away or the time it allowed is over. */
  signal: AbortSignal
  /** What the request says of `offline`. There is no network in any case. */
  offline: boolean | undefined
  /** Whether a failure for want of a block is held back until the time that the request allows is over. */
  waitsForBlocks: boolean
}

/** An operation of the file network. */
export interface Command<O extends OptionSpecs = OptionSpecs> {
  description: string
  arguments: readonly ArgumentSpec[]
  options: O
  run(input: CommandInput<O>, network: NetworkContext): Promise<Output> | Output
  /**
   * A value of the answer as `encoding=text` has it, its line ends included: in one piece, or in several where it may be
   * long. Without it the text is the value in JSON: Kubo has no form either, and sends what Go prints of a structure.
   *
   * @throws {@link FileNetworkError} for a value that tells of a failure
   */
  text?(value: never, input: TextInput<O>): string | Iterable<string>
}

/** What the text of a value depends on. */
export type TextInput<O extends OptionSpecs = OptionSpecs> = Pick<
  CommandInput<O>,
  'args' | 'options' | 'encodeCid' | 'cidBase'
>

/** Declares a command, so that the types of its options follow from their declaration. */
export function defineCommand<const O extends OptionSpecs>(command: Command<O>): Command<O> {
  return command
}

/** A path argument, required. */
export function pathArgument(name: string, description: string): ArgumentSpec {
  return { name, kind: 'string', required: true, variadic: false, description }
}

/** One or more path arguments. */
export function pathArguments(name: string, description: string): ArgumentSpec {
  return { name, kind: 'string', required: true, variadic: true, description }
}

/** A text argument that may be left out. */
export function optionalArgument(name: string, description: string): ArgumentSpec {
  return { name, kind: 'string', required: false, variadic: false, description }
}

/** Any number of text arguments. */
export function optionalArguments(name: string, description: string): ArgumentSpec {
  return { name, kind: 'string', required: false, variadic: true, description }
}

/** One file in the body. */
export function fileArgument(name: string, description: string): ArgumentSpec {
  return { name, kind: 'file', required: true, variadic: false, description }
}

/** One or more files in the body. */
export function fileArguments(name: string, description: string): ArgumentSpec {
  return { name, kind: 'file', required: true, variadic: true, description }
}

/** What a command answers with. */
export type Output =
  | { kind: 'single'; value: unknown }
  | { kind: 'values'; values: AsyncIterable<unknown> }
  | { kind: 'valueGroups'; groups: AsyncIterable<readonly unknown[]> }
  | {
      kind: 'bytes'
      bytes: AsyncIterable<Uint8Array>
      contentType: string
      length?: number | undefined
      /** Whether the memory of a piece is reused for the next one, so that it is valid only until that is asked for. */
      reusesBuffer?: boolean | undefined
    }

/** One JSON value. A map in it is written as an object. */
export function single(value: unknown): Output {
  return { kind: 'single', value }
}

/** JSON values, a line each, sent as they come. */
export function values(source: AsyncIterable<unknown>): Output {
  return { kind: 'values', values: source }
}

/** JSON values, a line each; those of a group, which is never empty, are sent as one piece. */
export function valueGroups(groups: AsyncIterable<readonly unknown[]>): Output {
  return { kind: 'valueGroups', groups }
}

/** The same values, each known already. */
export function valuesOf(...known: unknown[]): Output {
  return values(
    (async function* () {
      yield* known
    })(),
  )
}

/** No value at all. */
export function nothing(): Output {
  return valuesOf()
}

/** A stream of bytes, as plain text unless said otherwise. */
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

/** Options that every command has (go-ipfs-cmds, `cmds.go`; Kubo, `root.go`). */
export const globalOptions = {
  timeout: { type: 'string', description: 'Time after which the command is given up, as a Go duration.' },
  'cid-base': {
    type: 'string',
    description: 'Multibase of CIDs in the answer; all but base58btc turn version 0 into 1.',
  },
  offline: { type: 'bool', description: 'Fail at once where a block is missing, whatever `timeout` says.' },
  'stream-channels': { type: 'bool', aliases: [], description: 'Send values as they come; always so.' },
  encoding: { type: 'string', aliases: ['enc'], description: 'Encoding of the answer: json or text.' },
} as const satisfies OptionSpecs

/** A query that has been read: options by their main names, arguments in order. */
export interface ParsedQuery {
  args: string[]
  options: Record<string, OptionTypes[keyof OptionTypes] | undefined>
}

/**
 * Reads a query string by a command's declaration, in the order and with the texts of go-ipfs-cmds.
 *
 * @throws {@link RequestError}
 */
export function parseQuery(query: URLSearchParams, command: { options: OptionSpecs }): ParsedQuery {
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
 * Refuses an option that is given twice, which is the first thing that is looked for.
 *
 * @throws {@link RequestError}
 */
export function checkSingleValues(query: URLSearchParams, command: { options: OptionSpecs }): void {
  collectOptions(query, { ...globalOptions, ...command.options })
}

function collectOptions(query: URLSearchParams, specs: OptionSpecs): Map<string, string[]> {
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
  const shown = text === '' ? 'empty value' : `value "${text}"`
  throw new RequestError(`could not convert ${shown} to type "${spec.type}" (for option "-${name}")`)
}

/** `int` and `uint` have 32 bits, whatever the machine (go-ipfs-cmds, `option.go`). */
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
  // An unsigned number has no sign (Go, `strconv.ParseUint`).
  const number = type.startsWith('uint') && text.startsWith('+') ? undefined : parseGoInteger(text)
  const [min, max] = integerLimits[type]
  if (number === undefined || number < min || number > max) return undefined
  return type === 'uint64' ? number : Number(number)
}

function parseBool(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  if (['', '1', 't', 'true'].includes(lower)) return true
  return ['0', 'f', 'false'].includes(lower) ? false : undefined
}

/** An integer in Go's notation: decimal, `0x…`, `0b…`, `0o…` or with a leading 0 octal, `_` between digits. */
function parseGoInteger(text: string): bigint | undefined {
  const match =
    /^([+-]?)(0x(?:_?[0-9a-f])+|0b(?:_?[01])+|0o(?:_?[0-7])+|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/i.exec(text)
  const digits = match?.[2]?.replaceAll('_', '')
  if (match === null || digits === undefined) return undefined
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return match[1] === '-' ? -value : value
}

/**
 * The content of the only file of a request.
 *
 * @throws {@link FileNetworkError} for a directory or a symlink, or more bytes than the limit
 */
export async function readFileArgument(
  upload: Upload,
  limit: number,
  refusal = 'expected a regular file',
): Promise<Uint8Array> {
  for await (const entry of upload.entries()) {
    if (entry.kind !== 'file') break
    return readAll(entry.content, limit)
  }
  throw new FileNetworkError(refusal)
}

/** The longest body of arguments, in bytes. */
const bodyLimit = 1024 * 1024

/**
 * The arguments of a request: those of the query, and those that the first file of the body has, a line each, as
 * command lines send them that read arguments from standard input (go-ipfs-cmds, `command.go`, `arguments.go`).
 *
 * @throws {@link RequestError} when a required one is missing
 */
export async function readArguments(
  given: string[],
  specs: readonly ArgumentSpec[],
  upload: Upload,
): Promise<string[]> {
  const takesFiles = specs.some((spec) => spec.kind === 'file')
  const args = takesFiles || !upload.present ? given : [...given, ...(await readLines(upload))]
  const missing = specs.filter((spec) => spec.kind === 'string' && spec.required)[args.length]
  if (missing) throw new RequestError(`argument "${missing.name}" is required`)
  return args
}

async function readLines(upload: Upload): Promise<string[]> {
  for await (const entry of upload.entries()) {
    if (entry.kind !== 'file') return []
    const text = Buffer.from(await readAll(entry.content, bodyLimit)).toString()
    return text.split(/\r?\n/).filter((line) => line !== '')
  }
  return []
}

/** The micro sign and the Greek letter, which look the same, both name microseconds (Go, `time.ParseDuration`). */
const unitsInNanoseconds = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])
/** The longest duration: what 64 bits of nanoseconds hold. */
const longestNanoseconds = 2n ** 63n - 1n
/** Decimal digits of that. */
const mostDigits = 19

/**
 * A Go duration such as `1m30s` or `250ms` in nanoseconds.
 *
 * @param prefix - what the text of an error begins with
 * @throws {@link FileNetworkError} with Go's text
 */
export function parseGoNanoseconds(text: string, prefix = ''): bigint {
  const fail = (problem: string): FileNetworkError =>
    new FileNetworkError(`${prefix}time: ${problem} duration ${quoteBytes(text)}`)
  const isNegative = text.startsWith('-')
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0n
  if (rest === '') throw fail('invalid')
  let nanoseconds = 0n
  while (rest !== '') {
    const [matched, whole = '', fraction = '', unit = ''] =
      /^(?=\.?\d)(\d*)(?:\.(\d*))?([^.\d]*)/.exec(rest) ?? []
    if (matched === undefined) throw fail('invalid')
    if (unit === '') throw fail('missing unit in')
    const factor = unitsInNanoseconds.get(unit)
    if (factor === undefined) throw fail(`unknown unit ${quoteBytes(unit)} in`)
    const digits = whole.replace(/^0+/, '')
    if (digits.length > mostDigits) throw fail('invalid')
    const part = Number(fraction.slice(0, mostDigits - 1))
    nanoseconds +=
      BigInt(digits) * factor +
      BigInt(Math.trunc(part * (Number(factor) / 10 ** Math.min(fraction.length, mostDigits - 1))))
    if (nanoseconds > longestNanoseconds + (isNegative ? 1n : 0n)) throw fail('invalid')
    rest = rest.slice(matched.length)
  }
  return isNegative ? -nanoseconds : nanoseconds
}

/**
 * The same in milliseconds.
 *
 * @throws {@link FileNetworkError} with Go's text
 */
export function parseGoDuration(text: string, prefix = ''): number {
  return Number(parseGoNanoseconds(text, prefix)) / 1e6
}

/** Text in quotes as the package `time` of Go writes it: what is not printable ASCII byte by byte. */
function quoteBytes(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`
    const character = String.fromCharCode(byte)
    return character === '"' || character === '\\' ? `\\${character}` : character
  })
  return `"${escaped.join('')}"`
}
