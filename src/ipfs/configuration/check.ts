import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { parseGoDuration } from '../request/goDuration.js'
import { goJson } from '../request/reply.js'
import { parseMultiaddress } from '../names/multiaddress.js'
import { readPeerId } from '../names/keystore.js'
import { parseByteSize } from './importSettings.js'
import { decodeFailure, goTypes, typeOfSection, wrongType } from './decodeErrors.js'
import { type JsonObject, type Section, type ValueKind, configurationSchema, isObject } from './schema.js'
import { goQuote } from '../text/goQuote.js'

/** @throws {@link FileNetworkError} for a key unknown to Kubo, or a value of the wrong type */
export function checkSetting(key: string, value: unknown): void {
  checkValue(findKind(key), value, pathOf(key))
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

/** Returns the path to the kind of a key's value in the schema. */
function pathOf(key: string): string[] {
  const path: string[] = []
  let kind: Section | ValueKind | undefined = configurationSchema
  for (const part of key.split('.')) {
    if (typeof kind === 'string' || kind === undefined) break
    const name: string = Object.hasOwn(kind, part) ? part : '*'
    path.push(name)
    kind = kind[name]
  }
  return path
}

/** @throws {@link FileNetworkError} with the message of Go's decoder for a value of the wrong type */
function checkValue(kind: Section | ValueKind, value: unknown, path: string[]): void {
  if (kind === 'removed') return checkRemoved(value, path)
  if (value === null || kind === 'any') return
  if (typeof kind !== 'string') {
    if (!isObject(value)) throw wrongType(value, path, typeOfSection(kind, path))
    for (const [key, below] of Object.entries(value)) {
      const name = Object.hasOwn(kind, key) ? key : '*'
      const belowKind = kind[name]
      if (belowKind !== undefined) checkValue(belowKind, below, [...path, name])
    }
    return
  }
  const isRight = checks[kind] ?? isText
  if (!isRight(value, path)) throw wrongType(value, path, goTypes[kind] ?? 'string')
}

/**
 * Whether a value is of a kind.
 *
 * @throws {@link FileNetworkError} for a kind with a message of its own in Kubo, and for a value inside
 */
const checks: Partial<Record<ValueKind, (value: unknown, path: string[]) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  integer: isInteger,
  integer64: isInteger,
  optionalInteger: isInteger,
  strings(value, path) {
    if (!Array.isArray(value)) return false
    for (const item of value) checkValue('string', item, path)
    return true
  },
  oneOrMore: (value, path) => isText(value) || checks.strings?.(value, path) === true,
  flag(value) {
    if (typeof value === 'boolean') return true
    throw decodeFailure(
      `failed to unmarshal ${goQuote(goJson(value))} into a flag: must be null/undefined, true, or false`,
    )
  },
  priority(value) {
    if (value === true) throw decodeFailure("'true' is not a valid priority")
    if (value === false) return true
    if (!isInteger(value)) return false
    if (Number(value) <= 0) throw decodeFailure(`priority must be positive: ${goJson(value)} <= 0`)
    return true
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
  autoNatMode(value) {
    if (!isText(value)) return false
    if (!['', 'enabled', 'disabled', 'legacy-v1'].includes(value)) {
      throw decodeFailure(`unknown autonat mode: ${value}`)
    }
    return true
  },
  peers(value, path) {
    if (!Array.isArray(value)) return false
    for (const item of value) checkPeer(item, path)
    return true
  },
  router(value, path) {
    if (!isObject(value)) return false
    const [Type, Parameters] = [memberOf(value, 'Type'), memberOf(value, 'Parameters')]
    if (!isText(Type ?? '')) throw wrongType(Type, [...path, 'Type'], 'config.RouterType')
    if (Parameters === undefined) throw decodeFailure('unexpected end of JSON input')
    return true
  },
}

/** Returns the last member with a name, in any case (Go, `encoding/json`). */
function memberOf(value: JsonObject, name: string): unknown {
  const found = Object.keys(value).findLast((key) => key.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : value[found]
}

/** Checks a peer (go-libp2p, `addrInfoJson`). */
function checkPeer(value: unknown, path: string[]): void {
  if (value === null) return
  if (!isObject(value)) throw wrongType(value, path, 'peer.addrInfoJson')
  const [ID, Addrs = null] = [memberOf(value, 'ID'), memberOf(value, 'Addrs')]
  checkValue('string', ID ?? null, [...path, 'ID'])
  checkValue('strings', Addrs, [...path, 'Addrs'])
  if (ID !== undefined) decode(() => readPeerId((ID as string | null) ?? ''))
  for (const address of (Addrs as (string | null)[] | null) ?? []) {
    decode(() => parseMultiaddress(address ?? ''))
  }
}

/** Messages about settings that Kubo has removed (Kubo, `config/types.go`). */
const removals: Readonly<Record<string, string>> = {
  'Experimental.AcceleratedDHTClient':
    'The Experimental.AcceleratedDHTClient key has been moved to Routing.AcceleratedDHTClient in Kubo 0.21, please use this new key and remove the old one.',
  'Experimental.GraphsyncEnabled':
    'Support for Experimental.GraphsyncEnabled has been removed in Kubo 0.25.0, please remove this key. For more details see https://github.com/ipfs/kubo/pull/9747.',
  'Swarm.ResourceMgr.Limits':
    'The Swarm.ResourceMgr.Limits configuration has been removed in Kubo 0.19 and should be empty or not present. To set custom libp2p limits, read https://github.com/ipfs/kubo/blob/master/docs/libp2p-resource-management.md#user-supplied-override-limits',
}

function checkRemoved(value: unknown, path: string[]): void {
  const key = path.join('.')
  const isEmpty = isObject(value) && Object.keys(value).length === 0
  if (isEmpty || (value === false && key === 'Experimental.GraphsyncEnabled')) return
  throw decodeFailure(removals[key] ?? '')
}

function isText(value: unknown): value is string {
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
