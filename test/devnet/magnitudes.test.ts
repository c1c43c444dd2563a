import { type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Devnet } from './support.js'

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet()
})
afterAll(stopAll)

const huge: Hex = `0x${'f'.repeat(64)}`
const funds = 'insufficient funds for gas * price + value: required balance exceeds 256 bits'

test.each<[string, Record<string, unknown>, string]>([
  ['eth_sendTransaction', { gasPrice: huge }, funds],
  ['eth_sendTransaction', { maxFeePerGas: huge, maxPriorityFeePerGas: huge }, funds],
  ['eth_sendTransaction', { nonce: '0xffffffffffffffff' }, 'nonce has max value'],
  ['eth_sendUnsignedTransaction', { gasPrice: huge }, funds],
])('%s refuses unpayable fees and the maximum nonce (case %#)', async (method, fields, message) => {
  const { call, from, to } = devnet
  expect(await refusalOf(call(method, { from, to, gas: '0x5208', ...fields }))).toEqual({
    code: -32000,
    message,
  })
})

test.each(['legacy', 'eip2930', 'eip1559'] as const)(
  'the mempool refuses unpayable fees of a signed %s transaction',
  async (type) => {
    const account = mnemonicToAccount('test test test test test test test test test test test junk')
    const fees = type === 'eip1559' ? { maxFeePerGas: BigInt(huge) } : { gasPrice: BigInt(huge) }
    const raw = await account.signTransaction({
      type,
      chainId: 31337,
      to: devnet.to,
      gas: 21_000n,
      nonce: 0,
      ...fees,
    } as Parameters<typeof account.signTransaction>[0])
    expect(await refusalOf(devnet.call('eth_sendRawTransaction', raw))).toEqual({
      code: -32000,
      message: funds,
    })
  },
)

test('balances wrap at 256 bits, as in geth', async () => {
  const { call, send, to } = devnet
  const balanceOf = (address: Hex) => call<Hex>('eth_getBalance', address, 'latest')
  await call('anvil_setBalance', to, huge)
  expect(await send({ to, value: '0x1', gas: '0x5208' })).toMatchObject({ status: '0x1', gasUsed: '0x5208' })
  expect(await balanceOf(to)).toBe('0x0')
  const miner: Hex = '0x00000000000000000000000000000000000000fe'
  await call('anvil_setCoinbase', miner)
  await call('anvil_setBalance', miner, huge)
  const { status } = await send({
    to: miner.replace(/fe$/, 'fd'),
    gas: '0x5208',
    maxPriorityFeePerGas: '0x2',
    maxFeePerGas: '0x77359400',
  })
  expect(status).toBe('0x1')
  // 21,000 gas at a tip of 2 wei, less the 1 wei that was missing.
  expect(await balanceOf(miner)).toBe('0xa40f')
})
