/** Kinds of values in Kubo's configuration, by their Go types (Kubo, `config/types.go`). */
export type ValueKind =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'integer64'
  | 'strings'
  /** True, false or null. */
  | 'flag'
  | 'optionalString'
  | 'optionalInteger'
  /** A Go duration. */
  | 'optionalDuration'
  /** A number of bytes, or a string such as `256KiB`. */
  | 'optionalBytes'
  /** One string, or a list of them. */
  | 'oneOrMore'
  /** False, or a positive integer. */
  | 'priority'
  | 'autoNatMode'
  /** A list of peers with their addresses. */
  | 'peers'
  | 'router'
  /** Refused, unless empty. */
  | 'removed'
  /** Not checked. */
  | 'any'

/** A JSON object. */
export type JsonObject = Record<string, unknown>

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A section of the configuration. `*` matches any key. */
export interface Section {
  readonly [key: string]: Section | ValueKind
}

/** All settings of Kubo 0.42.0 (Kubo, `config/config.go`). */
export const configurationSchema: Section = {
  API: {
    Authorizations: { '*': { AllowedPaths: 'strings', AuthSecret: 'string' } },
    HTTPHeaders: { '*': 'strings' },
  },
  Addresses: {
    API: 'oneOrMore',
    Announce: 'strings',
    AppendAnnounce: 'strings',
    Gateway: 'oneOrMore',
    NoAnnounce: 'strings',
    Swarm: 'strings',
  },
  AutoConf: {
    Enabled: 'flag',
    RefreshInterval: 'optionalDuration',
    TLSInsecureSkipVerify: 'flag',
    URL: 'optionalString',
  },
  AutoNAT: {
    ServiceMode: 'autoNatMode',
    Throttle: { GlobalLimit: 'integer', Interval: 'optionalDuration', PeerLimit: 'integer' },
  },
  AutoTLS: {
    AutoWSS: 'flag',
    CAEndpoint: 'optionalString',
    DomainSuffix: 'optionalString',
    Enabled: 'flag',
    RegistrationDelay: 'optionalDuration',
    RegistrationEndpoint: 'optionalString',
    RegistrationToken: 'optionalString',
    ShortAddrs: 'flag',
    SkipDNSLookup: 'flag',
  },
  Bitswap: { Libp2pEnabled: 'flag', ServerEnabled: 'flag' },
  Bootstrap: 'strings',
  DNS: { MaxCacheTTL: 'optionalDuration', Resolvers: { '*': 'string' } },
  Datastore: {
    BlockKeyCacheSize: 'optionalInteger',
    BloomFilterSize: 'integer',
    GCPeriod: 'string',
    HashOnRead: 'boolean',
    NoSync: 'boolean',
    Params: 'any',
    Path: 'string',
    Spec: { '*': 'any' },
    StorageGCWatermark: 'integer64',
    StorageMax: 'string',
    Type: 'string',
    WriteThrough: 'flag',
  },
  Discovery: { MDNS: { Enabled: 'boolean' } },
  Experimental: {
    AcceleratedDHTClient: 'removed',
    FilestoreEnabled: 'boolean',
    GatewayOverLibp2p: 'boolean',
    GraphsyncEnabled: 'removed',
    Libp2pStreamMounting: 'boolean',
    OptimisticProvide: 'boolean',
    OptimisticProvideJobsPoolSize: 'integer',
    P2pHttpProxy: 'boolean',
    ShardingEnabled: 'boolean',
    StrategicProviding: 'boolean',
    UrlstoreEnabled: 'boolean',
  },
  Gateway: {
    AllowCodecConversion: 'flag',
    DeserializedResponses: 'flag',
    DiagnosticServiceURL: 'optionalString',
    DisableHTMLErrors: 'flag',
    ExposeRoutingAPI: 'flag',
    HTTPHeaders: { '*': 'strings' },
    MaxConcurrentRequests: 'optionalInteger',
    MaxRangeRequestFileSize: 'optionalBytes',
    MaxRequestDuration: 'optionalDuration',
    NoDNSLink: 'boolean',
    NoFetch: 'boolean',
    PublicGateways: {
      '*': {
        DeserializedResponses: 'flag',
        InlineDNSLink: 'flag',
        NoDNSLink: 'boolean',
        Paths: 'strings',
        UseSubdomains: 'boolean',
      },
    },
    RetrievalTimeout: 'optionalDuration',
    RootRedirect: 'string',
  },
  HTTPRetrieval: {
    Allowlist: 'strings',
    Denylist: 'strings',
    Enabled: 'flag',
    MaxBlockSize: 'optionalString',
    NumWorkers: 'optionalInteger',
    TLSInsecureSkipVerify: 'flag',
  },
  Identity: { PeerID: 'string', PrivKey: 'string' },
  Import: {
    BatchMaxNodes: 'optionalInteger',
    BatchMaxSize: 'optionalInteger',
    CidVersion: 'optionalInteger',
    FastProvideDAG: 'flag',
    FastProvideRoot: 'flag',
    FastProvideWait: 'flag',
    HashFunction: 'optionalString',
    UnixFSChunker: 'optionalString',
    UnixFSDAGLayout: 'optionalString',
    UnixFSDirectoryMaxLinks: 'optionalInteger',
    UnixFSFileMaxLinks: 'optionalInteger',
    UnixFSHAMTDirectoryMaxFanout: 'optionalInteger',
    UnixFSHAMTDirectorySizeEstimation: 'optionalString',
    UnixFSHAMTDirectorySizeThreshold: 'optionalBytes',
    UnixFSRawLeaves: 'flag',
  },
  Internal: {
    BackupBootstrapInterval: 'optionalDuration',
    Bitswap: {
      BroadcastControl: {
        Enable: 'flag',
        LocalPeers: 'flag',
        MaxPeers: 'optionalInteger',
        MaxRandomPeers: 'optionalInteger',
        PeeredPeers: 'flag',
        SendToPendingPeers: 'flag',
      },
      EngineBlockstoreWorkerCount: 'optionalInteger',
      EngineTaskWorkerCount: 'optionalInteger',
      MaxOutstandingBytesPerPeer: 'optionalInteger',
      ProviderSearchDelay: 'optionalDuration',
      ProviderSearchMaxResults: 'optionalInteger',
      TaskWorkerCount: 'optionalInteger',
      WantHaveReplaceSize: 'optionalInteger',
    },
    Libp2pForceReachability: 'optionalString',
    MFSNoFlushLimit: 'optionalInteger',
    ShutdownTimeout: 'optionalDuration',
    UnixFSShardingSizeThreshold: 'optionalString',
  },
  Ipns: {
    DelegatedPublishers: 'strings',
    MaxCacheTTL: 'optionalDuration',
    RecordLifetime: 'string',
    RepublishPeriod: 'string',
    ResolveCacheSize: 'integer',
    UsePubsub: 'flag',
  },
  Migration: { DownloadSources: 'strings', Keep: 'string' },
  Mounts: {
    FuseAllowOther: 'flag',
    IPFS: 'string',
    IPNS: 'string',
    MFS: 'string',
    StoreMode: 'flag',
    StoreMtime: 'flag',
  },
  Peering: { Peers: 'peers' },
  Pinning: {
    RemoteServices: {
      '*': {
        API: { Endpoint: 'string', Key: 'string' },
        Policies: { MFS: { Enable: 'boolean', PinName: 'string', RepinInterval: 'string' } },
      },
    },
  },
  Plugins: { Plugins: { '*': { Config: 'any', Disabled: 'boolean' } } },
  Provide: {
    BloomFPRate: 'optionalInteger',
    DHT: {
      DedicatedBurstWorkers: 'optionalInteger',
      DedicatedPeriodicWorkers: 'optionalInteger',
      Interval: 'optionalDuration',
      KeystoreBatchSize: 'optionalInteger',
      MaxProvideConnsPerWorker: 'optionalInteger',
      MaxWorkers: 'optionalInteger',
      OfflineDelay: 'optionalDuration',
      ResumeEnabled: 'flag',
      SendProviderRecordTimeout: 'optionalDuration',
      SweepEnabled: 'flag',
    },
    Enabled: 'flag',
    Strategy: 'optionalString',
  },
  Provider: { Enabled: 'flag', Strategy: 'optionalString', WorkerCount: 'optionalInteger' },
  Pubsub: {
    DisableSigning: 'boolean',
    Enabled: 'flag',
    Router: 'string',
    SeenMessagesStrategy: 'optionalString',
    SeenMessagesTTL: 'optionalDuration',
  },
  Reprovider: { Interval: 'optionalDuration', Strategy: 'optionalString' },
  Routing: {
    AcceleratedDHTClient: 'flag',
    DelegatedRouters: 'strings',
    IgnoreProviders: 'strings',
    LoopbackAddressesOnLanDHT: 'flag',
    Methods: { '*': { RouterName: 'string' } },
    Routers: { '*': 'router' },
    Type: 'optionalString',
  },
  Swarm: {
    AddrFilters: 'strings',
    ConnMgr: {
      GracePeriod: 'optionalDuration',
      HighWater: 'optionalInteger',
      LowWater: 'optionalInteger',
      SilencePeriod: 'optionalDuration',
      Type: 'optionalString',
    },
    DisableBandwidthMetrics: 'boolean',
    DisableNatPortMap: 'boolean',
    EnableHolePunching: 'flag',
    RelayClient: { Enabled: 'flag', StaticRelays: 'strings' },
    RelayService: {
      BufferSize: 'optionalInteger',
      ConnectionDataLimit: 'optionalInteger',
      ConnectionDurationLimit: 'optionalDuration',
      Enabled: 'flag',
      MaxCircuits: 'optionalInteger',
      MaxReservations: 'optionalInteger',
      MaxReservationsPerASN: 'optionalInteger',
      MaxReservationsPerIP: 'optionalInteger',
      ReservationTTL: 'optionalDuration',
    },
    ResourceMgr: {
      Allowlist: 'strings',
      Enabled: 'flag',
      Limits: 'removed',
      MaxFileDescriptors: 'optionalInteger',
      MaxMemory: 'optionalBytes',
    },
    Transports: {
      Multiplexers: { Yamux: 'priority' },
      Network: {
        QUIC: 'flag',
        Relay: 'flag',
        TCP: 'flag',
        WebRTCDirect: 'flag',
        WebTransport: 'flag',
        Websocket: 'flag',
      },
      Security: { Noise: 'priority', TLS: 'priority' },
    },
  },
  Version: {
    AgentSuffix: 'optionalString',
    SwarmCheckEnabled: 'flag',
    SwarmCheckPercentThreshold: 'optionalInteger',
  },
}
