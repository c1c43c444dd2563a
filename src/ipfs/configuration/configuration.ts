import type { RowStore } from '../../storage/files/fileIndex.js'
import { encodeJsonInSteps } from '../../encoding/jsonWriter.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { Mutex, type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import type { Identity } from '../names/identity.js'
import type { ImportDefaults, ImportProfile, ImportSettings } from '../unixfs/settings.js'
import { configuredHash, readFilesSettings, readImportDefaults, shardThreshold } from './importSettings.js'
import { flatfs, profiles } from './profiles.js'
import { checkSection, checkSetting, knownOf, settingsIn } from './check.js'
import { type JsonObject, type Section, type ValueKind, configurationSchema, isObject } from './schema.js'

const rowName = new TextEncoder().encode('configuration')

/** Maximum number of changed settings, and of their bytes. All of them are applied at once. */
const MAX_CHANGES = 2000
const MAX_CHANGES_LENGTH = 1536 * 1024

/** Inputs of a node's configuration. */
interface ConfigurationParts {
  rows: RowStore
  identity: Identity
  profile: ImportProfile
}

/**
 * The node's configuration, in Kubo's format. Settings persist and take effect at once, except those that Kubo reads
 * when it starts.
 */
export class Configuration {
  readonly #parts: ConfigurationParts
  readonly #mutex = new Mutex()
  /** As configured when the node started. */
  readonly #shardThreshold: number
  #changes: Changes
  #imports: Imports
  /** The whole configuration, and the node's addresses in it, which are known once it listens. */
  #shown: { addresses: string; configuration: JsonObject } | undefined

  private constructor(
    parts: ConfigurationParts,
    changes: Changes,
    started: { threshold: number; imports: Imports },
  ) {
    this.#parts = parts
    this.#changes = changes
    this.#shardThreshold = started.threshold
    this.#imports = started.imports
  }

  /** Opens the configuration in a data directory. */
  static async open(parts: ConfigurationParts): Promise<Configuration> {
    const stored = parts.rows.get(rowName)
    const changes = stored === undefined ? {} : (JSON.parse(Buffer.from(stored).toString()) as Changes)
    const configuration = runToCompletion(effective(parts, changes))
    const threshold = shardThreshold(configuration)
    return new Configuration(parts, changes, {
      threshold,
      imports: await importsOf(configuration, threshold),
    })
  }

  /** Returns the whole configuration, without the private key. It must not be changed. */
  show(): JsonObject {
    const addresses = this.#addresses
    if (this.#shown?.addresses !== addresses) {
      const configuration = runToCompletion(effective(this.#parts, this.#changes))
      this.#shown = { addresses, configuration }
    }
    return this.#shown.configuration
  }

  get #addresses(): string {
    return this.#parts.identity.addresses().join()
  }

  /**
   * Returns the value of a key such as `Import.CidVersion`.
   *
   * @throws {@link FileNetworkError} for a key without a value
   */
  get(key: string): unknown {
    return getKey(this.show(), key)
  }

  /** @throws {@link FileNetworkError} for a key unknown to Kubo, or a value of the wrong type */
  set(key: string, value: unknown): Promise<void> {
    return this.#mutex.run(async () => {
      checkSetting(key, value)
      await this.#store(withChanges(this.#changes, [[key, value]]))
    })
  }

  /** Sets a key and writes the whole configuration, like all operations of Kubo except `config`. */
  rewrite(key: string, value: unknown): Promise<void> {
    return this.#mutex.run(async () => {
      checkSetting(key, value)
      await this.#store(this.#spelledOut(withChanges(this.#changes, [[key, value]])))
    })
  }

  /**
   * Sets all keys of an object that Kubo knows, and ignores the others.
   *
   * @throws {@link FileNetworkError} for a value of the wrong type
   */
  merge(given: JsonObject): Promise<void> {
    return this.#mutex.run(async () => {
      const known = knownOf(given)
      checkSection(known)
      await this.#store(this.#spelledOut(withChanges(this.#changes, settingsIn(known))))
    })
  }

  /**
   * Applies a profile.
   *
   * @returns the configuration before and after
   * @throws {@link FileNetworkError} for an unknown profile
   */
  applyProfile(
    name: string,
    { isTrial }: { isTrial: boolean },
  ): Promise<{ before: JsonObject; after: JsonObject }> {
    return this.#mutex.run(async () => {
      const entries = profiles.get(name)
      if (entries === undefined) throw new FileNetworkError(`${name} is not a profile`)
      const changed = withChanges(this.#changes, Object.entries(entries))
      const after = await runInSlices(effective(this.#parts, changed), new TimeSlice())
      const result = { before: this.show(), after }
      if (!isTrial) await this.#store(this.#spelledOut(changed))
      return result
    })
  }

  /** Returns the import settings for requests that do not give their own. */
  importDefaults(): ImportDefaults {
    return this.#imports.add
  }

  /** Returns the settings of the mutable files, for requests that do not give their own. */
  filesSettings(): ImportSettings {
    return this.#imports.files
  }

  /** Returns the configured hash function of blocks and data, for requests that name none. */
  hashName(): string {
    return configuredHash(this.show())
  }

  /** Gives sections that are null the members that Go writes for empty ones. */
  #spelledOut(changes: Changes): Changes {
    const base = defaults(this.#parts.identity, 'unixfs-v0-2015')
    return Object.fromEntries(
      Object.entries(changes).map(([key, value]) => [key, value ?? emptyAt(key.split('.'), base)]),
    )
  }

  async #store(changed: Changes): Promise<void> {
    const slice = new TimeSlice()
    const addresses = this.#addresses
    const configuration = await runInSlices(effective(this.#parts, changed), slice)
    const imports = await importsOf(configuration, this.#shardThreshold)
    const stored = await runInSlices(encodeJsonInSteps(changed), slice)
    if (stored.length > MAX_CHANGES_LENGTH || Object.keys(changed).length > MAX_CHANGES) {
      throw new FileNetworkError(`more than ${MAX_CHANGES} settings, or ${MAX_CHANGES_LENGTH} bytes of them`)
    }
    await this.#parts.rows.put(rowName, stored)
    this.#changes = changed
    this.#imports = imports
    this.#shown = { addresses, configuration }
  }
}

/** Changed settings, by keys such as `Import.CidVersion`, in the order in which they apply. */
type Changes = Readonly<Record<string, unknown>>

/** Adds changes, which replace those at and below their keys. */
function withChanges(changes: Changes, given: readonly (readonly [key: string, value: unknown])[]): Changes {
  const keys = new Set(given.map(([key]) => key))
  const lengths = new Set(given.map(([key]) => key.length))
  const isReplaced = (name: string): boolean => {
    for (const length of lengths) {
      if (name.length !== length && name[length] !== '.') continue
      if (keys.has(name.slice(0, length))) return true
    }
    return false
  }
  return Object.fromEntries([...Object.entries(changes).filter(([name]) => !isReplaced(name)), ...given])
}

/** Values put in order between two yields, and members sorted in one step. */
const VALUES_AT_ONCE = 512

/** Applies changes to the defaults, and sorts the keys of all objects, like Go's maps. */
function* effective({ identity, profile }: ConfigurationParts, changes: Changes): Steps<JsonObject> {
  let seen = 0

  function* inOrder(value: unknown): Steps<unknown> {
    if (typeof value !== 'object' || value === null) return value
    if (++seen % VALUES_AT_ONCE === 0) yield
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) items.push(yield* inOrder(item))
      return items
    }
    const members: [string, unknown][] = []
    for (const [key, below] of yield* sorted(Object.entries(value)))
      members.push([key, yield* inOrder(below)])
    return Object.fromEntries(members)
  }

  return (yield* inOrder(applied(defaults(identity, profile), changes))) as JsonObject
}

