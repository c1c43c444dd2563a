import { arch, platform } from 'node:os'
import { defineCommand, single, valuesOf } from '../request/command.js'
import { kuboVersion, repoVersion } from '../version.js'

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

/** The machine's architecture by Go's name. */
export function goArchitecture(): string {
  return arch() === 'x64' ? 'amd64' : arch()
}

/** `version/deps`: the packages that this is made of, Kubo's own name first. */
export const versionDeps = defineCommand({
  description: 'List what this is built from.',
  arguments: [],
  options: {},
  run: () => valuesOf({ Path: 'github.com/ipfs/kubo', Version: `v${kuboVersion}`, ReplacedBy: '', Sum: '' }),
})
