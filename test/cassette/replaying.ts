import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import type { Hex } from 'viem'
import { type NodeOptions, createNode } from '../../src/index.js'
import { foundryProgram } from '../support/foundry.js'
import { until } from '../support/until.js'
import { type Flow, type Urls, ethers5Flow, fileFlows, flows } from './suites.js'

/** A node to record. */
export interface Upstream extends Urls {
  ipfsUrl?: string
  stop(): Promise<unknown>
}

/** Masks the fees and nonces in gas estimates: clients send them along, and they depend on concurrent flows. */
const rules = {
  masks: ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'nonce'].map((name) => ({
    method: 'eth_estimateGas',
    path: `0.${name}`,
  })),
}

/** Starts a second Standin node. */
export async function startSecondNode(): Promise<Upstream> {
  return createNode()
}

/** Starts anvil; undefined if it is not installed. */
export async function startAnvil(): Promise<Upstream | undefined> {
  const program = foundryProgram('anvil')
  if (program === undefined) return undefined
  const child = spawn(program, ['--port', '0'])
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(() => /Listening on [\d.]+:\d+/.test(output))
  const port = /Listening on [\d.]+:(\d+)/.exec(output)![1]
  return { url: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}`, stop: () => ended(child) }
}

/** Starts Kubo offline; undefined if `ipfs` is not in PATH. */
export async function startKubo(): Promise<{ ipfsUrl: string; stop(): Promise<unknown> } | undefined> {
  if (spawnSync('ipfs', ['version']).error) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'kubo-'))
  const environment = { ...process.env, IPFS_PATH: directory }
  const set = (...args: string[]) => spawnSync('ipfs', args, { env: environment })
  set('init')
  set('config', 'Addresses.API', '/ip4/127.0.0.1/tcp/0')
  set('config', 'Addresses.Gateway', '/ip4/127.0.0.1/tcp/0')
  const child = spawn('ipfs', ['daemon', '--offline'], { env: environment })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(() => output.includes('Daemon is ready'))
  const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(output)![1]
  const stop = async (): Promise<void> => {
    await ended(child)
    rmSync(directory, { recursive: true })
  }
  return { ipfsUrl: `http://127.0.0.1:${port}`, stop }
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  const closed = once(child, 'close')
  child.kill()
  await closed
}

/** A suite in another language that runs once for each input line. */
export interface Program {
  flow: Flow
  stop(): Promise<void>
}

export function startProgram(command: string, args: readonly string[]): Program {
  const child = spawn(command, args)
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    flow: async ({ url, wsUrl }, key) => {
      child.stdin.write(`${url} ${wsUrl} ${key}\n`)
      const line = await lines.next()
      if (line.value !== 'ok') throw new Error(String(line.value ?? complaint))
    },
    stop: () => ended(child),
  }
}

/**
 * Records concurrent flows, cuts the network, and replays them concurrently, in another order each round.
 *
 * @throws errors of the flows
 */
export async function recordAndReplay(
  upstream: Upstream,
  run: Readonly<Record<string, Flow>>,
  rounds: number,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  const path = join(directory, 'clients.ndjson')
  const names = Object.keys(run)
  const { url, wsUrl } = upstream
  const upstreams = { upstream: url, upstreamWs: wsUrl }
  const options: NodeOptions = { recordRules: rules, accounts: names.length }
  try {
    const recording = await createNode({ ...options, ...upstreams, record: path })
    const keys = new Map(names.map((name, index) => [name, recording.accounts[index]!.privateKey]))
    try {
      await runTogether(run, names, recording, keys)
    } finally {
      await recording.stop()
      await upstream.stop()
    }
    const replaying = await createNode(options)
    try {
      for (let round = 1; round <= rounds; round++) {
        await startReplay(replaying.controlUrl, path)
        await runTogether(run, shuffled(names, round), replaying, keys)
      }
      const state = (await (await fetch(`${replaying.controlUrl}/cassette`)).json()) as object
      expect(state).toMatchObject({ state: 'replaying', answers: { own: 0, recorded: 0 } })
    } finally {
      await replaying.stop()
    }
  } finally {
    if (process.env['KEEP_CASSETTE'] === undefined) rmSync(directory, { recursive: true })
    else console.log(path)
  }
}

async function startReplay(controlUrl: string, path: string): Promise<void> {
  const response = await fetch(`${controlUrl}/cassette`, {
    method: 'PUT',
    body: JSON.stringify({ replay: { path } }),
    headers: { 'content-type': 'application/json' },
  })
  expect(response.status).toBe(200)
}

async function runTogether(
  run: Readonly<Record<string, Flow>>,
  names: readonly string[],
  urls: Urls,
  keys: ReadonlyMap<string, Hex>,
): Promise<void> {
  const ends = await Promise.allSettled(
    names.map(async (name) => {
      try {
        await run[name]!(urls, keys.get(name)!)
      } catch (error) {
        throw new Error(
          `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          {
            cause: error,
          },
        )
      }
    }),
  )
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []))
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join('\n'))
}

/** Shuffles items by a seed (the linear congruential generator of Numerical Recipes). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed
  const next = (): number => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32
  return items
    .map((item) => ({ item, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** Returns the flows of every installed client. */
export async function allFlows(): Promise<Record<string, Flow>> {
  const ethers5 = await ethers5Flow()
  if (ethers5 === undefined) console.warn('ethers 5 is not installed: npm install --prefix test/peers')
  return {
    ...flows,
    ...(ethers5 && {
      'ethers 5 over HTTP': ethers5('http'),
      'ethers 5 in batches': ethers5('batch'),
      'ethers 5 over WebSocket': ethers5('webSocket'),
    }),
  }
}

/** Records the flows of kubo-rpc-client, cuts the network and replays them. */
export async function recordAndReplayFiles(
  upstream: { ipfsUrl: string; stop(): Promise<unknown> },
  rounds: number,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  const path = join(directory, 'files.ndjson')
  const runAll = async (ipfsUrl: string, names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => fileFlows[name]!(ipfsUrl)))
  }
  const names = Object.keys(fileFlows)
  try {
    const place = { upstream: 'http://127.0.0.1:9', upstreamIpfs: upstream.ipfsUrl }
    const recording = await createNode({ ...place, record: path })
    try {
      await runAll(recording.ipfsUrl, names)
    } finally {
      await recording.stop()
      await upstream.stop()
    }
    const replaying = await createNode()
    try {
      for (let round = 1; round <= rounds; round++) {
        await startReplay(replaying.controlUrl, path)
        await runAll(replaying.ipfsUrl, shuffled(names, round))
      }
    } finally {
      await replaying.stop()
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
