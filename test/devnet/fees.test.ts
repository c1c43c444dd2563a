import { createTestClient, http, parseGwei, publicActions, walletActions, type Hex } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, describe, expect, test } from 'vitest'
import { startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

function connect({ node }: Devnet) {
  return createTestClient({ mode: 'anvil', chain: foundry, transport: http(node.url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)
}

describe('suggested fees', () => {
  test('match those of development nodes on its own chain', async () => {
    const client = connect(await startDevnet())
    expect(await client.estimateMaxPriorityFeePerGas()).toBe(parseGwei('1'))
    expect(await client.getGasPrice()).toBe(parseGwei('2'))
    // viem adds 20 % to the base fee.
    expect(await client.estimateFeesPerGas()).toEqual({
      maxFeePerGas: parseGwei('2.2'),
      maxPriorityFeePerGas: parseGwei('1'),
    })
  })

  test('take the base fee set for the next block into account', async () => {
    const devnet = await startDevnet({ noMining: true })
    const client = connect(devnet)
    const baseFeePerGas = parseGwei('20')
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas })
    expect(await client.getGasPrice()).toBe(parseGwei('21'))
    expect(await devnet.call('eth_baseFee')).toBe('0x4a817c800')
    const history = await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })
    expect(history.baseFeePerGas).toEqual([parseGwei('1'), baseFeePerGas])
    const hash = await client.sendTransaction({ account: devnet.from, to: devnet.to, value: 1n })
    await client.mine({ blocks: 1 })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({
      effectiveGasPrice: baseFeePerGas + parseGwei('1'),
    })
    const [, next] = (await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })).baseFeePerGas
    expect(next).toBeLessThan(baseFeePerGas)
  })

  test("may be zero if the next block's base fee is", async () => {
    const devnet = await startDevnet()
    const client = connect(devnet)
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n })
    const hash = await client.sendTransaction({ account: devnet.from, to: devnet.to, gasPrice: 0n })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ effectiveGasPrice: 0n })
  })
})

describe('replacement', () => {
  test.each([
    ['repriced', {}],
    ['cancelled', { self: true }],
    ['replaced', { value: 2n }],
  ])('a higher cap is sufficient: %s', async (reason, { self = false, value = self ? 0n : 1n }: Other) => {
    const devnet = await startDevnet({ noMining: true })
    const client = connect(devnet)
    const { from: account, to } = devnet
    const send = (fields: { to: Hex; value: bigint; maxFeePerGas: bigint }) =>
      client.sendTransaction({ account, nonce: 0, ...fields })
    const hash = await send({ to, value: 1n, maxFeePerGas: parseGwei('10') })
    const reasons: string[] = []
    // viem detects a replacement only if it has seen the original, and does not inspect blocks mined before that.
    const firstLook = Promise.all(
      ['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_getBlockByNumber'].map((method) =>
        devnet.node.journal.waitFor({ method }),
      ),
    )
    const waiting = client.waitForTransactionReceipt({
      hash,
      onReplaced: (replacement) => reasons.push(replacement.reason),
    })
    await firstLook
    await send({ to: self ? account : to, value, maxFeePerGas: parseGwei('20') })
    await client.mine({ blocks: 1 })
    expect((await waiting).status).toBe('success')
    expect(reasons).toEqual([reason])
  })

  interface Other {
    self?: boolean
    value?: bigint
  }
})
