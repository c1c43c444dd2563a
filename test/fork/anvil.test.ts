import { spawn, type ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { callRpc } from '../support/rpc.js'
import { foundryProgram } from '../support/foundry.js'
import { until } from '../support/until.js'
import { fill, type Remote } from './remotes.js'

const anvil = foundryProgram('anvil')
if (anvil === undefined) console.warn('skipped: forks of anvil, which is not in test/peers')

describe.skipIf(anvil === undefined)('anvil as the remote', () => {
  let child: ChildProcess
  let remote: Remote
  let node: StandinNode

  beforeAll(async () => {
    child = spawn(anvil ?? '', ['--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await until(() => output.includes('Listening on') || child.exitCode !== null)
    const url = `http://${/Listening on (\S+)/.exec(output)?.[1]}`
    remote = await fill(
      url,
      (method, params = []) => callRpc(url, method, params),
      async () => void child.kill(),
    )
    node = await createNode({ port: 0, forkUrl: url })
  })

  afterAll(async () => {
    await node?.stop()
    child?.kill()
  })

  test('the fork has its state, and calls to its contracts change only the fork', async () => {
    const slot = (on: Pick<Remote, 'request'>, index: string) =>
      on.request('eth_getStorageAt', [remote.counter, index, 'latest'])
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
    expect([await slot(node, '0x0'), await slot(node, '0x2')]).toEqual([word(1), word(41)])
    const hash = await node.request('eth_sendTransaction', [
      { from: remote.accounts[0], to: remote.counter, gas: '0x100000' },
    ])
    expect(await node.request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    expect([await slot(node, '0x0'), await slot(node, '0x1')]).toEqual([word(2), word(0)])
    expect(await slot(remote, '0x0')).toBe(word(1))
  })

  test('the fork has its blocks, transactions and logs', async () => {
    const number = `0x${remote.firstBlock.toString(16)}`
    const block = (await remote.request('eth_getBlockByNumber', [number, false])) as {
      transactions: string[]
    }
    for (const [method, params] of [
      ['eth_getBlockByNumber', [number, true]],
      ['eth_getTransactionReceipt', [block.transactions[0]]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: `0x${remote.head.toString(16)}` }]],
    ] as const) {
      expect(await node.request(method, params)).toEqual(await remote.request(method, params))
    }
  })
})
