import { freemem, networkInterfaces, totalmem, availableParallelism, platform } from 'node:os'
import { statfs } from 'node:fs/promises'
import { defineCommand, nothing, pathArgument, single } from '../request/command.js'
import { parseGoDuration } from '../request/goDuration.js'
import { kuboVersion } from '../version.js'
import { goArchitecture } from './version.js'

const verboseOption = {
  verbose: { type: 'bool', aliases: ['v'], description: 'No effect: for command-line clients.' },
} as const

/** `diag/cmds`: lists running and recent requests. */
export const diagCmds = defineCommand({
  description: 'List running and recent requests.',
  arguments: [],
  options: verboseOption,
  run: (_, { requestLog }) => single(requestLog.list()),
})

/** `diag/cmds/clear`: forgets the requests that have ended. */
export const diagCmdsClear = defineCommand({
  description: 'Clear the list of ended requests.',
  arguments: [],
  options: {},
  run(_, { requestLog }) {
    requestLog.clear()
    return nothing()
  },
})

/** `diag/cmds/set-time`: sets how long ended requests are listed. */
export const diagCmdsSetTime = defineCommand({
  description: 'Set how long to list ended requests.',
  arguments: [pathArgument('time', 'Time, as a Go duration.')],
  options: {},
  run({ args: [time = ''] }, { requestLog }) {
    requestLog.setKeepTime(parseGoDuration(time))
    return nothing()
  },
})

/** `diag/healthy`: answers as long as the node runs. */
export const diagHealthy = defineCommand({
  description: 'Report that the node is healthy.',
  arguments: [],
  options: {},
  run: () => single('ok'),
})

/** `diag/sys`: describes the machine and the runtime. */
export const diagSys = defineCommand({
  description: 'Show information about the system.',
  arguments: [],
  options: {},
  async run(_, { directory }) {
    const disk = await statfs(directory)
    const addresses = Object.values(networkInterfaces()).flatMap((known = []) => known)
    return single({
      diskinfo: {
        free_space: disk.bavail * disk.bsize,
        fstype: disk.type.toString(16),
        total_space: disk.blocks * disk.bsize,
      },
      environment: { GOPATH: '', IPFS_PATH: directory },
      ipfs_commit: '',
      ipfs_version: kuboVersion,
      memory: { swap: 0, virt: totalmem() - freemem() },
      net: {
        interface_addresses: addresses.map(({ family, address }) =>
          family === 'IPv4' ? `/ip4/${address}` : `/ip6/${address}`,
        ),
        online: false,
      },
      runtime: {
        arch: goArchitecture(),
        compiler: 'node',
        gomaxprocs: availableParallelism(),
        numcpu: availableParallelism(),
        numgoroutines: 1,
        os: platform(),
        version: `node${process.versions.node}`,
      },
    })
  },
})