function* sorted(members: [string, unknown][]): Steps<[string, unknown][]> {
  const compare = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)
  return members.length > VALUES_AT_ONCE ? yield* sortInSteps(members, compare) : members.sort(compare)
}

/** Applies changes. Copies each section once, however many of them change it: there may be thousands. */
function applied(base: JsonObject, changes: Changes): JsonObject {
  const copies = new Set<unknown>()
  const copyOf = (section: unknown): JsonObject => {
    if (copies.has(section)) return section as JsonObject
    const copy = isObject(section) ? { ...section } : {}
    copies.add(copy)
    return copy
  }
  const result = copyOf(base)
  for (const [key, value] of Object.entries(changes)) {
    const parts = key.split('.')
    const last = parts.pop() ?? ''
    let section = result
    for (const part of parts) {
      const below = copyOf(Object.hasOwn(section, part) ? section[part] : undefined)
      setMember(section, part, below)
      section = below
    }
    setMember(section, last, value)
  }
  return result
}

/** Sets a member of an object, even `__proto__`. */
function setMember(section: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(section, name, { value, configurable: true, enumerable: true, writable: true })
}

/** Import settings by use. As in Kubo, an invalid value is reported only where it is needed. */
interface Imports {
  add: ImportDefaults
  files: ImportSettings
}

async function importsOf(configuration: JsonObject, threshold: number): Promise<Imports> {
  return {
    add: readImportDefaults(configuration, threshold),
    files: await readFilesSettings(configuration, threshold),
  }
}

/** Returns the configuration of a new repository, without anything that needs a network. */
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
  return profile === 'unixfs-v0-2015' ? base : applied(base, profiles.get(profile) ?? {})
}

/** Returns the empty value of a key: the members of a section, otherwise null. */
function emptyAt(
  [first = '', ...rest]: string[],
  base: unknown,
  section = configurationSchema,
): JsonObject | null {
  const kind = Object.hasOwn(section, first) ? section[first] : undefined
  if (kind === undefined || typeof kind === 'string' || '*' in kind) return null
  const below = isObject(base) ? base[first] : undefined
  return rest.length === 0 ? emptySection(kind, below) : emptyAt(rest, below, kind)
}

/**
 * Returns a section as Go writes it if nothing in it is set: without the optional members that a new repository sets.
 */
function emptySection(section: Section, base: unknown): JsonObject {
  const members = isObject(base) ? Object.entries(base) : []
  return Object.fromEntries(
    members.flatMap(([name, value]): [string, unknown][] => {
      const kind = section[name]
      if (kind === undefined) return []
      if (typeof kind !== 'string') return [[name, '*' in kind ? null : emptySection(kind, value)]]
      const isOptional = kind === 'flag' || kind.startsWith('optional')
      return isOptional && value !== null ? [] : [[name, emptyValues[kind] ?? null]]
    }),
  )
}

/** Empty values in Go; those of other kinds are null. */
const emptyValues: Partial<Record<ValueKind, unknown>> = {
  string: '',
  boolean: false,
  integer: 0,
  integer64: 0,
}

/** Converts a list to Kubo's format, in which a single string stands alone. */
function oneOrMore(texts: string[]): string | string[] {
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : texts
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
