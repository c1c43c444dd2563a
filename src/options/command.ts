import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { OptionError, flagToVariable } from './kinds.js'
import { type AnyOption, checkValue, checkValues } from './read.js'
import { errorText } from '../encoding/errorText.js'

type Definitions = Readonly<Record<string, AnyOption>>

/** Sources of a command's options. */
export interface CommandSources {
  /** Words after the command. */
  words: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the settings of a command. Flags override environment variables, these the configuration file named by
 * `--config`, and that the defaults.
 *
 * @throws OptionError with one line for the user
 */
export function readCommandSettings(definitions: Definitions, sources: CommandSources) {
  const flags = readFlags(definitions, sources.words)
  const variables = readVariables(definitions, sources.environment)
  const config = flags['config'] ?? variables['config']
  const file = typeof config === 'string' ? readConfigFile(definitions, config) : {}
  return checkValues(definitions, { ...file, ...variables, ...flags }, (name) => name)
}

function readFlags(definitions: Definitions, words: readonly string[]): Record<string, unknown> {
  const byFlag = indexByFlag(definitions)
  const options = Object.fromEntries(
    [...byFlag].map(([flag, [, definition]]) => [
      flag,
      {
        type: definition.kind.valueName === undefined ? ('boolean' as const) : ('string' as const),
        ...(flag.length === 1 && { short: flag }),
      },
    ]),
  )
  const { tokens } = parseArgs({
    args: joinValues(byFlag, words),
    options,
    strict: false,
    tokens: true,
  })
  const values: Record<string, unknown> = {}
  for (const token of tokens) {
    if (token.kind === 'positional') throw new OptionError(`unexpected argument ${token.value} (see --help)`)
    if (token.kind === 'option-terminator') continue
    const [name, definition] = byFlag.get(token.name) ?? refuseFlag(token.rawName)
    if (token.value === undefined && definition.kind.valueName !== undefined) {
      throw new OptionError(`${token.rawName}: expected ${definition.kind.expected}, got nothing`)
    }
    const value = checkValue(definition, definition.kind.fromText(token.value ?? ''), token.rawName)
    const earlier = values[name]
    values[name] = Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value
  }
  return values
}

function refuseFlag(rawName: string): never {
  throw new OptionError(`unknown flag ${rawName} (see --help)`)
}

function indexByFlag(definitions: Definitions): Map<string, [name: string, definition: AnyOption]> {
  return new Map(
    Object.entries(definitions).flatMap(([name, definition]) =>
      [definition.flag, ...(definition.aliases ?? [])].map((flag) => [flag, [name, definition]] as const),
    ) as Iterable<[string, [string, AnyOption]]>,
  )
}

/**
 * Joins flags and values for the parser. Devnet launchers write `--quiet false` for `--quiet=false`; a flag with an
 * optional value gets its default for a missing one.
 */
function joinValues(byFlag: ReadonlyMap<string, [string, AnyOption]>, words: readonly string[]): string[] {
  const joined: string[] = []
  for (const [index, word] of words.entries()) {
    const before = joined.at(-1)
    const kind = before?.startsWith('--') ? byFlag.get(before.slice(2))?.[1].kind : undefined
    const own = word.startsWith('--') ? byFlag.get(word.slice(2))?.[1].kind : undefined
    const next = words[index + 1]
    if (kind?.valueName === undefined && kind !== undefined && /^(true|false)$/.test(word)) {
      joined[joined.length - 1] = `${before}=${word}`
    } else if (own?.bare !== undefined && (next === undefined || next.startsWith('-'))) {
      joined.push(`${word}=${own.bare}`)
    } else joined.push(word)
  }
  return joined
}

function readVariables(
  definitions: Definitions,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(definitions)) {
    const variable = flagToVariable(definition.flag)
    const text = environment[variable]
    if (text === undefined || text === '') continue
    values[name] = checkValue(definition, definition.kind.fromText(text), variable)
  }
  return values
}

function readConfigFile(definitions: Definitions, path: string): Record<string, unknown> {
  const name = basename(path)
  const content = parseJsonFile(path)
  if (!isObject(content)) throw new OptionError(`${name}: expected one JSON object of options`)
  const given = Object.fromEntries(
    Object.entries(definitions).filter(([property]) => Object.hasOwn(content, property)),
  )
  const unknownName = Object.keys(content).find((property) => !Object.hasOwn(definitions, property))
  if (unknownName !== undefined) throw new OptionError(`unknown option ${unknownName} in ${name}`)
  return checkValues(given, content, (property) => `${property} in ${name}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new OptionError(`--config: ${errorText(error)}`)
  }
}
