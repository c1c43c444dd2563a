import type { CidEncoder } from '../cid/cidFormat.js'
import type { NetworkContext } from '../networkContext.js'
import type { Upload } from './upload.js'

/** The types of option values, by their names in go-ipfs-cmds. */
export interface OptionTypes {
  bool: boolean
  int: number
  int64: number
  uint: number
  string: string
  strings: string[]
}

/** An option of a command, as data: query parsing and the guide's table come from it. */
export interface OptionSpec {
  type: keyof OptionTypes
  aliases?: readonly string[]
  default?: OptionTypes[keyof OptionTypes]
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
}

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
      /** Whether each piece is valid only until the next one is asked for. */
      isBorrowed?: boolean | undefined
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

/** No value at all. */
export function nothing(): Output {
  return { kind: 'values', values: noValues() }
}

async function* noValues(): AsyncGenerator<never> {}

/** A stream of bytes, as plain text unless said otherwise. */
export function bytes(
  source: AsyncIterable<Uint8Array>,
  options: { contentType?: string; length?: number; isBorrowed?: boolean } = {},
): Output {
  return {
    kind: 'bytes',
    bytes: source,
    contentType: options.contentType ?? 'text/plain',
    length: options.length,
    isBorrowed: options.isBorrowed,
  }
}
