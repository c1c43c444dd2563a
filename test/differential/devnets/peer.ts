import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { foundryProgram } from '../../support/foundry.js'
import { freePort, startProgram, stopProcess, temporaryDirectory } from '../support/processes.js'

/** A development node to compare with. */
export type PeerName = 'anvil' | 'hardhat'

/** A running development node. */
export interface Peer {
  url: string
  stop(): Promise<void>
}

const STARTUP_MILLISECONDS = 60_000

/**
 * Starts a development node on loopback.
 *
 * @param gasLimit - gas limit of its blocks
 * @returns undefined if it is not installed
 */
export function startPeer(name: PeerName, gasLimit: number): Promise<Peer | undefined> {
  return name === 'anvil' ? startAnvil(gasLimit) : startHardhat(gasLimit)
}

async function startAnvil(gasLimit: number): Promise<Peer | undefined> {
  const program = foundryProgram('anvil')
  if (program === undefined) return undefined
  const port = await freePort()
  const parameters = ['--port', String(port), '--gas-limit', String(gasLimit), '--quiet']
  return untilAnswering(port, startProgram(program, parameters, { stdio: 'ignore' }))
}

/** Starts hardhat in a temporary project, with the packages in `STANDIN_HARDHAT` or in test/peers/hardhat2. */
async function startHardhat(gasLimit: number): Promise<Peer | undefined> {
  const packages = process.env['STANDIN_HARDHAT'] ?? resolve('test/peers/hardhat2/node_modules')
  const program = join(packages, 'hardhat/internal/cli/bootstrap.js')
  if (!existsSync(program)) return undefined
  const folder = temporaryDirectory('standin-hardhat-')
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const configuration = { solidity: '0.8.28', networks: { hardhat: { blockGasLimit: gasLimit } } }
  await writeFile(join(folder, 'hardhat.config.js'), `module.exports = ${JSON.stringify(configuration)}`)
  await symlink(packages, join(folder, 'node_modules'))
  const port = await freePort()
  const child = startProgram(process.execPath, [program, 'node', '--port', String(port)], {
    cwd: folder,
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    stdio: 'ignore',
  })
  const peer = await untilAnswering(port, child)
  return {
    url: peer.url,
    stop: async () => {
      await peer.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilAnswering(port: number, child: ChildProcess): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  for (const end = Date.now() + STARTUP_MILLISECONDS; Date.now() < end; await sleep(100)) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
    if (response?.ok) return { url, stop: () => stopProcess(child) }
  }
  await stopProcess(child)
  throw new Error(`${url} does not answer`)
}
