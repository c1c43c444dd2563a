import type { RowStore } from '../../storage/files/fileIndex.js'
import { Mutex } from '../../encoding/timeSlice.js'
import { FileNetworkError, errorText } from '../errors.js'
import type { Identity } from '../names/identity.js'
import { parseGoDuration } from '../request/command.js'
import type { ImportDefaults, ImportProfile, ImportSettings } from '../unixfs/settings.js'
import { configuredHash, parseByteSize, readFilesSettings, readImportDefaults } from './importSettings.js'
import { flatfs, profiles } from './profiles.js'
import { type JsonObject, type Section, type ValueKind, configurationSchema } from './schema.js'

const rowName = new TextEncoder().encode('configuration')

/** What the configuration of a node is made from. */
interface ConfigurationParts {
  rows: RowStore
  identity: Identity
  profile: ImportProfile
}

/** The node's configuration, in Kubo's form. What is set stays across restarts and has its effect at once. */
export class Configuration {
  readonly #parts: ConfigurationParts
  readonly #mutex = new Mutex()
  /** What was set. */
  #changes: JsonObject
  #imports: Imports

  private constructor(parts: ConfigurationParts, changes: JsonObject, imports: Imports) {
    this.#parts = parts
    this.#changes = changes
    this.#imports = imports
  }

  /** Opens the configuration of a data directory. */
  static async open(parts: ConfigurationParts): Promise<Configuration> {
    const stored = parts.rows.get(rowName)
    const changes = stored === undefined ? {} : (JSON.parse(Buffer.from(stored).toString()) as JsonObject)
    return new Configuration(parts, changes, await importsOf(effective(parts, changes)))
  }

