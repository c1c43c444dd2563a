import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IpcSocketProvider } from 'ethers'
import { createPublicClient } from 'viem'
import { ipc } from 'viem/node'
import { afterEach, describe, expect, test } from 'vitest'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'

const directory = mkdtempSync(join(tmpdir(), 'standin-ipc-'))
const path = join(directory, 'node.ipc')
let node: StandinNode | undefined

async function start(options: NodeOptions = {}): Promise<StandinNode> {
  node = await createNode({ port: 0, ipfsPort: 0, ipc: path, ...options })
  return node
}

afterEach(async () => {
  await node?.stop()
  node = undefined
  rmSync(path, { force: true })
})

/** Writes text to the socket and returns the lines received until it closes or sent `lines` lines. */
function exchange(text: string, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(path, () => socket.write(text))
    const done = (): void => {
      socket.destroy()
      resolve(received.split('\n').filter((line) => line !== ''))
    }
    socket.on('data', (chunk) => {
      received += chunk.toString()
      if (received.split('\n').length > lines) done()
    })
    socket.on('close', done)
    socket.on('error', reject)
  })
}

const ask = (id: number, method = 'eth_chainId'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: [] })

describe('JSON-RPC over a Unix domain socket', () => {
  test('serves viem, with subscriptions', async () => {
    const { request } = await start()
    const client = createPublicClient({ transport: ipc(path) })
    expect(await client.getChainId()).toBe(31337)
    const seen = new Promise<bigint>((resolve) => {
      const stop = client.watchBlockNumber({
        onBlockNumber: (number) => {
          stop()
          resolve(number)
        },
      })
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await request('evm_mine')
    expect(await seen).toBe(1n)
  })

  test('serves ethers', async () => {
    await start()
    const provider = new IpcSocketProvider(path)
    expect((await provider.getNetwork()).chainId).toBe(31337n)
    expect(await provider.getBlockNumber()).toBe(0)
    provider.destroy()
  })

  test('reads messages with or without separators, and answers each with a line', async () => {
    await start()
    const answers = await exchange(`${ask(1)}${ask(2)}\n[${ask(3)},${ask(4)}]`, 3)
    expect(answers.map((line) => JSON.parse(line) as unknown)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x7a69' },
      { jsonrpc: '2.0', id: 2, result: '0x7a69' },
      [
        { jsonrpc: '2.0', id: 3, result: '0x7a69' },
        { jsonrpc: '2.0', id: 4, result: '0x7a69' },
      ],
    ])
  })

  test('reports an invalid message, and ends the connection', async () => {
    await start()
    const [answer] = await exchange('nonsense', 2)
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: null, error: { code: -32700 } })
  })

  test('is open only to the owner of the file, who needs no key', async () => {
    await start({ mode: 'strict', key: ['secret-key'] })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const [answer] = await exchange(ask(1, 'evm_mine'), 1)
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 1, result: '0x0' })
  })

  test('leaves no file, and replaces one left by a killed node', async () => {
    await (await start()).stop()
    expect(existsSync(path)).toBe(false)
    const left = createServer().listen(path)
    await new Promise((resolve) => left.once('listening', resolve))
    await expect(start()).rejects.toThrow(`--ipc: ${path} is already in use`)
    await new Promise((resolve) => left.close(resolve))
    writeFileSync(path, 'not a socket')
    await expect(start()).rejects.toThrow('--ipc: ')
    rmSync(path)
    await start()
    expect(await exchange(ask(1), 1)).toHaveLength(1)
  })
})
