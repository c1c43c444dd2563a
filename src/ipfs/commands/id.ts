import { FileNetworkError } from '../errors.js'
import { defineCommand, single } from '../request/command.js'
import { agentVersion } from '../version.js'

/** `id`: who the node is. It has no peers, so asking for another's identity fails. */
export const id = defineCommand({
  description: 'Show the identity of this node.',
  arguments: [
    { name: 'peerid', kind: 'string', required: false, variadic: false, description: 'This node, if any.' },
  ],
  options: {
    format: { type: 'string', aliases: ['f'], description: 'An output format; for command lines.' },
    'peerid-base': { type: 'string', description: 'Encoding of peer ids; base58btc in any case.' },
  },
  run({ args }, { identity }) {
    if (args[0] !== undefined && args[0] !== identity.id) {
      throw new FileNetworkError('failed to find peer: routing: not found')
    }
    return single({
      ID: identity.id,
      PublicKey: identity.publicKey,
      Addresses: identity.addresses(),
      AgentVersion: agentVersion,
      Protocols: [],
    })
  },
})