  /** Everything, without the private key. */
  show(): JsonObject {
    return effective(this.#parts, this.#changes)
  }

  /**
   * The value of a key such as `Import.CidVersion`.
   *
   * @throws {@link FileNetworkError} for one that has none
   */
  get(key: string): unknown {
    return getKey(this.show(), key)
  }

  /** @throws {@link FileNetworkError} for a key that Kubo does not know, or a value of another type */
  set(key: string, value: unknown): Promise<void> {
    return this.#mutex.run(async () => {
      checkValue(findKind(key), value, fieldsOf(key))
      await this.#store(setKey(this.#changes, key.split('.'), value))
    })
  }

  /**
   * Sets all keys of an object, and leaves the others.
   *
   * @throws {@link FileNetworkError} for a value of another type
   */
  merge(given: JsonObject): Promise<void> {
    return this.#mutex.run(async () => {
      checkValue(configurationSchema, given, [])
      await this.#store(mergeDeep(this.#changes, given))
    })
  }

  /**
   * Applies a profile.
   *
   * @returns the configuration before and after it
   * @throws {@link FileNetworkError} for a name that is none of a profile
   */
  applyProfile(
    name: string,
    { isTrial }: { isTrial: boolean },
  ): Promise<{ before: JsonObject; after: JsonObject }> {
    return this.#mutex.run(async () => {
      const entries = profiles.get(name)
      if (entries === undefined) throw new FileNetworkError(`${name} is not a profile`)
      let changed = this.#changes
      for (const [key, value] of Object.entries(entries)) changed = setKey(changed, key.split('.'), value)
      const result = { before: this.show(), after: effective(this.#parts, changed) }
      if (!isTrial) await this.#store(changed)
      return result
    })
  }

  /** How content is imported where a request does not say otherwise. */
  importDefaults(): ImportDefaults {
    return this.#imports.add
  }

  /**
   * How the mutable files are stored where a request does not say otherwise.
   *
   * @throws {@link FileNetworkError} when what was set makes no sense
   */
  filesSettings(): ImportSettings {
    return settled(this.#imports.files)
  }

  /** The hash function of blocks and data where a request names none, as it was set. */
  hashName(): string {
    return configuredHash(this.show())
  }

  async #store(changed: JsonObject): Promise<void> {
    const imports = await importsOf(effective(this.#parts, changed))
    await this.#parts.rows.put(rowName, Buffer.from(JSON.stringify(changed)))
    this.#changes = changed
    this.#imports = imports
  }
}

function effective({ identity, profile }: ConfigurationParts, changes: JsonObject): JsonObject {
  return mergeDeep(defaults(identity, profile), changes)
}

/** The import settings of what imports. A value that makes no sense is refused by what needs it, as in Kubo. */
interface Imports {
  add: ImportDefaults
  files: ImportSettings | FileNetworkError
}

async function importsOf(configuration: JsonObject): Promise<Imports> {
  return {
    add: readImportDefaults(configuration),
    files: await readFilesSettings(configuration).catch(keepRefusal),
  }
}

function keepRefusal(error: unknown): FileNetworkError {
  if (error instanceof FileNetworkError) return error
  throw error
}

function settled(settings: ImportSettings | FileNetworkError): ImportSettings {
  if (settings instanceof FileNetworkError) throw settings
  return settings
}

/** A new repository's configuration, with nothing that would reach for a network. */
function defaults(identity: Identity, profile: ImportProfile): JsonObject {
  const addresses = identity.addresses().map((address) => address.replace(/(\/http)?\/p2p\/.*$/, ''))
  const imports = Object.fromEntries(
    Object.keys(configurationSchema['Import'] ?? {}).map((key) => [key, null]),
  )
  const base: JsonObject = {
    API: { HTTPHeaders: {} },
    Addresses: {
      API: oneOrMore(addresses),
      Announce: [],
      AppendAnnounce: [],
      Gateway: oneOrMore(addresses),
      NoAnnounce: [],
      Swarm: [],
    },
    AutoConf: { Enabled: false },
    AutoNAT: {},
    AutoTLS: { Enabled: false },
    Bitswap: {},
    Bootstrap: [],
    DNS: { Resolvers: {} },
    Datastore: {
      BlockKeyCacheSize: null,
      BloomFilterSize: 0,
      GCPeriod: '1h',
      HashOnRead: false,
      Spec: flatfs,
      StorageGCWatermark: 90,
      StorageMax: '10GB',
    },
    Discovery: { MDNS: { Enabled: false } },
    Experimental: {
      FilestoreEnabled: false,
      Libp2pStreamMounting: false,
      OptimisticProvide: false,
      OptimisticProvideJobsPoolSize: 0,
      P2pHttpProxy: false,
      UrlstoreEnabled: false,
    },
    Gateway: {
      AllowCodecConversion: null,
      DeserializedResponses: null,
      DisableHTMLErrors: null,
      ExposeRoutingAPI: null,
      HTTPHeaders: {},
      NoDNSLink: false,
      NoFetch: false,
      PublicGateways: null,
      RootRedirect: '',
    },
    HTTPRetrieval: {},
    Identity: { PeerID: identity.id },
    Import: imports,
    Internal: {},
    Ipns: { DelegatedPublishers: [], RecordLifetime: '', RepublishPeriod: '', ResolveCacheSize: 128 },
    Migration: {},
    Mounts: {
      FuseAllowOther: null,
      IPFS: '/ipfs',
      IPNS: '/ipns',
      MFS: '/mfs',
      StoreMode: null,
      StoreMtime: null,
    },
    Peering: { Peers: null },
    Pinning: { RemoteServices: {} },
    Plugins: { Plugins: {} },
    Provide: { DHT: {}, Enabled: false },
    Provider: {},
    Pubsub: { DisableSigning: false, Router: '' },
    Reprovider: {},
    Routing: { DelegatedRouters: [], Type: 'none' },
    Swarm: {
      AddrFilters: null,
      ConnMgr: {},
      DisableBandwidthMetrics: false,
      DisableNatPortMap: true,
      RelayClient: {},
      RelayService: {},
      ResourceMgr: {},
      Transports: { Multiplexers: {}, Network: {}, Security: {} },
    },
    Version: {},
  }
  if (profile === 'unixfs-v0-2015') return base
  let changed = base
  for (const [key, value] of Object.entries(profiles.get(profile) ?? {})) {
    changed = setKey(changed, key.split('.'), value)
  }
  return changed
}

/** A list as Kubo writes it in its configuration: a single text stands alone. */
function oneOrMore(texts: string[]): string | string[] {
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : texts
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mergeDeep(left: JsonObject, right: JsonObject): JsonObject {
  const result: JsonObject = { ...left }
  for (const [key, value] of Object.entries(right)) {
    const before = Object.hasOwn(left, key) ? left[key] : undefined
    const merged = isObject(value) && isObject(before) ? mergeDeep(before, value) : value
    Object.defineProperty(result, key, {
      value: merged,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return result
}

function getKey(from: JsonObject, key: string): unknown {
  let value: unknown = from
  const parts = key.split('.')
  for (const [index, part] of parts.entries()) {
    if (!isObject(value)) throw new FileNetworkError(`${parts.slice(0, index).join('.')} key is not a map`)
    if (!Object.hasOwn(value, part)) {
      throw new FileNetworkError(`${parts.slice(0, index + 1).join('.')} not found`)
    }
    value = value[part]
  }
  return value
}

function setKey(into: JsonObject, [first = '', ...rest]: string[], value: unknown): JsonObject {
  if (rest.length === 0) return mergeAs(into, first, value)
  const below = into[first]
  return mergeAs(into, first, setKey(isObject(below) ? below : {}, rest, value))
}

/** The same object with another value for a key, whatever the key is. */
function mergeAs(into: JsonObject, key: string, value: unknown): JsonObject {
  return Object.fromEntries([...Object.entries(into).filter(([name]) => name !== key), [key, value]])
}

/** What a key holds (Kubo, `config.CheckKey`). */
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

/** The names of a key that are those of fields of Go's structures: the decoder names no keys of maps. */
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

/** Go types, as its decoder names them. */
const goTypes: Partial<Record<ValueKind, string>> = {
  string: 'string',
  optionalString: 'string',
  boolean: 'bool',
  integer: 'int',
  optionalInteger: 'int64',
  strings: '[]string',
}

/** @throws {@link FileNetworkError} with the text of Go's decoder where a value is of another type */
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
  const problem = problemOf(kind, value, path)
  if (problem !== undefined) throw problem
}

function problemOf(kind: ValueKind, value: unknown, path: string[]): FileNetworkError | undefined {
  const fails = (isRight: boolean): FileNetworkError | undefined =>
    isRight ? undefined : wrongType(value, path, goTypes[kind] ?? 'string')
  switch (kind) {
    case 'flag':
      return typeof value === 'boolean'
        ? undefined
        : decodeFailure(
            `failed to unmarshal ${JSON.stringify(JSON.stringify(value))} into a flag: must be null/undefined, true, or false`,
          )
    case 'boolean':
      return fails(typeof value === 'boolean')
    case 'integer':
    case 'optionalInteger':
      return fails(Number.isInteger(value))
    case 'strings':
      return fails(Array.isArray(value) && value.every((item) => typeof item === 'string'))
    case 'optionalDuration':
      if (typeof value !== 'string') return wrongType(value, path, 'string')
      return value === 'default' ? undefined : durationProblem(value)
    case 'optionalBytes':
      if (typeof value === 'number') return undefined
      return typeof value === 'string' && parseByteSize(value) !== undefined
        ? undefined
        : decodeFailure('strconv.ParseFloat: parsing "": invalid syntax')
    default:
      return fails(typeof value === 'string')
  }
}

function durationProblem(text: string): FileNetworkError | undefined {
  try {
    parseGoDuration(text)
    return undefined
  } catch (error) {
    return decodeFailure(errorText(error))
  }
}

/** Go's structures that have other names than the keys which hold them (Kubo, `config/config.go`). */
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

/** The structure that holds what is below a path. */
function structOf(path: string[]): string {
  return structNames[path.join('.')] ?? path.at(-1) ?? 'Config'
}

function wrongType(value: unknown, path: string[], type: string): FileNetworkError {
  const section = structOf(path.slice(0, -1))
  const fraction = typeof value === 'number' && type.startsWith('int') ? ` ${value}` : ''
  const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return decodeFailure(
    `json: cannot unmarshal ${name}${fraction} into Go struct field ${section}.${path.join('.')} of type ${type}`,
  )
}

function decodeFailure(reason: string): FileNetworkError {
  return new FileNetworkError(`failure to decode config: ${reason}`)
}
