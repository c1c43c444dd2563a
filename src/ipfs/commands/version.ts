import { arch, platform } from 'node:os'
import { defineCommand, single, valuesOf } from '../request/command.js'
import { kuboVersion, repoVersion } from '../version.js'

/** `version`: returns the emulated Kubo release. `Golang` holds the runtime, Node. */
export const version = defineCommand({
  description: 'Show version information.',
  arguments: [],
  options: {
    number: { type: 'bool', aliases: ['n'], description: 'Show only the version number, in text output.' },
    commit: { type: 'bool', description: 'Also show the commit (unknown), in text output.' },
    repo: { type: 'bool', description: 'Show only the repository version, in text output.' },
    all: { type: 'bool', description: 'Show everything, in text output.' },
  },
  text({ Version, Repo, System, Golang }: VersionInformation, { options: { all, repo, number } }) {
    if (all) {
      return `Kubo version: ${Version}\nRepo version: ${Repo}\nSystem version: ${System}\nGolang version: ${Golang}\n`
    }
    if (repo) return `${Repo}\n`
    return number ? `${Version}\n` : `ipfs version ${Version}\n`
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

/** Returns Go's name for the machine's architecture. */
export function goArchitecture(): string {
  return arch() === 'x64' ? 'amd64' : arch()
}

/** `version/deps`: lists dependencies; only Kubo's own entry. */
export const versionDeps = defineCommand({
  description: 'List the dependencies.',
  arguments: [],
  options: {},
  text: ({ Path, Version }: { Path: string; Version: string }) => `${Path}@${Version}\n`,
  run: () => valuesOf({ Path: 'github.com/ipfs/kubo', Version: `v${kuboVersion}`, ReplacedBy: '', Sum: '' }),
})

interface VersionInformation {
  Version: string
  Repo: string
  System: string
  Golang: string
}
