import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ready } from '../support/command.js'
import { until } from '../support/until.js'

/** Measurements of the probe in the node since the last query. */
export interface Measurement {
  /** Longest stretch of processor time in milliseconds during which the event loop served nobody. */
  longest: number
  /** The same in wall-clock time, without the time in which the kernel ran other processes. */
  longestPassed: number
  /** Longest wall-clock wait for a file in milliseconds. */
  longestFileWait: number
  /** Peak resident memory since the start in bytes. */
  peakMemory: number
  /** Share of time in which the thread worked, from 0 to 1; waits for a processor do not count as time. */
  busy: number
  /** Call stacks with times during the longest stop, if profiled (npm run torture -- --profile). */
  stacks: string[]
}

/** A node under torture: a separate process with a probe inside. */
export interface TorturedNode {
  ready: Ready
  dataDir: string
  child: ChildProcess
  /** Standard error of the node. */
  stderr: () => string
  isAlive: () => boolean
  measure(): Promise<Measurement>
  /** Stops the node and removes its data directory, unless it was given. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** Starts a node on free ports with the probe inside. */
export async function startTorturedNode(
  options: readonly string[] = [],
  { dataDir }: { dataDir?: string } = {},
): Promise<TorturedNode> {
  const directory = dataDir ?? (await mkdtemp(join(tmpdir(), 'standin-torture-')))
  const probe = join(import.meta.dirname, 'probe.mjs')
  const words = ['--json', '--port', '0', '--ipfs-port', '0', '--data-dir', directory, ...options]
  const child = spawn(process.execPath, ['--import', probe, 'bin/standin.js', ...words], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(
    ([status, signal]: unknown[]) => (status ?? signal) as number | NodeJS.Signals,
  )
  await until(() => stdout.includes('\n') || child.exitCode !== null)
  if (!stdout.includes('\n')) throw new Error(`the node ended early: ${stderr}`)
  return {
    ready: JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) as Ready,
    dataDir: directory,
    child,
    stderr: () => stderr,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async measure() {
      const answer = once(child, 'message')
      child.send('measure')
      const [measurement] = (await answer) as [Measurement]
      return measurement
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const status = await ended
      if (dataDir === undefined) await rm(directory, { recursive: true, force: true })
      return status
    },
  }
}

/** Waits until a node is idle. @throws Error if it is still busy after the given time */
export async function untilIdle(node: TorturedNode, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds
  await node.measure()
  for (;;) {
    await sleep(100)
    if ((await node.measure()).busy < 0.5) return
    if (performance.now() > end) throw new Error(`the node is still busy after ${milliseconds} ms`)
  }
}

/** A second client in a separate process, which continuously sends small requests. */
export interface Bystander {
  /** Longest response times in milliseconds since the last call, by request, and the number of answers. */
  read(): Promise<{ longest: Record<string, number>; answers: number; faults: string[] }>
  stop(): void
}

/** Starts a bystander that uses eth_chainId, cat and a WebSocket subscription. */
export async function startBystander(node: Pick<TorturedNode, 'ready'>, cid: string): Promise<Bystander> {
  const child = fork(join(import.meta.dirname, 'bystander.mjs'), [JSON.stringify({ ...node.ready, cid })])
  await once(child, 'message')
  return {
    async read() {
      const answer = once(child, 'message')
      child.send('read')
      const [result] = (await answer) as [Awaited<ReturnType<Bystander['read']>>]
      return result
    },
    stop: () => void child.kill(),
  }
}
