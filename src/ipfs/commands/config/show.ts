import { defineCommand } from '../../request/command.js'
import { single } from '../../request/output.js'

/** `config/show`: the settings that clients look at, as Kubo would name them. */
export const configShow = defineCommand({
  description: 'Show the configuration.',
  arguments: [],
  options: {},
  run(_, { identity, importSettings, directory }) {
    const { cid, rawLeaves, chunker, maxFileLinks, directory: rule } = importSettings
    return single({
      Identity: { PeerID: identity.id },
      Addresses: {
        Swarm: [],
        Announce: [],
        AppendAnnounce: [],
        NoAnnounce: [],
        API: identity.addresses(),
        Gateway: [],
      },
      Bootstrap: [],
      Datastore: { StorageMax: '10GB', Path: directory },
      Discovery: { MDNS: { Enabled: false } },
      Import: {
        CidVersion: cid.version,
        HashFunction: cid.hash.name,
        UnixFSRawLeaves: rawLeaves,
        UnixFSChunker: chunker,
        UnixFSFileMaxLinks: maxFileLinks,
        UnixFSHAMTDirectoryMaxFanout: rule.fanout,
        UnixFSHAMTDirectorySizeThreshold: rule.shardThreshold,
        UnixFSHAMTDirectorySizeEstimation: rule.estimation,
      },
      Routing: { Type: 'none' },
    })
  },
})
