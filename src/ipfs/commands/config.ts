import { defineCommand, single } from '../request/command.js'

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
        API: oneOrMore(identity.addresses().map((address) => address.replace(/(\/http)?\/p2p\/.*$/, ''))),
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

/** A list as Kubo writes it in its configuration: a single text stands alone. */
function oneOrMore(texts: string[]): string | string[] {
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : texts
}
