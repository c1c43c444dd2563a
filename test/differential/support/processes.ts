import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Finds a free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/**
 * Runs a program to completion.
 *
 * @returns its output: standard output and standard error, interleaved
 * @throws Error with the end of the output if the program exits with a status other than 0
 */
export async function runToEnd(
  command: string,
  parameters: readonly string[],
  options: SpawnOptions = {},
): Promise<string> {
  const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  }
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) {
    throw new Error(`${command} ${parameters.join(' ')} ended with ${status}:\n${printed.slice(-2000)}`)
  }
  return printed
}

/** Starts a program, and kills it when this process exits. */
export function startProgram(
  command: string,
  parameters: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const child = spawn(command, parameters, options)
  const kill = (): unknown => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.removeListener('exit', kill))
  return child
}

/** Creates a temporary directory that is removed when this process exits. */
export function temporaryDirectory(prefix: string): string {
  const path = mkdtempSync(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Sends SIGTERM to a program and waits for its exit. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

/** A program to compare with. */
export interface PeerProgram {
  /** Name of the binary. */
  name: string
  /** Go package with its version: `example.com/cmd/x@v1.2.3`. */
  goPackage: string
  /** Module with its version, if `go install` refuses the package because of `exclude` lines in its go.mod. */
  goModule?: string
  /** Text in the output of `NAME version` that identifies the release. */
  version: string
  /** Environment variable with the path of the binary. */
  variable: string
}

/**
 * Finds a program: in its environment variable, on PATH if the version matches, or in the user's cache. Otherwise
 * builds it with Go into that cache.
 *
 * @returns the path of the binary; undefined if there is neither the program nor Go, or if the build fails
 */
export async function findProgram({
  name,
  goPackage,
  goModule,
  version,
  variable,
}: PeerProgram): Promise<string | undefined> {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return given
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name)
    if (!existsSync(path)) continue
    const printed = await runToEnd(path, ['version']).catch(() => '')
    if (printed.includes(version)) return path
  }
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const folder = join(cache, 'standin', 'peers', `${name}-${version}`)
  const built = join(folder, name)
  if (existsSync(built)) return built
  if ((await runToEnd('go', ['version']).catch(() => '')) === '') return undefined
  console.error(`building ${goPackage}`)
  await mkdir(folder, { recursive: true })
  try {
    if (goModule === undefined) {
      await runToEnd('go', ['install', goPackage], { env: { ...process.env, GOBIN: folder } })
    } else await buildInModule({ goPackage, goModule, output: built })
    return built
  } catch (error) {
    console.error(`${goPackage} cannot be built: ${String(error)}`)
    return undefined
  }
}

/** Builds a package inside its unpacked module, so that `exclude` lines are allowed. */
async function buildInModule({
  goPackage,
  goModule,
  output,
}: {
  goPackage: string
  goModule: string
  output: string
}): Promise<void> {
  const printed = await runToEnd('go', ['mod', 'download', '-json', goModule])
  const { Dir } = JSON.parse(printed.slice(printed.indexOf('{'))) as { Dir: string }
  const [module = ''] = goModule.split('@')
  const [path = ''] = goPackage.slice(module.length).split('@')
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' }
  await runToEnd('go', ['build', '-o', output, `.${path}`], { cwd: Dir, env })
}

/** Returns the value of a command-line option, as in `--methods eth_call`. */
export function textOption(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(`--${name}`)
  return at < 0 ? undefined : argv[at + 1]
}

/** Returns the value of a numeric command-line option, as in `--seed 3`. */
export function numberOption(argv: readonly string[], name: string, fallback: number): number {
  const given = textOption(argv, name)
  return given === undefined ? fallback : Number(given)
}
