import { RequestError } from '../errors.js'
import { readAll } from '../blockSize.js'
import type { ArgumentSpec, OptionSpec, OptionSpecs, OptionTypes } from './command.js'
import type { Upload } from './upload.js'

/** Options that every command has (go-ipfs-cmds, `cmds.go`; Kubo, `root.go`). */
export const globalOptions = {
  timeout: { type: 'string', description: 'Time after which the command is given up, as a Go duration.' },
  'cid-base': {
    type: 'string',
    description: 'Multibase of CIDs in the answer; all but base58btc turn version 0 into 1.',
  },
  offline: { type: 'bool', description: 'Fail at once where a block is missing, whatever `timeout` says.' },
  'stream-channels': { type: 'bool', aliases: [], description: 'Send values as they come; always so.' },
  encoding: { type: 'string', aliases: ['enc'], description: 'Encoding of the answer; JSON in any case.' },
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
} as const

function parseValue(type: keyof OptionTypes, text: string): boolean | number | string | undefined {
  if (type === 'string') return text
  if (type === 'bool') return parseBool(text)
  if (type === 'strings') return undefined
  const number = parseGoInteger(text)
  const [min, max] = integerLimits[type]
  return number !== undefined && number >= min && number <= max ? Number(number) : undefined
}

function parseBool(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  if (['', '1', 't', 'true'].includes(lower)) return true
  return ['0', 'f', 'false'].includes(lower) ? false : undefined
}

/** An integer in Go's notation: decimal, `0x…`, `0b…`, `0o…` or with a leading 0 octal. */
function parseGoInteger(text: string): bigint | undefined {
  const match = /^([+-]?)(0x[0-9a-f]+|0b[01]+|0o?[0-7]+|0|[1-9]\d*)$/i.exec(text)
  const digits = match?.[2]
  if (match === null || digits === undefined) return undefined
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return match[1] === '-' ? -value : value
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
const unitsInMilliseconds = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

const unit = [...unitsInMilliseconds.keys()].join('|')
const duration = new RegExp(`^([+-]?)(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:${unit}))+$`)

/** A Go duration such as `1m30s` or `250ms` in milliseconds; undefined when it is none. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0
  const match = duration.exec(text)
  if (match === null) return undefined
  let milliseconds = 0
  for (const [, amount, name] of text.matchAll(new RegExp(`(\\d+\\.?\\d*|\\.\\d+)(${unit})`, 'g'))) {
    milliseconds += Number(amount) * (unitsInMilliseconds.get(name ?? '') ?? 0)
  }
  return match[1] === '-' ? -milliseconds : milliseconds
}
