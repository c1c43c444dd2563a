import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { optionDefinitions } from '../../src/options.js'
import { type Command, buildCommand, runCommand, startCommand, stopCommand } from '../support/command.js'
import { callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'

const running: Command[] = []

function run(args: readonly string[], environment?: Record<string, string>): Command {
  const command = runCommand(args, { environment })
  running.push(command)
  return command
}

async function start(args: readonly string[] = []) {
  const command = await startCommand(args)
  running.push(command)
  return command
}

/** Occupies a port. */
async function occupyPort(port = 0) {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, free: () => server.close() }
}

const listening = (command: Command) => /^Listening on 127\.0\.0\.1:(\d+)/m.exec(command.stdout())?.[1]

beforeAll(buildCommand, 120_000)

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.child.kill('SIGKILL')
    await command.ended
  }
})

describe('output', () => {
  it('has what people and launchers of anvil look for', async () => {
    const command = run(['--port', '0', '--ipfs-port', '0'])
    await until(() => listening(command) !== undefined)
    const port = listening(command)
    const output = command.stdout()
    expect(output).toMatch(/^\(0\) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 \(10000\.0+ ETH\)$/m)
    expect(output).toMatch(/^\(9\) 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720 \(10000\.0+ ETH\)$/m)
    expect(output).toMatch(/^\(0\) 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80$/m)
    expect(output).toContain('test test test test test test test test test test test junk')
    expect(output).toContain('31337')
    expect(output).toMatch(new RegExp(`http://127\\.0\\.0\\.1:${port}/v3/\\S+`))
    expect(output).toMatch(new RegExp(`ws://127\\.0\\.0\\.1:${port}/ws/v3/\\S+`))
    // alloy reads lines between "Private Keys" and "Listening on" that begin with a bracket as keys.
    const keys = output
      .slice(output.indexOf('Private Keys'), output.indexOf('Listening on'))
      .match(/^\(.*$/gm)
    expect(keys).toHaveLength(10)
    for (const line of keys ?? []) expect(line).toMatch(/0x[0-9a-f]{64}$/)
    expect(command.stderr()).toBe('')
  })

  it('has a line for each mined block and each failed request', async () => {
    const command = run(['--port', '0', '--ipfs-port', '0'])
    await until(() => listening(command) !== undefined)
    const url = `http://127.0.0.1:${listening(command)}`
    const [from] = await callRpc<string[]>(url, 'eth_accounts', [])
    const banner = command.stdout().length
    const hash = await callRpc<string>(url, 'eth_sendTransaction', [{ from, to: from, value: '0x1' }])
    await callRpc(url, 'eth_noSuchMethod', []).catch(() => undefined)
    const lines = () => command.stdout().slice(banner).split('\n').filter(Boolean)
    await until(() => lines().length >= 2)
    const { blockHash } = await callRpc<{ blockHash: string }>(url, 'eth_getTransactionReceipt', [hash])
    expect(blockHash).toMatch(/^0x/)
    expect(lines().filter((line) => /block.*\b1\b/i.test(line))).toHaveLength(1)
    expect(lines().filter((line) => line.includes('eth_noSuchMethod'))).toHaveLength(1)
    expect(command.stderr()).toBe('')
  })

  it('is one line of JSON with --json', async () => {
    const { ready, stdout, stderr } = await start()
    expect(stdout().trim().split('\n')).toHaveLength(1)
    expect(ready.chainId).toBe(31337)
    expect(ready.accounts).toHaveLength(10)
    expect(ready.accounts[0]).toEqual({
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    })
    expect(await callRpc(ready.url, 'eth_chainId', [])).toBe('0x7a69')
    expect((await fetch(new URL('/_standin/health', ready.url))).status).toBe(200)
    expect((await fetch(new URL('/api/v0/version', ready.ipfsUrl), { method: 'POST' })).status).toBe(200)
    expect(existsSync(ready.dataDir)).toBe(true)
    expect(stderr()).toBe('')
  })

  it('is empty with --quiet', async () => {
    const { port, free } = await occupyPort()
    free()
    const command = run(['--quiet', '--port', String(port), '--ipfs-port', '0'])
    await until(() => callRpc(`http://127.0.0.1:${port}`, 'eth_chainId', []).then(Boolean, () => false))
    expect(await stopCommand(command)).toBe(0)
    expect(command.stdout() + command.stderr()).toBe('')
  })

  it('explains every flag with --help', async () => {
    const command = run(['--help'])
    expect(await command.ended).toBe(0)
    for (const { flag } of Object.values(optionDefinitions)) expect(command.stdout()).toContain(`--${flag}`)
    expect(command.stderr()).toBe('')
  })

  it('is the version with --version', async () => {
    const command = run(['--version'])
    expect(await command.ended).toBe(0)
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
    expect(command.stdout()).toContain(version)
  })
})

describe('refuses with one line and exit status 2', () => {
  it.each([
    [['--no-such-flag'], '--no-such-flag'],
    [['--port', 'http'], '--port'],
    [['--port', '70000'], '--port'],
    [['--chain-id', '-1'], '--chain-id'],
    [['--hardfork', 'tomorrow'], '--hardfork'],
    [['--mnemonic', 'not a mnemonic', '--port', '0', '--ipfs-port', '0'], 'mnemonic'],
    [['--config', '/no/such/file.json'], '/no/such/file.json'],
  ])('%j', async (args, mention) => {
    const command = run(args)
    expect(await command.ended).toBe(2)
    expect(command.stderr().trim().split('\n')).toHaveLength(1)
    expect(command.stderr()).toContain(mention)
    expect(command.stdout()).toBe('')
  })

  it('an invalid environment variable', async () => {
    const command = run([], { STANDIN_PORT: 'http' })
    expect(await command.ended).toBe(2)
    expect(command.stderr().trim().split('\n')).toHaveLength(1)
    expect(command.stderr()).toContain('STANDIN_PORT')
  })

  it.each(['--port', '--ipfs-port'])('an occupied %s', async (flag) => {
    const { port, free } = await occupyPort()
    const others = flag === '--port' ? ['--ipfs-port', '0'] : ['--port', '0']
    const command = run([flag, String(port), ...others])
    expect(await command.ended).toBe(2)
    free()
    expect(command.stderr().trim().split('\n')).toHaveLength(1)
    expect(command.stderr()).toContain(String(port))
  })

  it('a data directory that another process has open', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'standin-command-'))
    const holder = await start(['--data-dir', dataDir])
    const command = run(['--port', '0', '--ipfs-port', '0', '--data-dir', dataDir])
    expect(await command.ended).toBe(2)
    expect(command.stderr().trim().split('\n')).toHaveLength(1)
    expect(command.stderr()).toContain(dataDir)
    await stopCommand(holder)
    await rm(dataDir, { recursive: true, force: true })
  })
})

