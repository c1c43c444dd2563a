import { type Hex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { type Devnet, refusalOf, startDevnet, stopAll } from './support.js'

afterEach(stopAll)

const from: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const to: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const stranger: Hex = `0x${'51'.repeat(20)}`
const contract: Hex = `0x${'c0'.repeat(20)}`
const signer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const gwei = 10n ** 9n

/** Faults of a transaction, with the fields that cause them. */
const faultyFields = {
  nonce: { nonce: '0x0' },
  'too little gas': { gas: '0x5207' },
  'too much gas': { gas: '0x1c9c381' },
  'a low cap': { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' },
  'a tip above the cap': {
    maxFeePerGas: numberToHex(2n * gwei),
    maxPriorityFeePerGas: numberToHex(3n * gwei),
  },
  'a low cap below the tip': { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
  'no fees': { gasPrice: '0x0' },
  funds: { value: numberToHex(20_000n * 10n ** 18n) },
  'another chain': { chainId: '0x1' },
  'long creation code': { to: undefined, data: `0x${'00'.repeat(50_000)}` },
  'blobs without a sidecar': {
    blobVersionedHashes: [`0x01${'ab'.repeat(31)}`],
    maxFeePerBlobGas: '0x1',
  },
} as const

const answers = {
  nonce: { code: -32003, message: 'nonce too low' },
  'too little gas': { code: -32000, message: 'intrinsic gas too low' },
  'too much gas': { code: -32000, message: 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit' },
  'a low cap': { code: -32003, message: 'max fee per gas less than block base fee' },
  'a tip above the cap': { code: -32003, message: 'max priority fee per gas higher than max fee per gas' },
  funds: { code: -32003, message: 'Insufficient funds for gas * price + value' },
  'another chain': {
    code: -32602,
    message: "transaction-provided chain ID (1) does not match the signer's chain ID (31337)",
  },
  'long creation code': { code: -32003, message: 'max initcode size exceeded' },
  'blobs without a sidecar': { code: -32602, message: 'Failed to decode transaction' },
} as const

type Fault = keyof typeof faultyFields

/** The fault that anvil 1.7.1 reports for transactions with two of them. */
const reported: readonly (readonly [Fault, Fault, keyof typeof answers])[] = [
  ['nonce', 'too little gas', 'nonce'],
  ['nonce', 'too much gas', 'nonce'],
  ['nonce', 'a low cap', 'nonce'],
  ['nonce', 'a tip above the cap', 'nonce'],
  ['nonce', 'no fees', 'nonce'],
  ['nonce', 'long creation code', 'nonce'],
  ['nonce', 'funds', 'nonce'],
  ['nonce', 'another chain', 'another chain'],
  ['nonce', 'blobs without a sidecar', 'blobs without a sidecar'],
  ['too little gas', 'a tip above the cap', 'too little gas'],
  ['too little gas', 'no fees', 'too little gas'],
  ['too much gas', 'a tip above the cap', 'too much gas'],
  ['too much gas', 'funds', 'too much gas'],
  ['a low cap', 'funds', 'a low cap'],
  ['a low cap below the tip', 'funds', 'a low cap'],
  ['a tip above the cap', 'funds', 'a tip above the cap'],
  ['a tip above the cap', 'long creation code', 'long creation code'],
  ['a tip above the cap', 'another chain', 'another chain'],
  ['a low cap', 'long creation code', 'long creation code'],
  ['funds', 'long creation code', 'long creation code'],
  ['funds', 'blobs without a sidecar', 'blobs without a sidecar'],
]

async function startAnvil(): Promise<Devnet> {
  return startDevnet({ compat: 'anvil', gasLimit: 30_000_000 })
}

// All expected answers are those of anvil 1.7.1.
describe('under --compat anvil', () => {
  test("the first of two errors in anvil's order of checks is reported", async () => {
    const { call, send } = await startAnvil()
    await send({ to })
    for (const [one, other, first] of reported) {
      const sent = { from, to, ...faultyFields[one], ...faultyFields[other] }
      expect([one, other, await refusalOf(call('eth_sendTransaction', sent))]).toEqual([
        one,
        other,
        answers[first],
      ])
    }
  })

  test('the first error of a raw transaction is the one that anvil reports', async () => {
    const { call, send } = await startAnvil()
    await send({ to })
    const raw = await signer.signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce: 0,
      gas: 21_000n,
      to,
      maxFeePerGas: gwei,
    })
    const fields = { chainId: 31337, to, type: 'eip1559', maxFeePerGas: 2n * gwei } as const
    expect(await refusalOf(call('eth_sendRawTransaction', raw))).toEqual(answers.nonce)
    const low = await signer.signTransaction({ ...fields, nonce: 0, gas: 20_000n })
    expect(await refusalOf(call('eth_sendRawTransaction', low))).toEqual(answers.nonce)
  })

  test('a missing tip becomes the suggested one, and a gas price overrides fees', async () => {
    const { call, send } = await startAnvil()
    for (let mined = 0; mined < 9; mined++) await call('evm_mine')
    const cap = numberToHex(800_000_000n)
    expect(await refusalOf(call('eth_sendTransaction', { from, to, maxFeePerGas: cap }))).toEqual(
      answers['a tip above the cap'],
    )
    const price = numberToHex(2n * gwei)
    const { transactionHash } = await send({ to, gasPrice: price, maxFeePerGas: price })
    expect(await call('eth_getTransactionByHash', transactionHash)).toMatchObject({
      type: '0x0',
      gasPrice: price,
    })
  })

  test('a call needs both fees in order or neither, and ignores a gas price next to them', async () => {
    const { call } = await startAnvil()
    const tipAboveCap = 'Invalid input: `max_priority_fee_per_gas` greater than `max_fee_per_gas`'
    for (const method of ['eth_call', 'eth_estimateGas', 'debug_traceCall']) {
      for (const fees of [
        { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
        { maxPriorityFeePerGas: '0x2' },
        { gasPrice: numberToHex(2n * gwei), maxPriorityFeePerGas: '0x1' },
      ]) {
        const message = { from: stranger, to: contract, data: '0x00', ...fees }
        expect(await refusalOf(call(method, message))).toEqual({ code: -32602, message: tipAboveCap })
      }
    }
    // Returns the gas price.
    await call('anvil_setCode', contract, '0x3a5f5260205ff3')
    const price = numberToHex(2n * gwei)
    expect(await call('eth_call', { from, to: contract, gasPrice: price, maxFeePerGas: price })).toBe(
      `0x${(2n * gwei).toString(16).padStart(64, '0')}`,
    )
    expect(await refusalOf(call('eth_call', { from, to: contract, chainId: '0x1' }))).toEqual({
      code: -32003,
      message: 'invalid chain id for signer',
    })
    const list = { from: stranger, to: contract, gasPrice: numberToHex(gwei) }
    expect(await call('eth_createAccessList', list)).toEqual({ accessList: [], gasUsed: '0x5217' })
  })

  test('a filled transaction is from the first account, like a pending one', async () => {
    const { call } = await startAnvil()
    expect(await call('eth_fillTransaction', { to })).toMatchObject({
      raw: '0x02ec827a6980843b9aca0084773594008252089470997970c51812dc3a010c7d01b50e0d17dc79c88080c0808080',
      tx: { blockHash: null, blockNumber: null, from, transactionIndex: null, gas: '0x5208', v: '0x0' },
    })
  })

  test('a transaction of another chain is filled, because it is not sent', async () => {
    const { call } = await startAnvil()
    const fields = { from: stranger, gas: '0x4c4b40', gasPrice: '0x4a817c800', chainId: '0x1' }
    expect(await call('eth_fillTransaction', fields)).toMatchObject({
      raw: '0xd1808504a817c800834c4b40808080258080',
      tx: { type: '0x0', chainId: '0x1', v: '0x25' },
    })
    const { gasPrice: _, ...open } = fields
    expect(
      await call('eth_fillTransaction', { ...open, nonce: '0x2', maxFeePerGas: '0x5018fdc6' }),
    ).toMatchObject({
      raw: '0x02d70102843b9aca00845018fdc6834c4b40808080c0808080',
      tx: { type: '0x2', chainId: '0x1' },
    })
  })

  test('a pending transaction is found by sender and nonce, with the price it would pay in the next block', async () => {
    const { call } = await startAnvil()
    await call('evm_setAutomine', false)
    const fields = { from, to, maxFeePerGas: '0xb2d05e00', maxPriorityFeePerGas: '0x3b9aca00' }
    const hash = await call('eth_sendTransaction', fields)
    await call('anvil_setNextBlockBaseFeePerGas', '0x2da282a8')
    const found = await call('eth_getTransactionByHash', hash)
    expect(found).toMatchObject({ hash, gasPrice: '0x693d4ca8', maxFeePerGas: '0xb2d05e00' })
    expect(await call('eth_getTransactionBySenderAndNonce', from, 0)).toEqual(found)
    expect(await call('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toBeNull()
    expect(await refusalOf(call('ots_getBlockDetails', 'pending'))).toEqual({
      code: -32001,
      message: 'Resource not found',
    })
  })

  test('the interval of anvil_mine moves the clock, which decides the times of blocks', async () => {
    const { call, block } = await startAnvil()
    await call('evm_setNextBlockTimestamp', 4_102_444_800)
    await call('evm_mine')
    await call('evm_increaseTime', 5_000_000)
    await call('anvil_mine', 2, 3)
    expect(Number((await block()).timestamp)).toBeGreaterThanOrEqual(4_107_444_806)
    await call('evm_setNextBlockTimestamp', 4_202_444_800)
    await call('anvil_mine', 2, 1000)
    expect(Number((await block()).timestamp)).toBeGreaterThanOrEqual(4_202_445_800)
    await call('anvil_setBlockTimestampInterval', 7)
    const { timestamp } = await block()
    await call('anvil_mine', 2, 1000)
    expect(Number((await block()).timestamp) - Number(timestamp)).toBe(14)
  })

  test('evm_mine_detailed has the output of transactions that end or revert, and of no others', async () => {
    const { call } = await startAnvil()
    await call('anvil_setCode', stranger, '0xfe')
    await call('evm_setAutomine', false)
    await call('eth_sendTransaction', { from, to: stranger, gas: '0x186a0' })
    await call('eth_sendTransaction', { from, data: '0x5f5ffd', gas: '0x186a0' })
    await call('eth_sendTransaction', { from, data: '0x60015ff3', gas: '0x186a0' })
    const [mined] = await call<{ transactions: { output?: Hex }[] }[]>('evm_mine_detailed')
    expect(mined?.transactions.map(({ output }) => output)).toEqual([undefined, '0x', '0x00'])
  })

  test('an estimate is limited by the funds of a given sender only', async () => {
    const { call } = await startAnvil()
    await call('anvil_setCode', contract, '0x455f5260205ff3')
    const estimate = (fields: object) =>
      call('eth_estimateGas', { to: contract, gasPrice: '0xb2d05e00', ...fields })
    const nobody = `0x${'00'.repeat(20)}`
    await call('anvil_setBalance', nobody, '0x4c73d7955800')
    expect(await estimate({ from: nobody })).toBe('0x5217')
    expect(await refusalOf(estimate({}))).toEqual({
      code: -32003,
      message: 'Insufficient funds for gas * price + value',
    })
  })

  test('a transfer costs 21,000 gas unless an override gives its recipient code', async () => {
    const { call } = await startAnvil()
    const estimate = (address: Hex) =>
      call('eth_estimateGas', { from, to }, 'latest', { [address]: { code: '0x00' } })
    expect(await estimate(contract)).toBe('0x5208')
    expect(await estimate(to)).toBe('0x5209')
  })

  test('members whose names differ in case are unknown', async () => {
    const { call } = await startAnvil()
    expect(await call('eth_fillTransaction', { FROM: '0x', to })).toMatchObject({ tx: { from } })
  })

  test('calls and estimates take a gas price next to a tip for no cap', async () => {
    const { call } = await startAnvil()
    await call('anvil_setCode', contract, '0x3a5f5260205ff3')
    const poor = { from: stranger, to: contract, gasPrice: '0x3b9aca00', maxPriorityFeePerGas: '0x0' }
    expect(BigInt(await call<Hex>('eth_call', poor))).toBe(0n)
    expect(await call('eth_fillTransaction', poor)).toMatchObject({
      tx: { type: '0x0', gasPrice: '0x3b9aca00' },
    })
    const above = { ...poor, from, maxPriorityFeePerGas: '0x1' }
    expect(await refusalOf(call('eth_fillTransaction', above))).toEqual({
      code: -32602,
      message: 'Invalid input: `max_priority_fee_per_gas` greater than `max_fee_per_gas`',
    })
    // The estimate fails, so the gas is that of a block.
    expect(await call('eth_signTransaction', above)).toMatch(/^0xf86780843b9aca008401c9c380/)
  })

  test('a call without gas gets the gas limit that an override gives its block', async () => {
    const { call } = await startAnvil()
    await call('anvil_setCode', stranger, '0x5a5f5260205ff3')
    const left = await call('eth_call', { to: stranger }, 'latest', {}, { gasLimit: '0x100000' })
    expect(BigInt(left as Hex)).toBe(0x100000n - 21_002n)
    expect(
      await refusalOf(call('eth_estimateGas', { to: stranger }, 'latest', {}, { gasLimit: '0x6e' })),
    ).toEqual({
      code: -32003,
      message: 'Out of gas: gas required exceeds allowance: 110',
    })
  })

  test('trace_filter refuses ranges that are reversed or longer than 300 blocks', async () => {
    const { call } = await startAnvil()
    const reversed = 'invalid block range, ensure that to block is greater than from block'
    const long = 'block range too large, currently limited to 300'
    for (const [range, message] of [
      [{ fromBlock: '0xb' }, reversed],
      [{ fromBlock: '0x2', toBlock: '0x1' }, reversed],
      [{ fromBlock: '0x0', toBlock: '0x12d' }, long],
    ] as const) {
      expect(await refusalOf(call('trace_filter', range))).toEqual({ code: -32602, message })
    }
    expect(await call('trace_filter', { fromBlock: '0x0', toBlock: '0x12c' })).toEqual([])
  })

  test('hashes of blobs without the blobs cannot be decoded, whatever the price', async () => {
    const { call } = await startAnvil()
    const fields = { from, to, gas: '0x186a0', blobVersionedHashes: [`0x01${'ab'.repeat(31)}`] }
    for (const method of ['eth_sendTransaction', 'eth_signTransaction', 'eth_fillTransaction']) {
      for (const price of [{}, { gasPrice: '0xb2d05e00' }, { gasPrice: '0x1' }]) {
        expect(await refusalOf(call(method, { ...fields, ...price }))).toEqual(
          answers['blobs without a sidecar'],
        )
      }
    }
  })

  test('block overrides have the names of geth and of alloy', async () => {
    const { call } = await startAnvil()
    await call('anvil_setCode', stranger, '0x485f52416020524460405260605ff3')
    const word = 'ab'.repeat(32)
    const seen = `0x${'5'.padStart(64, '0')}${contract.slice(2).padStart(64, '0')}${word}`
    for (const overrides of [
      { baseFee: '0x5', coinbase: contract, random: `0x${word}` },
      { baseFeePerGas: '0x5', feeRecipient: contract, prevRandao: `0x${word}` },
    ]) {
      expect(await call('eth_call', { to: stranger }, 'latest', {}, overrides)).toBe(seen)
    }
  })

  test('the clock continues from the head after a rollback, a reorganisation and a revert', async () => {
    const { call, block } = await startAnvil()
    const now = Math.floor(Date.now() / 1000)
    const mined = async (): Promise<number> => {
      await call('evm_mine')
      return Number((await block()).timestamp) - now
    }
    const snapshot = await call('evm_snapshot')
    await call('evm_increaseTime', 1_000_000)
    expect(await mined()).toBeGreaterThanOrEqual(1_000_000)
    await call('anvil_rollback', 1)
    await call('anvil_setNextBlockTimestamp', now + 10_000)
    await call('evm_mine')
    await call('evm_mine', now + 2_000_000)
    await call('anvil_setNextBlockTimestamp', now + 3_000_000)
    await call('anvil_reorg', 1, [])
    expect(Number((await block()).timestamp) - now).toBeLessThan(20_000)
    expect(await mined()).toBeLessThan(20_000)
    await call('evm_revert', snapshot)
    expect(await mined()).toBeLessThan(10_000)
  })

  test('a snapshot whose block was reverted is reported missing once', async () => {
    const { call } = await startAnvil()
    const missing = { code: -32001, message: 'Resource not found' }
    const first = await call('evm_snapshot')
    const same = await call('evm_snapshot')
    await call('evm_mine')
    const later = await call('evm_snapshot')
    expect(await call('evm_revert', first)).toBe(true)
    expect(await call('evm_revert', same)).toBe(false)
    expect(await refusalOf(call('evm_revert', later))).toEqual(missing)
    expect(await call('evm_revert', later)).toBe(false)
    expect(await call('evm_revert', '0x63')).toBe(false)
  })

  test('a fee history ends at the head, and accepts any percentiles', async () => {
    const { call, send } = await startAnvil()
    await call('evm_mine')
    await send({ to })
    const atHead = await call('eth_feeHistory', '0x1', 'latest', [])
    expect(atHead).toMatchObject({ oldestBlock: '0x2' })
    expect(await call('eth_feeHistory', '0x1', 'pending', [])).toEqual(atHead)
    expect(await call('eth_feeHistory', '0x0', 'pending', [])).toEqual(atHead)
    const { baseFeePerGas: atFirst } = await call<{ baseFeePerGas: Hex[] }>('eth_feeHistory', 1, '0x0', [])
    const { baseFeePerGas } = atHead as { baseFeePerGas: Hex[] }
    expect(atFirst.at(-1)).toBe(baseFeePerGas.at(-1))
    expect(await call('eth_feeHistory', '0x2', 'latest', [50, 10, 101])).toMatchObject({
      reward: [
        ['0x0', '0x0', '0x0'],
        ['0x3b9aca00', '0x3b9aca00', '0x3b9aca00'],
      ],
    })
  })

  test('everything that is not a request gets the same error', async () => {
    const { node } = await startAnvil()
    const headers = { 'content-type': 'application/json' }
    const post = async (body: string) => (await fetch(node.url, { method: 'POST', headers, body })).json()
    const refused = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } }
    for (const body of ['x', '[]', '', '5']) expect(await post(body)).toEqual(refused)
    expect(await post('{"jsonrpc":"1.0","id":4,"method":"eth_chainId"}')).toEqual({ ...refused, id: 4 })
  })
})
