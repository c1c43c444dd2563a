import { FileNetworkError, errorText } from '../errors.js'
import { parseGoDuration } from '../request/command.js'
import { goJson } from '../request/reply.js'
import { parseByteSize } from './importSettings.js'
import { type JsonObject, type Section, type ValueKind, configurationSchema, isObject } from './schema.js'

/** @throws {@link FileNetworkError} for a key unknown to Kubo, or a value of the wrong type */
export function checkSetting(key: string, value: unknown): void {
  checkValue(findKind(key), value, fieldsOf(key))
}

/** @throws {@link FileNetworkError} for a configuration with a value of the wrong type */
export function checkSection(value: JsonObject): void {
  checkValue(configurationSchema, value, [])
}

/** Drops members that are not settings, and sections that are null. Like Go's decoder, matches names in any case. */
export function knownOf(value: JsonObject): JsonObject {
  return knownBelow(configurationSchema, value) as JsonObject
}

function knownBelow(kind: Section | ValueKind, value: unknown): unknown {
  if (typeof kind === 'string' || !isObject(value)) return value
  const names = new Map(Object.keys(kind).map((name) => [name.toLowerCase(), name]))
  const known: [string, unknown][] = []
  for (const [key, below] of Object.entries(value)) {
    const name = names.get(key.toLowerCase())
    const belowKind = kind[name ?? '*']
    if (belowKind === undefined || (below === null && typeof belowKind !== 'string')) continue
    known.push([name ?? key, knownBelow(belowKind, below)])
  }
  return Object.fromEntries(known)
}

/** Lists the settings in an object by key. A map counts as one setting. */
export function settingsIn(value: JsonObject): [string, unknown][] {
  return settingsBelow(configurationSchema, value, [])
}

function settingsBelow(
  kind: Section | ValueKind,
  value: unknown,
  path: readonly string[],
): [string, unknown][] {
  if (typeof kind === 'string' || '*' in kind || !isObject(value)) return [[path.join('.'), value]]
  return Object.entries(value).flatMap(([key, below]) =>
    settingsBelow(kind[key] ?? 'any', below, [...path, key]),
  )
}

/** Returns the kind of value that a key holds (Kubo, `config.CheckKey`). */
function findKind(key: string): Section | ValueKind {
  let kind: Section | ValueKind = configurationSchema
  const parts = key.split('.')
  for (const [index, part] of parts.entries()) {
    const path = parts.slice(0, index + 1).join('.')
    if (kind === 'any') return kind
    if (typeof kind === 'string') throw new FileNetworkError(`${path} not found`)
    const next: Section | ValueKind | undefined = Object.hasOwn(kind, part) ? kind[part] : kind['*']
    if (next === undefined) throw new FileNetworkError(`${path} not found`)
    kind = next
  }
  return kind
}

/** Returns the parts of a key that are fields of Go structures: the decoder's errors omit map keys. */
function fieldsOf(key: string): string[] {
  const fields: string[] = []
  let kind: Section | ValueKind | undefined = configurationSchema
  for (const part of key.split('.')) {
    if (typeof kind === 'string' || kind === undefined) break
    const isField = Object.hasOwn(kind, part)
    if (isField) fields.push(part)
    kind = isField ? kind[part] : kind['*']
  }
  return fields
}

/** Go types, as named in its decoder's errors. */
const goTypes: Partial<Record<ValueKind, string>> = {
  boolean: 'bool',
  integer: 'int',
  integer64: 'int64',
  optionalInteger: 'int64',
}

/** @throws {@link FileNetworkError} with the message of Go's decoder for a value of the wrong type */
function checkValue(kind: Section | ValueKind, value: unknown, path: string[]): void {
  if (value === null || kind === 'any') return
  if (typeof kind !== 'string') {
    if (!isObject(value)) throw wrongType(value, path, `config.${structOf(path)}`)
    for (const [key, below] of Object.entries(value)) {
      if (Object.hasOwn(kind, key)) checkValue(kind[key] as Section | ValueKind, below, [...path, key])
      else if (kind['*'] !== undefined) checkValue(kind['*'], below, path)
    }
    return
  }
  if (kind === 'strings') {
    if (!Array.isArray(value)) throw wrongType(value, path, '[]string')
    for (const item of value) checkValue('string', item, path)
    return
  }
  const isRight = checks[kind] ?? isText
  if (!isRight(value)) throw wrongType(value, path, goTypes[kind] ?? 'string')
}

/**
 * Whether a value is of a kind.
 *
 * @throws {@link FileNetworkError} for a kind with a message of its own in Kubo
 */
const checks: Partial<Record<ValueKind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  integer: isInteger,
  integer64: isInteger,
  optionalInteger: isInteger,
  flag(value) {
    if (typeof value === 'boolean') return true
    throw decodeFailure(
      `failed to unmarshal ${JSON.stringify(goJson(value))} into a flag: must be null/undefined, true, or false`,
    )
  },
  optionalDuration(value) {
    if (value === 'default' || value === 'null' || value === '') return true
    decode(() => parseGoDuration(goJson(value).replace(/^"+|"+$/g, '')))
    return true
  },
  optionalBytes(value) {
    if (typeof value === 'number') return true
    if (typeof value !== 'string') {
      const type =
        typeof value === 'boolean'
          ? 'bool'
          : Array.isArray(value)
            ? '[]interface {}'
            : 'map[string]interface {}'
      throw decodeFailure(
        `unable to parse byte size, expected a size string (e.g., "5GiB") or a number, but got ${type}`,
      )
    }
    decode(() => parseByteSize(value))
    return true
  },
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Whether Go encodes a number in a form that decodes to an int64. */
function isInteger(value: unknown): boolean {
  if (!Number.isInteger(value) || !/^-?\d+$/.test(String(value))) return false
  const integer = BigInt(String(value))
  return BigInt.asIntN(64, integer) === integer
}

function decode(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    throw decodeFailure(errorText(error))
  }
}

/** Go structures whose names differ from the keys that hold them (Kubo, `config/config.go`). */
const structNames: Readonly<Record<string, string>> = {
  AutoNAT: 'AutoNATConfig',
  'AutoNAT.Throttle': 'AutoNATThrottleConfig',
  Experimental: 'Experiments',
  'Internal.Bitswap': 'InternalBitswap',
  'Internal.Bitswap.BroadcastControl': 'BitswapBroadcastControl',
  'Provide.DHT': 'ProvideDHT',
  Pubsub: 'PubsubConfig',
  Swarm: 'SwarmConfig',
}

/** Returns the name of the Go structure at a path. */
function structOf(path: string[]): string {
  return structNames[path.join('.')] ?? path.at(-1) ?? 'Config'
}

function wrongType(value: unknown, path: string[], type: string): FileNetworkError {
  const section = structOf(path.slice(0, -1))
  const fraction = typeof value === 'number' && type.startsWith('int') ? ` ${goJson(value)}` : ''
  const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return decodeFailure(
    `json: cannot unmarshal ${name}${fraction} into Go struct field ${section}.${path.join('.')} of type ${type}`,
  )
}

function decodeFailure(reason: string): FileNetworkError {
  return new FileNetworkError(`failure to decode config: ${reason}`)
}
