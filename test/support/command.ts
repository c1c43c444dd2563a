import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { build } from '../../scripts/build.mjs'
import { until } from './until.js'

/** The line that `--json` prints when the node is ready. */
export interface Ready {
  url: string
  wsUrl: string
  ipfsUrl: string
  chainId: number
  accounts: { address: string; privateKey: string }[]
  dataDir: string
}

/** The command, running as a child process. */
export interface Command {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Resolves with the exit status, or with the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>
}

/** Builds the command if its sources changed. */
export function buildCommand(): Promise<void> {
  return build({ types: false, log: () => undefined })
}

/** Environment and entry file of a command; the entry defaults to that of this checkout. */
export interface CommandPlace {
  environment?: Record<string, string>
  entry?: string
}

export function runCommand(
  args: readonly string[],
  { environment = {}, entry = 'bin/standin.js' }: CommandPlace = {},
): Command {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(
    ([status, signal]: unknown[]) => (status ?? signal) as number | NodeJS.Signals,
  )
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/** Starts the command with `--json` on free ports and waits until it is ready. */
export async function startCommand(
  args: readonly string[] = [],
  place: CommandPlace = {},
): Promise<Command & { ready: Ready }> {
  const command = runCommand(['--json', '--port', '0', '--ipfs-port', '0', ...args], place)
  await until(() => command.stdout().includes('\n') || command.child.exitCode !== null)
  const [line = ''] = command.stdout().split('\n')
  if (line === '') throw new Error(`the command ended early: ${command.stderr()}`)
  return { ...command, ready: JSON.parse(line) as Ready }
}

/** Stops the command and returns how it ended. */
export function stopCommand(command: Command, signal: NodeJS.Signals = 'SIGINT') {
  command.child.kill(signal)
  return command.ended
}
