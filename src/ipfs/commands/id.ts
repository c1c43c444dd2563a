import { FileNetworkError } from '../errors.js'
import { createKeyEncoder } from '../names/keystore.js'
import { defineCommand, optionalArgument, single } from '../request/command.js'
import { agentVersion } from '../version.js'

/** `id`: who the node is. It has no peers, so asking for another's identity fails. */
export const id = defineCommand({
  description: 'Show the identity of this node.',
  arguments: [optionalArgument('peerid', 'This node, if any.')],
  options: {
    format: { type: 'string', aliases: ['f'], description: 'An output format; for command lines.' },
    'peerid-base': {
      type: 'string',
      default: 'b58mh',
      description: 'Base of the peer id: `b58mh`, or a multibase for a CID.',
    },
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
