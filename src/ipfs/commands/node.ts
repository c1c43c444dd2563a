import { arch, platform } from 'node:os'
import { FileNetworkError } from '../errors.js'
import { defineCommand, single } from '../request/command.js'
import { agentVersion, kuboVersion, repoVersion } from '../version.js'

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

/** `version`: the release of Kubo that the answers follow. `Golang` names the runtime, which is Node here. */
export const version = defineCommand({
  description: 'Show version information.',
  arguments: [],
  options: {
    number: { type: 'bool', aliases: ['n'], description: 'Only the number; for command lines.' },
    commit: { type: 'bool', description: 'The commit too; for command lines.' },
    repo: { type: 'bool', description: 'The repository version too; for command lines.' },
    all: { type: 'bool', description: 'Everything; for command lines.' },
  },
  run() {
    return single({
      Version: kuboVersion,
      Commit: '',
      Repo: repoVersion,
      System: `${goArchitecture()}/${platform()}`,
      Golang: `node${process.versions.node}`,
    })
  },
})

function goArchitecture(): string {
  return arch() === 'x64' ? 'amd64' : arch()
}
