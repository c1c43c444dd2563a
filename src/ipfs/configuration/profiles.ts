/** Settings of a profile, by key; undefined removes a setting. */
export type Profile = Readonly<Record<string, unknown>>

/** Networks that cannot be reached from outside (Kubo, `config/profile.go`). */
const privateNetworks = [
  '/ip4/10.0.0.0/ipcidr/8',
  '/ip4/100.64.0.0/ipcidr/10',
  '/ip4/127.0.0.0/ipcidr/8',
  '/ip4/169.254.0.0/ipcidr/16',
  '/ip4/172.16.0.0/ipcidr/12',
  '/ip4/192.0.0.0/ipcidr/24',
  '/ip4/192.0.2.0/ipcidr/24',
  '/ip4/192.168.0.0/ipcidr/16',
  '/ip4/198.18.0.0/ipcidr/15',
  '/ip4/198.51.100.0/ipcidr/24',
  '/ip4/203.0.113.0/ipcidr/24',
  '/ip4/240.0.0.0/ipcidr/4',
  '/ip6/::/ipcidr/3',
  '/ip6/::1/ipcidr/128',
  '/ip6/100::/ipcidr/64',
  '/ip6/2001:2::/ipcidr/48',
  '/ip6/2001:db8::/ipcidr/32',
  '/ip6/fc00::/ipcidr/7',
  '/ip6/fe80::/ipcidr/10',
]

const unixfsV0: Profile = {
  'Import.CidVersion': 0,
  'Import.HashFunction': 'sha2-256',
  'Import.UnixFSChunker': 'size-262144',
  'Import.UnixFSDAGLayout': 'balanced',
  'Import.UnixFSDirectoryMaxLinks': 0,
  'Import.UnixFSFileMaxLinks': 174,
  'Import.UnixFSHAMTDirectoryMaxFanout': 256,
  'Import.UnixFSHAMTDirectorySizeEstimation': 'links',
  'Import.UnixFSHAMTDirectorySizeThreshold': '256KiB',
  'Import.UnixFSRawLeaves': false,
}

/** Datastore settings of a new repository. They have no effect: the node keeps blocks in segments of its own. */
export const flatfs = {
  mounts: [
    {
      mountpoint: '/blocks',
      path: 'blocks',
      prefix: 'flatfs.datastore',
      shardFunc: '/repo/flatfs/shard/v1/next-to-last/2',
      sync: false,
      type: 'flatfs',
    },
    {
      compression: 'none',
      mountpoint: '/',
      path: 'datastore',
      prefix: 'leveldb.datastore',
      type: 'levelds',
    },
  ],
  type: 'mount',
}

const badger = { path: 'badgerds', syncWrites: false, truncate: true, type: 'badgerds' }
const pebble = { formatMajorVersion: 24, path: 'pebbleds', type: 'pebbleds' }

/**
 * Kubo 0.42.0's profiles for `config/profile/apply` (Kubo, `config/profile.go`). Only those about imports have an
 * effect.
 */