it('warns when the default port 5001 is occupied, and serves IPFS on the main port', async () => {
  const occupied = await occupyPort(5001).catch(() => undefined)
  const command = run(['--port', '0'])
  await until(() => listening(command) !== undefined)
  const version = await fetch(`http://127.0.0.1:${listening(command)}/api/v0/version`, { method: 'POST' })
  expect(version.status).toBe(200)
  expect(command.stderr()).toMatch(/^Warning.*5001.*\n$/)
  occupied?.free()
})

it('reads options from the environment', async () => {
  const command = run(['--json', '--ipfs-port', '0'], { STANDIN_PORT: '0', STANDIN_CHAIN_ID: '4242' })
  await until(() => command.stdout().includes('\n'))
  expect(JSON.parse(command.stdout())).toMatchObject({ chainId: 4242 })
})

describe('shutdown', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends cleanly on %s and removes temporary data',
    async (signal) => {
      const command = await start()
      const socket = new WebSocket(command.ready.wsUrl)
      await once(socket, 'open')
      expect(await stopCommand(command, signal)).toBe(0)
      expect(existsSync(command.ready.dataDir)).toBe(false)
      expect(command.stderr()).toBe('')
    },
  )

  it('does not wait for the generation of an RSA key, which takes up to a minute', async () => {
    const command = await start()
    const making = addKey(command.ready.ipfsUrl, 'long').catch(() => undefined)
    await until(async () => {
      const response = await fetch(new URL('/api/v0/diag/cmds', command.ready.ipfsUrl), { method: 'POST' })
      return (await response.text()).includes('key/gen')
    })
    expect(await stopCommand(command, 'SIGTERM')).toBe(0)
    expect(command.stderr()).toBe('')
    await making
  })

  it('waits until the state is written, however slow the disk', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'standin-command-'))
    const command = await start(['--dump-state', join(directory, 'state.json')])
    // A pipe takes nothing until somebody reads.
    const unfinished = join(directory, `state.json.${command.child.pid}`)
    await promisify(execFile)('mkfifo', [unfinished])
    command.child.kill('SIGTERM')
    expect(await Promise.race([command.ended, setTimeout(3000, 'running')])).toBe('running')
    expect(JSON.parse(await readFile(unfinished, 'utf8'))).toMatchObject({ best_block_number: 0 })
    expect(await command.ended).toBe(0)
    await rm(directory, { recursive: true })
  })

  it('keeps a given data directory', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'standin-command-'))
    const first = await start(['--data-dir', dataDir])
    await callRpc(first.ready.url, 'evm_mine', [])
    expect(await stopCommand(first)).toBe(0)
    const second = await start(['--data-dir', dataDir])
    expect(await callRpc(second.ready.url, 'eth_blockNumber', [])).toBe('0x1')
    await stopCommand(second)
    await rm(dataDir, { recursive: true, force: true })
  })

  it('leaves temporary data after kill -9 to be removed by the next start', async () => {
    const first = await start()
    await stopCommand(first, 'SIGKILL')
    expect(existsSync(first.ready.dataDir)).toBe(true)
    await start()
    await until(() => !existsSync(first.ready.dataDir))
  })
})

/** Requests an RSA key of the maximum length. */
function addKey(ipfsUrl: string, name: string): Promise<Response> {
  return fetch(new URL(`/api/v0/key/gen?arg=${name}&type=rsa&size=8192`, ipfsUrl), { method: 'POST' })
}
