import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The release that this project follows. */
export const kuboModule = 'github.com/ipfs/kubo@v0.42.0'

/** A peer of the comparison: where its API and its gateway answer. */
export interface Peer {
  api: string
  gateway: string
  stop(): Promise<void>
}

/**
 * The Kubo program: the file that `STANDIN_KUBO` names, or one built from the Go module proxy and kept in the user's
 * cache. `go install` refuses the module, whose go.mod has `exclude` lines, so it is built where Go unpacked it.
 *
 * @returns undefined where there is neither that file nor Go
 */
export async function findKubo(): Promise<string | undefined> {
  const given = process.env['STANDIN_KUBO']
  if (given !== undefined) return given
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'standin')
  const program = join(cache, `ipfs-${kuboModule.split('@')[1]}`)
  if (existsSync(program)) return program
  try {
    await run('go', ['version'])
  } catch {
    return undefined
  }
  await mkdir(cache, { recursive: true })
  const { stdout } = await run('go', ['mod', 'download', '-json', kuboModule])
  const { Dir } = JSON.parse(stdout) as { Dir: string }
  const built = `${program}.${process.pid}`
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' }
  await run('go', ['build', '-o', built, './cmd/ipfs'], { cwd: Dir, env, maxBuffer: 2 ** 26 })
  await chmod(built, 0o755)
  await rename(built, program)
  return program
}

/** What the daemon must not do: reach out, listen beyond loopback, or tell anybody that it runs. */
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

/** Starts an offline daemon over an empty repository in a temporary folder. */
export async function startKubo(program: string): Promise<Peer> {
  const repository = await mkdtemp(join(tmpdir(), 'kubo-repository-'))
  const env = { ...process.env, IPFS_PATH: repository, IPFS_TELEMETRY: 'off' }
  await run(program, ['init', '--empty-repo', '--profile=test'], { env })
  const path = join(repository, 'config')
  const config = JSON.parse(await readFile(path, 'utf8')) as object
  await writeFile(path, JSON.stringify({ ...config, ...isolation }))
  const daemon = spawn(program, ['daemon', '--offline'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  daemon.stdout.on('data', (text: Buffer) => (output += text.toString()))
  daemon.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const stop = (): Promise<void> => stopDaemon(daemon, repository)
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

async function stopDaemon(daemon: ChildProcess, repository: string): Promise<void> {
  if (daemon.exitCode === null) {
    const gone = new Promise((resolve) => daemon.once('exit', resolve))
    daemon.kill('SIGKILL')
    await gone
  }
  await rm(repository, { recursive: true, force: true })
}

/** The URL of a multiaddress such as `/ip4/127.0.0.1/tcp/5001`. */
function urlOf(multiaddress: string): string {
  const [, , host, , port] = multiaddress.split('/')
  return `http://${host}:${port}`
}
