import { base58btc } from 'multiformats/bases/base58'
import { IDENTITY_CODE } from '../cid/cidFormat.js'
import { multibaseByName } from '../cid/multibase.js'
import { goJsonIndented } from '../request/reply.js'
import { FileNetworkError } from '../errors.js'
import { createKeyEncoder, nameOf, parseName } from '../names/keystore.js'
import { defineCommand, optionalArgument, single } from '../request/command.js'
import { agentVersion } from '../version.js'

/** `id`: returns the node's identity. It has no peers, so looking up another identity fails. */
export const id = defineCommand({
  description: 'Show the identity of a peer.',
  arguments: [optionalArgument('peerid', 'Peer to show. Default: this node.')],
  options: {
    format: {
      type: 'string',
      aliases: ['f'],
      description: 'Format of text output, with fields such as <id>.',
    },
    'peerid-base': {
      type: 'string',
      default: 'b58mh',
      description: 'Encoding of the peer id: `b58mh`, or a multibase for a CID.',
    },
  },
  text(shown: Identity, { options: { format } }) {
    if (format === undefined) return `${goJsonIndented(shown, '\t')}\n\n`
    return format
      .replaceAll('<id>', () => shown.ID)
      .replaceAll('<aver>', () => shown.AgentVersion)
      .replaceAll('<pubkey>', () => shown.PublicKey)
      .replaceAll('<addrs>', () => shown.Addresses.join('\n'))
      .replaceAll('<protocols>', () => (shown.Protocols ?? []).join('\n'))
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t')
  },
  async run({ args, options, offline }, { identity, keystore }) {
    const encodeKey = createKeyEncoder(options['peerid-base'])
    const own = (await keystore.self()).publicKey
    const peer = args[0] === undefined ? nameOf(own) : parseName(args[0])
    if (peer === undefined) throw new FileNetworkError('invalid peer id')
    if (!peer.equals(nameOf(own))) {
      if (!offline) throw new FileNetworkError('failed to find peer: routing: not found')
      const { multihash } = peer
      const id = base58btc.encode(multihash.bytes).slice(1)
      const isPeerId = /^(b58mh|v0)$/.test(options['peerid-base'])
      return single({
        ID: isPeerId ? id : multibaseByName(options['peerid-base']).encode(peer.bytes),
        // Short keys are in their IDs.
        PublicKey: multihash.code === IDENTITY_CODE ? Buffer.from(multihash.digest).toString('base64') : '',
        Addresses: [`/p2p/${id}`],
        AgentVersion: '',
        Protocols: null,
      })
    }
    return single({
      ID: encodeKey(own),
      PublicKey: identity.publicKey,
      Addresses: identity.addresses(),
      AgentVersion: agentVersion,
      Protocols: [],
    })
  },
})

/** The answer of `id`. */
interface Identity {
  ID: string
  PublicKey: string
  Addresses: string[]
  AgentVersion: string
  Protocols: string[] | null
}
