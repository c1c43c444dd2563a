import type { RowStore } from '../../storage/files/fileIndex.js'
import { Mutex } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import type { Identity } from '../names/identity.js'
import type { ImportDefaults, ImportProfile, ImportSettings } from '../unixfs/settings.js'
import { configuredHash, readFilesSettings, readImportDefaults } from './importSettings.js'
import { flatfs, profiles } from './profiles.js'
import { checkSection, checkSetting, knownOf, settingsIn } from './check.js'
import { type JsonObject, configurationSchema, isObject } from './schema.js'

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
  #changes: Changes
  #imports: Imports

  private constructor(parts: ConfigurationParts, changes: Changes, imports: Imports) {
    this.#parts = parts
    this.#changes = changes
    this.#imports = imports
  }

  /** Opens the configuration of a data directory. */
  static async open(parts: ConfigurationParts): Promise<Configuration> {
    const stored = parts.rows.get(rowName)
    const changes = stored === undefined ? {} : (JSON.parse(Buffer.from(stored).toString()) as Changes)
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
      checkSetting(key, value)
      await this.#store(withChange(this.#changes, key, value))
    })
  }

  /**
   * Sets all keys of an object that Kubo knows, and leaves the others.
   *
   * @throws {@link FileNetworkError} for a value of another type
   */
  merge(given: JsonObject): Promise<void> {
    return this.#mutex.run(async () => {
      const known = knownOf(given)
      checkSection(known)
      let changed = this.#changes
      for (const [key, value] of settingsIn(known)) changed = withChange(changed, key, value)
      await this.#store(changed)
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
      for (const [key, value] of Object.entries(entries)) changed = withChange(changed, key, value)
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

  async #store(changed: Changes): Promise<void> {
    const imports = await importsOf(effective(this.#parts, changed))
    await this.#parts.rows.put(rowName, Buffer.from(JSON.stringify(changed)))
    this.#changes = changed
    this.#imports = imports
  }
}

/** What was set, by keys such as `Import.CidVersion`, in the order in which it counts. */
type Changes = Readonly<Record<string, unknown>>

/** The changes with one more, which takes the place of those at and below its key. */
function withChange(changes: Changes, key: string, value: unknown): Changes {
  const others = Object.entries(changes).filter(([name]) => name !== key && !name.startsWith(`${key}.`))
  return Object.fromEntries([...others, [key, value]])
}

function effective({ identity, profile }: ConfigurationParts, changes: Changes): JsonObject {
  return inOrder(applied(defaults(identity, profile), changes)) as JsonObject
}

function applied(base: JsonObject, changes: Changes): JsonObject {
  return Object.entries(changes).reduce((result, [key, value]) => setKey(result, key.split('.'), value), base)
}

/** A value whose objects have their keys in the order of Go's maps. */
function inOrder(value: unknown): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, below]) => [key, inOrder(below)]))
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
  return profile === 'unixfs-v0-2015' ? base : applied(base, profiles.get(profile) ?? {})
}

/** A list as Kubo writes it in its configuration: a single text stands alone. */
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

function setKey(into: JsonObject, [first = '', ...rest]: string[], value: unknown): JsonObject {
  if (rest.length === 0) return mergeAs(into, first, value)
  const below = into[first]
  return mergeAs(into, first, setKey(isObject(below) ? below : {}, rest, value))
}

/** The same object with another value for a key, whatever the key is. */
function mergeAs(into: JsonObject, key: string, value: unknown): JsonObject {
  return Object.fromEntries([...Object.entries(into).filter(([name]) => name !== key), [key, value]])
}
