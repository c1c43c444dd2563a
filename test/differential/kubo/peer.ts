import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, runToEnd, startProgram, stopProcess, temporaryDirectory } from '../support/processes.js'

/** A peer of the comparison, with the URLs of its API and gateway. */
export interface Peer {
  api: string
  gateway: string
  stop(): Promise<void>
}

/** Finds Kubo, or builds it. @returns its path; undefined if it is neither installed nor can be built. */
export function findKubo(): Promise<string | undefined> {
  return findProgram({
    name: 'ipfs',
    goPackage: 'github.com/ipfs/kubo/cmd/ipfs@v0.42.0',
    goModule: 'github.com/ipfs/kubo@v0.42.0',
    version: '0.42.0',
    variable: 'STANDIN_KUBO',
  })
}

/** Settings that keep the daemon from connecting out, listening beyond loopback, or announcing itself. */
const isolation = {
  AutoConf: { Enabled: false },
  AutoTLS: { Enabled: false },
  Bootstrap: [],
  Discovery: { MDNS: { Enabled: false } },
  Routing: { Type: 'none' },
  Provide: { Enabled: false },
  DNS: { Resolvers: {} },
  Addresses: {
    API: '/ip4/127.0.0.1/tcp/0',
    Gateway: '/ip4/127.0.0.1/tcp/0',
    Swarm: [],
    Announce: [],
    AppendAnnounce: [],
    NoAnnounce: [],
  },
  Plugins: { Plugins: { telemetry: { Disabled: true } } },
}

/** The directory of all repositories. */
let parent: string | undefined

/** Starts an offline daemon on an empty repository in a temporary directory. */
export async function startKubo(program: string): Promise<Peer> {
  parent ??= temporaryDirectory('standin-kubo-')
  const repository = await mkdtemp(join(parent, 'repository-'))
  const env = { ...process.env, IPFS_PATH: repository, IPFS_TELEMETRY: 'off' }
  await runToEnd(program, ['init', '--empty-repo', '--profile=test'], { env })
  const path = join(repository, 'config')
  const config = JSON.parse(await readFile(path, 'utf8')) as object
  await writeFile(path, JSON.stringify({ ...config, ...isolation }))
  const daemon = startProgram(program, ['daemon', '--offline'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  daemon.stdout?.on('data', (text: Buffer) => (output += text.toString()))
  daemon.stderr?.on('data', (text: Buffer) => (output += text.toString()))
  const stop = async (): Promise<void> => {
    // A daemon with a blocked request does not end otherwise.
    daemon.kill('SIGKILL')
    await stopProcess(daemon)
    await rm(repository, { recursive: true, force: true })
  }
  for (let attempt = 0; !output.includes('Daemon is ready'); attempt++) {
    if (daemon.exitCode !== null || attempt > 600) {
      await stop()
      throw new Error(`Kubo did not start:\n${output}`)
    }
    await sleep(200)
  }
  const api = /RPC API server listening on (\S+)/.exec(output)?.[1] ?? ''
  const gateway = /Gateway server listening on (\S+)/.exec(output)?.[1] ?? ''
  return { api: urlOf(api), gateway: urlOf(gateway), stop }
}

/** Converts a multiaddress to a URL, such as `/ip4/127.0.0.1/tcp/5001`. */
function urlOf(multiaddress: string): string {
  const [, , host, , port] = multiaddress.split('/')
  return `http://${host}:${port}`
}