export const profiles: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  [
    'randomports',
    {
      get 'Addresses.Swarm'() {
        const port = 49_152 + Math.floor(Math.random() * 16_384)
        return [`/ip4/0.0.0.0/tcp/${port}`, `/ip6/::/tcp/${port}`]
      },
    },
  ],
  ['unixfs-v0-2015', unixfsV0],
  ['legacy-cid-v0', unixfsV0],
  [
    'unixfs-v1-2025',
    {
      ...unixfsV0,
      'Import.CidVersion': 1,
      'Import.UnixFSChunker': 'size-1048576',
      'Import.UnixFSFileMaxLinks': 1024,
      'Import.UnixFSHAMTDirectorySizeEstimation': 'block',
      'Import.UnixFSRawLeaves': true,
    },
  ],
  [
    'server',
    {
      'Addresses.NoAnnounce': privateNetworks,
      'Swarm.AddrFilters': privateNetworks,
      'Discovery.MDNS.Enabled': false,
      'Swarm.DisableNatPortMap': true,
    },
  ],
  [
    'local-discovery',
    { 'Discovery.MDNS.Enabled': true, 'Swarm.AddrFilters': [], 'Swarm.DisableNatPortMap': false },
  ],
  [
    'test',
    {
      'Addresses.API': '/ip4/127.0.0.1/tcp/0',
      'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0',
      'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'],
      Bootstrap: [],
      'Discovery.MDNS.Enabled': false,
      'Routing.DelegatedRouters': [],
      'Routing.LoopbackAddressesOnLanDHT': true,
      'Swarm.DisableNatPortMap': true,
    },
  ],
  [
    'default-networking',
    {
      'Addresses.API': '/ip4/127.0.0.1/tcp/5001',
      'Addresses.Gateway': '/ip4/127.0.0.1/tcp/8080',
      'Addresses.Swarm': [
        '/ip4/0.0.0.0/tcp/4001',
        '/ip6/::/tcp/4001',
        '/ip4/0.0.0.0/udp/4001/webrtc-direct',
        '/ip4/0.0.0.0/udp/4001/quic-v1',
        '/ip4/0.0.0.0/udp/4001/quic-v1/webtransport',
        '/ip6/::/udp/4001/webrtc-direct',
        '/ip6/::/udp/4001/quic-v1',
        '/ip6/::/udp/4001/quic-v1/webtransport',
      ],
      'AutoConf.Enabled': undefined,
      'AutoTLS.Enabled': undefined,
      Bootstrap: ['auto'],
      'Discovery.MDNS.Enabled': true,
      'Swarm.DisableNatPortMap': false,
    },
  ],
  [
    'lowpower',
    {
      'AutoNAT.ServiceMode': 'disabled',
      'Routing.Type': 'autoclient',
      'Swarm.ConnMgr.GracePeriod': '1m0s',
      'Swarm.ConnMgr.HighWater': 40,
      'Swarm.ConnMgr.LowWater': 20,
      'Swarm.ConnMgr.Type': 'basic',
      'Swarm.RelayService.Enabled': false,
    },
  ],
  ['announce-on', { 'Provide.DHT.Interval': '22h0m0s', 'Provide.Enabled': true }],
  ['announce-off', { 'Provide.DHT.Interval': '0s', 'Provide.Enabled': false }],
  [
    'autoconf-on',
    {
      'AutoConf.Enabled': true,
      'AutoConf.URL': 'https://conf.ipfs-mainnet.org/autoconf.json',
      Bootstrap: ['auto'],
      'DNS.Resolvers': { '.': 'auto' },
      'Ipns.DelegatedPublishers': ['auto'],
      'Routing.DelegatedRouters': ['auto'],
    },
  ],
  [
    'autoconf-off',
    {
      'AutoConf.Enabled': false,
      Bootstrap: null,
      'DNS.Resolvers': null,
      'Ipns.DelegatedPublishers': null,
      'Routing.DelegatedRouters': null,
    },
  ],
  ['flatfs', { 'Datastore.Spec': flatfs }],
  ['default-datastore', { 'Datastore.Spec': flatfs }],
  ['flatfs-measure', { 'Datastore.Spec': { ...flatfs, mounts: flatfs.mounts.map(measured) } }],
  ['pebbleds', { 'Datastore.Spec': { ...pebble, prefix: 'pebble.datastore' } }],
  ['pebbleds-measure', { 'Datastore.Spec': { child: pebble, prefix: 'pebble.datastore', type: 'measure' } }],
  ['badgerds', { 'Datastore.Spec': { ...badger, prefix: 'badger.datastore' } }],
  ['badgerds-measure', { 'Datastore.Spec': { child: badger, prefix: 'badger.datastore', type: 'measure' } }],
])

function measured(mount: (typeof flatfs.mounts)[number]): object {
  const { mountpoint, prefix, ...child } = mount
  return { child, mountpoint, prefix, type: 'measure' }
}
