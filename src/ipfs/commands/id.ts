import { goJsonIndented } from '../request/reply.js'
import { FileNetworkError } from '../errors.js'
import { createKeyEncoder } from '../names/keystore.js'
import { defineCommand, optionalArgument, single } from '../request/command.js'
import { agentVersion } from '../version.js'

/** `id`: returns the node's identity. It has no peers, so looking up another identity fails. */
export const id = defineCommand({
  description: 'Show the identity of this node.',
  arguments: [optionalArgument('peerid', 'This node, if any.')],
  options: {
    format: { type: 'string', aliases: ['f'], description: 'What a text says, with <id> and the like.' },
    'peerid-base': {
      type: 'string',
      default: 'b58mh',
      description: 'Base of the peer id: `b58mh`, or a multibase for a CID.',
    },
  },
  text(shown: Identity, { options: { format } }) {
    if (format === undefined) return `${goJsonIndented(shown, '\t')}\n\n`
    return format
      .replaceAll('<id>', () => shown.ID)
      .replaceAll('<aver>', () => shown.AgentVersion)
      .replaceAll('<pubkey>', () => shown.PublicKey)
      .replaceAll('<addrs>', () => shown.Addresses.join('\n'))
      .replaceAll('<protocols>', () => shown.Protocols.join('\n'))
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t')
  },
  async run({ args, options }, { identity, keystore }) {
    const encodeKey = createKeyEncoder(options['peerid-base'])
    if (args[0] !== undefined && args[0] !== identity.id) {
      throw new FileNetworkError('failed to find peer: routing: not found')
    }
    return single({
      ID: encodeKey((await keystore.self()).publicKey),
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
  Protocols: string[]
}
