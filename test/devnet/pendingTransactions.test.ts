import type { Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll } from './support.js'

afterEach(stopAll)

test('eth_pendingTransactions lists what can be executed by sender and nonce, then what waits behind a gap', async () => {
  const { call, from, to } = await startDevnet({ noMining: true })
  const send = (sender: Hex, nonce: number) =>
    call('eth_sendTransaction', { from: sender, to, gas: '0x5208', nonce: `0x${nonce.toString(16)}` })
  await send(from, 5)
  await send(to, 0)
  await send(from, 1)
  await send(from, 0)
  const waiting = await call<{ from: Hex; nonce: Hex; blockHash: null }[]>('eth_pendingTransactions')
  expect(waiting.map(({ from: sender, nonce }) => [sender, Number(nonce)])).toEqual([
    [from.toLowerCase(), 0],
    [from.toLowerCase(), 1],
    [to.toLowerCase(), 0],
    [from.toLowerCase(), 5],
  ])
})

test.each(['hardhat_setNonce', 'anvil_setNonce', 'evm_setAccountNonce'])(
  '%s refuses a nonce of more than 64 bits',
  async (method) => {
    const { call, from } = await startDevnet()
    expect(await refusalOf(call(method, from, `0x1${'00'.repeat(8)}`))).toMatchObject({ code: -32602 })
    await call(method, from, `0x${'ff'.repeat(8)}`)
    expect(await call('eth_getTransactionCount', from, 'latest')).toBe(`0x${'ff'.repeat(8)}`)
  },
)
