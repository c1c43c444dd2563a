import { beforeAll, expect, test } from 'vitest'
import { buildCommand, startCommand, stopCommand } from '../support/command.js'
import { callRpc } from '../support/rpc.js'

beforeAll(buildCommand)

/** Does the same work on a new chain and returns its blocks, receipts and state. */
async function runChain(): Promise<unknown> {
  const command = await startCommand(['--deterministic'])
  const { url, accounts } = command.ready
  const call = <Result = unknown>(method: string, ...params: unknown[]) =>
    callRpc<Result>(url, method, params)
  const [from, to] = accounts.map(({ address }) => address)
  // TIMESTAMP PUSH1 0 SSTORE PREVRANDAO PUSH1 1 SSTORE PUSH1 0 PUSH1 0 RETURN
  const data = '0x426000554460015560006000f3'
  await call('eth_sendTransaction', { from, data, gas: '0x200000' })
  await call('eth_sendTransaction', { from, to, value: '0x1' })
  await call('evm_increaseTime', 100)
  await call('evm_mine')
  await call('evm_setAutomine', false)
  for (const sender of accounts.slice(0, 4)) {
    await call('eth_sendTransaction', { from: sender.address, to, value: '0x2' })
  }
  await call('evm_mine')
  const height = Number(await call<string>('eth_blockNumber'))
  const blocks = []
  for (let number = 0; number <= height; number++) {
    const tag = `0x${number.toString(16)}`
    blocks.push(await call('eth_getBlockByNumber', tag, true), await call('eth_getBlockReceipts', tag))
  }
  await stopCommand(command)
  return blocks
}

test('two processes produce the same chain at different times', async () => {
  const first = await runChain()
  // The system time must differ to show that it has no effect.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const second = await runChain()
  expect(JSON.stringify(second)).toBe(JSON.stringify(first))
})
