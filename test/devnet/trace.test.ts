import { encodeFunctionData, keccak256, numberToHex, pad, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readArtifact } from '../support/artifacts.js'
import { refusalOf, startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

interface ParityFrame {
  action: { from: Hex; to?: Hex; value?: Hex; gas: Hex; callType?: string; creationMethod?: string }
  result?: { output?: Hex; address?: Hex; gasUsed: Hex }
  error?: string
  traceAddress: number[]
  subtraces: number
  transactionHash?: Hex
  type: string
}

interface VmFrame {
  code: Hex
  ops: {
    pc: number
    cost: number
    sub: VmFrame | null
    ex: {
      mem: { data: Hex; off: number } | null
      push: Hex[]
      store: { key: Hex; val: Hex } | null
      used: number
    } | null
  }[]
}

const { abi, bytecode } = readArtifact('Store')
const reverter = readArtifact('Reverter')

let devnet: Devnet
let store: Hex
let creation: Hex

const create = () => encodeFunctionData({ abi, functionName: 'createChild', args: [5n] })
const setNumber = (value: bigint) => encodeFunctionData({ abi, functionName: 'setNumber', args: [value] })

beforeEach(async () => {
  devnet = await startDevnet()
  const { call, send, from } = devnet
  store = (await send({ data: bytecode })).contractAddress
  creation = await call<Hex>('eth_sendTransaction', { from, to: store, data: create() })
})

describe('traces in Parity format', () => {
  test('show the frames of a transaction and of its block', async () => {
    const { call, from } = devnet
    const frames = await call<ParityFrame[]>('trace_transaction', creation)
    const geth = await call<ParityFrame[]>('debug_traceTransaction', creation, {
      tracer: 'flatCallTracer',
      tracerConfig: { convertParityErrors: true },
    })
    expect(frames.slice(1)).toEqual(geth.slice(1))
    expect(frames[0]).toEqual({
      ...geth[0],
      action: { ...geth[0]?.action, gas: frames[0]?.action.gas },
      result: { ...geth[0]?.result, gasUsed: frames[0]?.result?.gasUsed },
    })
    expect(frames[0]).toMatchObject({
      action: { from: from.toLowerCase(), to: store },
      subtraces: 1,
      type: 'call',
    })
    expect(frames[1]).toMatchObject({
      action: { creationMethod: 'create' },
      traceAddress: [0],
      type: 'create',
    })
    expect(await call('trace_block', '0x2')).toEqual(frames)
    expect(await call('trace_get', creation, ['0x0'])).toEqual(frames[1])
    expect(await call('trace_get', creation, [7])).toBeNull()
    expect(await call('trace_transaction', `0x${'00'.repeat(32)}`)).toBeNull()
    expect(await call('trace_block', '0x0')).toEqual([])
  })

  test('report the gas that the code itself received and used, before refunds', async () => {
    const { call, send, to } = devnet
    const traced = async (hash: Hex) => {
      const [frame] = await call<ParityFrame[]>('trace_transaction', hash)
      return { gas: BigInt(frame?.action.gas ?? -1), gasUsed: BigInt(frame?.result?.gasUsed ?? -1) }
    }
    const transfer = await send({ to, value: '0x1', gas: '0xc350' })
    expect(await traced(transfer.transactionHash)).toEqual({ gas: 50_000n - 21_000n, gasUsed: 0n })
    for (const [value, refund] of [
      [9n, 0n],
      [0n, 4_800n],
    ] as const) {
      const data = setNumber(value)
      const bytes = [...Buffer.from(data.slice(2), 'hex')]
      const intrinsic = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n)
      const receipt = await send({ to: store, data, gas: '0x186a0' })
      const { gas, gasUsed } = await traced(receipt.transactionHash)
      expect(gas).toBe(100_000n - intrinsic)
      const spent = intrinsic + gasUsed
      const most = spent / 5n
      expect(BigInt(receipt.gasUsed)).toBe(spent - (refund < most ? refund : most))
    }
  })

  test('are filtered by caller and callee, and paged', async () => {
    const { call, from } = devnet
    const all = await call<ParityFrame[]>('trace_filter', { fromBlock: '0x0', toBlock: '0x99' })
    expect(all).toHaveLength(3)
    expect(await call('trace_filter', { fromBlock: '0x0', fromAddress: [store] })).toEqual([all[2]])
    expect(await call('trace_filter', { fromBlock: '0x0', fromAddress: [from], toAddress: [store] })).toEqual(
      all.slice(0, 2),
    )
    expect(await call('trace_filter', { fromBlock: '0x0', after: 1, count: 1 })).toEqual([all[1]])
  })

  test('of calls report output and changes, and build on each other', async () => {
    const { call, from, to } = devnet
    const request = { from, to: store, data: setNumber(9n) }
    const traced = await call<{
      output: Hex
      trace: ParityFrame[]
      stateDiff: Record<string, { storage: unknown }>
    }>('trace_call', request, ['trace', 'stateDiff'])
    expect(traced.trace).toHaveLength(1)
    expect(traced.trace[0]?.transactionHash).toBeUndefined()
    expect(traced.stateDiff[store]?.storage).toEqual({
      [pad('0x0')]: { '*': { from: pad('0x0'), to: pad('0x9') } },
    })
    expect(await call('eth_getStorageAt', store, '0x0', 'latest')).toBe(pad('0x0'))
    const number = { to: store, data: encodeFunctionData({ abi, functionName: 'number' }) }
    const many = await call<{ output: Hex }[]>('trace_callMany', [
      [request, ['trace']],
      [number, ['trace']],
    ])
    expect(many[1]?.output).toBe(pad('0x9'))
    expect((await refusalOf(call('trace_call', { from, to }, ['steps']))).code).toBe(-32602)
  })

  test('show each opcode with its effects', async () => {
    const { call, from, to } = devnet
    const callee: Hex = `0x${'77'.repeat(20)}`
    // MSTORE(0, 5 + 3), a slot, a call to an account without code and one to code that ends with an invalid opcode.
    const code = '0x600560030160005260076002556000600060006000600073' + to.slice(2) + '61fffff1'
    const inner = '0x6001800c'
    await call('anvil_setCode', callee, inner)
    const whole = `${code}6020600060006000600073${callee.slice(2)}61fffff100`
    await call('anvil_setCode', store, whole)
    const gas = 200_000n
    const { vmTrace, trace } = await call<{ vmTrace: VmFrame; trace: unknown }>(
      'trace_call',
      { from, to: store, gas: numberToHex(gas) },
      ['vmTrace'],
    )
    expect(trace).toEqual([])
    expect(vmTrace.code).toBe(whole.toLowerCase())
    const { ops } = vmTrace
    const op = (pc: number) => ops.find((shown) => shown.pc === pc)
    const start = gas - 21_000n
    expect(ops[0]).toEqual({
      pc: 0,
      cost: 3,
      sub: null,
      ex: { mem: null, push: ['0x5'], store: null, used: Number(start - 3n) },
    })
    expect(op(4)?.ex).toMatchObject({ push: ['0x8'], used: Number(start - 9n) })
    // One more word of memory costs three.
    expect(op(7)).toMatchObject({
      cost: 6,
      ex: { mem: { data: pad('0x8'), off: 0 }, push: [], used: Number(start - 18n) },
    })
    // A slot that was zero and cold: 20,000 and 2,100 (EIP-2200, EIP-2929).
    expect(op(12)).toMatchObject({
      cost: 22_100,
      ex: { store: { key: '0x2', val: '0x7' }, used: Number(start - 22_124n) },
    })
    const calls = ops.filter(({ ex }) => ex?.mem?.off === 0 && ex.mem.data.length === 66)
    expect(calls).toHaveLength(2)
    const [plain, failing] = ops.filter(({ cost }) => cost > 0xffff)
    // A cold account: 2,600. A call without code returns all its gas, a failing one none.
    expect(plain).toMatchObject({ cost: 0xffff + 2_600, sub: null, ex: { mem: null, push: ['0x1'] } })
    expect(failing).toMatchObject({ cost: 0xffff + 2_600, ex: { push: ['0x0'] } })
    expect(failing?.sub).toEqual({
      code: inner,
      ops: [
        { pc: 0, cost: 3, sub: null, ex: { mem: null, push: ['0x1'], store: null, used: 0xffff - 3 } },
        { pc: 2, cost: 3, sub: null, ex: { mem: null, push: ['0x1', '0x1'], store: null, used: 0xffff - 6 } },
        { pc: 3, cost: 0, sub: null, ex: null },
      ],
    })
    const before = ops[ops.findIndex((shown) => shown === failing) - 1]
    expect(failing?.ex?.used).toBe(Number(before?.ex?.used) - 0xffff - 2_600)
    const last = ops.at(-1)
    expect(last).toEqual({
      pc: (whole.length - 4) / 2,
      cost: 0,
      sub: null,
      ex: { mem: null, push: [], store: null, used: failing?.ex?.used },
    })
  })

  test('show the opcodes of mined transactions, and none for a transfer', async () => {
    const { call, from, to, send } = devnet
    const { vmTrace } = await call<{ vmTrace: VmFrame }>('trace_replayTransaction', creation, ['vmTrace'])
    const { structLogs } = await call<{ structLogs: { pc: number; depth: number; gasCost: number }[] }>(
      'debug_traceTransaction',
      creation,
    )
    const flat = (frame: VmFrame): { pc: number; gasCost: number }[] =>
      frame.ops.flatMap(({ pc, cost, sub }) => [{ pc, gasCost: cost }, ...(sub === null ? [] : flat(sub))])
    expect(flat(vmTrace)).toEqual(structLogs.map(({ pc, gasCost }) => ({ pc, gasCost })))
    expect(Math.max(...structLogs.map(({ depth }) => depth))).toBe(2)
    const { transactionHash } = await send({ from, to, value: '0x1' })
    expect(await call('trace_replayTransaction', transactionHash, ['vmTrace'])).toMatchObject({
      vmTrace: { code: '0x', ops: [] },
    })
  })

  test('list what an account that a transaction creates has as added', async () => {
    const { call, from, send } = devnet
    const born = `0x${'d1'.repeat(20)}`
    const transfer = await send({ to: born, value: '0x5' })
    // Sets slot 0 to 1, and becomes the byte 9.
    const created = await send({ data: '0x600160005560018060093d393df300' })
    const diffs = await Promise.all(
      [transfer, created].map(({ transactionHash }) =>
        call<{ stateDiff: Record<string, unknown> }>('trace_replayTransaction', transactionHash, [
          'stateDiff',
        ]),
      ),
    )
    const [paid, made] = diffs.map(({ stateDiff }) => stateDiff)
    expect(paid?.[born]).toEqual({
      balance: { '+': '0x5' },
      nonce: { '+': '0x0' },
      code: { '+': '0x' },
      storage: {},
    })
    expect(made?.[created.contractAddress]).toEqual({
      balance: { '+': '0x0' },
      nonce: { '+': '0x1' },
      code: { '+': '0x09' },
      storage: { [pad('0x0')]: { '+': pad('0x1') } },
    })
    expect(Object.keys(paid ?? {})).toEqual([
      '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e',
      born,
      from.toLowerCase(),
    ])
  })

  test('replay mined transactions with their state changes, including failed ones', async () => {
    const { call, from, send } = devnet
    const sent = await call<Hex>('eth_sendTransaction', { from, to: store, data: setNumber(9n) })
    const replayed = await call<{ stateDiff: Record<string, { storage: unknown }>; trace: unknown[] }>(
      'trace_replayTransaction',
      sent,
      ['stateDiff'],
    )
    expect(replayed.trace).toEqual([])
    expect(replayed.stateDiff[store]?.storage).toMatchObject({ [pad('0x0')]: { '*': { to: pad('0x9') } } })
    const [whole] = await call<{ transactionHash: Hex }[]>('trace_replayBlockTransactions', 'latest', [
      'stateDiff',
    ])
    expect(whole).toEqual({ ...replayed, transactionHash: sent })
    const { contractAddress } = await send({ data: reverter.bytecode })
    const data = encodeFunctionData({ abi: reverter.abi, functionName: 'revertWithReason', args: ['no'] })
    const failed = await call<Hex>('eth_sendTransaction', { from, to: contractAddress, data, gas: '0x20000' })
    expect(await call('trace_transaction', failed)).toMatchObject([
      { error: 'Reverted', result: { output: data.replace(/^0x.{8}/, '0x08c379a0') } },
    ])
    const unpaid = await call<Hex>('eth_sendTransaction', { from, data: '0xfe', gas: '0x20000' })
    expect(await call('trace_transaction', unpaid)).toMatchObject([
      { error: 'Bad instruction', result: null },
    ])
    expect(await call('ots_getTransactionError', failed)).toMatch(/^0x08c379a0/)
  })

  test('show the effects of a signed transaction', async () => {
    const { call, from, to } = devnet
    const fields = { from, to, value: '0x5', gas: '0x5208', nonce: '0x9', gasPrice: '0x77359400' }
    const { raw } = await call<{ raw: Hex }>('eth_signTransaction', fields)
    expect(await call('trace_rawTransaction', raw, ['trace'])).toMatchObject({
      trace: [{ action: { from: from.toLowerCase(), to: to.toLowerCase(), value: '0x5' } }],
    })
    await expect(call('trace_rawTransaction', `0x02${'00'.repeat(300_000)}`, ['trace'])).rejects.toThrow(
      'oversized data: transaction size 300001, limit 131072',
    )
  })
})

describe('requests of Otterscan', () => {
  test('return contracts, transactions and blocks', async () => {
    const { call, from } = devnet
    const [, inner] = await call<ParityFrame[]>('trace_transaction', creation)
    const child = inner?.result?.address
    expect(await call('ots_getApiLevel')).toBe(8)
    expect(await call('ots_hasCode', child, 2)).toBe(true)
    expect(await call('ots_hasCode', child, 1)).toBe(false)
    expect(await call('ots_getContractCreator', child)).toEqual({ hash: creation, creator: store })
    expect(await call('ots_getContractCreator', from)).toBeNull()
    expect(await call('ots_getInternalOperations', creation)).toEqual([
      { type: 2, from: store, to: child, value: '0x0' },
    ])
    expect(await call('ots_traceTransaction', creation)).toMatchObject([
      { type: 'CALL', depth: 0 },
      { type: 'CREATE', depth: 1, to: child },
    ])
    expect(await call('ots_getTransactionError', creation)).toBe('0x')
    const { hash } = await devnet.block('0x2')
    const details = await call<{ block: object; totalFees: Hex }>('ots_getBlockDetails', 2)
    expect(details).toMatchObject({ block: { hash, transactionCount: 1 }, issuance: { blockReward: '0x0' } })
    expect(await call('ots_getBlockDetailsByHash', hash)).toEqual(details)
    const receipt = await call<{ gasUsed: Hex; effectiveGasPrice: Hex }>(
      'eth_getTransactionReceipt',
      creation,
    )
    expect(BigInt(details.totalFees)).toBe(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice))
    expect(await call('ots_getBlockTransactions', 2, 0, 10)).toMatchObject({
      fullblock: { transactions: [{ hash: creation, input: create().slice(0, 10) }] },
      receipts: [{ transactionHash: creation, logs: null }],
    })
    expect(await call('erigon_getHeaderByNumber', '0x2')).toMatchObject({ hash, number: '0x2' })
  })

  test('return a page of a block with reduced transactions and receipts', async () => {
    const { call, from, to } = devnet
    const events = (await devnet.send({ data: readArtifact('Events').bytecode })).contractAddress
    const emit = encodeFunctionData({
      abi: readArtifact('Events').abi,
      functionName: 'emitMany',
      args: [1n, 3n],
    })
    await call('evm_setAutomine', false)
    for (const fields of [
      { to, value: '0x1' },
      { to: events, data: emit },
      { to: store, data: create() },
    ]) {
      await call('eth_sendTransaction', { from, gas: '0x80000', ...fields })
    }
    await call('evm_mine')
    type Members = Record<string, unknown>
    const whole = await call<Members & { transactions: (Members & { input: Hex })[] }>(
      'eth_getBlockByNumber',
      'latest',
      true,
    )
    const receipts = await call<Members[]>('eth_getBlockReceipts', 'latest')
    const { timestamp } = whole
    const shown = (begin: number, end: number) => ({
      fullblock: {
        ...whole,
        transactionCount: 3,
        transactions: whole.transactions
          .slice(begin, end)
          .map((transaction) => ({ ...transaction, input: transaction.input.slice(0, 10) })),
      },
      receipts: receipts
        .slice(begin, end)
        .map((receipt) => ({ ...receipt, logs: null, logsBloom: null, timestamp })),
    })
    const page = (index: number, size: number) =>
      call('ots_getBlockTransactions', Number(whole['number']), index, size)
    expect(await page(0, 9)).toEqual(shown(0, 3))
    expect(await page(0, 2)).toEqual(shown(1, 3))
    expect(await page(1, 2)).toEqual(shown(0, 1))
    expect(await page(2, 2)).toEqual(shown(0, 0))
  })

  test("find an account's transactions in pages, newest first", async () => {
    const { call, to, send } = devnet
    const hashes: Hex[] = []
    for (let i = 0; i < 3; i++) hashes.push(await call<Hex>('eth_sendTransaction', { from: devnet.from, to }))
    await send({ to: store })
    const page = (method: string, block: number) =>
      call<{ txs: { hash: Hex }[]; firstPage: boolean; lastPage: boolean }>(method, to, block, 2)
    const newest = await page('ots_searchTransactionsBefore', 0)
    expect(newest.txs.map(({ hash }) => hash)).toEqual([hashes[2], hashes[1]])
    expect(newest).toMatchObject({ firstPage: true, lastPage: false })
    const older = await page('ots_searchTransactionsBefore', 4)
    expect(older.txs.map(({ hash }) => hash)).toEqual([hashes[0]])
    expect(older).toMatchObject({ firstPage: false, lastPage: true })
    const beyondHead = await page('ots_searchTransactionsBefore', 1000)
    expect(beyondHead.txs.map(({ hash }) => hash)).toEqual([hashes[2], hashes[1]])
    const after = await page('ots_searchTransactionsAfter', 0)
    expect(after.txs.map(({ hash }) => hash)).toEqual([hashes[1], hashes[0]])
    expect(after).toMatchObject({ firstPage: false, lastPage: true })
  })
})

test('debug_storageRangeAt lists the slots at the start of a block by the hashes of their keys', async () => {
  const { call, from } = devnet
  await call('evm_setAutomine', false)
  for (const value of [1n, 2n]) {
    await call('eth_sendTransaction', { from, to: store, data: setNumber(value), gas: '0x20000' })
  }
  await call('anvil_setStorageAt', store, '0x7', pad('0x55'))
  await call('evm_mine')
  const range = (index: number, start: Hex, limit: number) =>
    call<{ storage: Record<Hex, { key: Hex; value: Hex }>; nextKey: Hex | null }>(
      ...(['debug_storageRangeAt', 'latest', index, store, start, limit] as const),
    )
  const entry = (slot: Hex, value: Hex) =>
    [keccak256(pad(slot)), { key: pad(slot), value: pad(value) }] as const
  const before = await range(0, '0x00', 10)
  expect(before).toEqual({ storage: Object.fromEntries([entry('0x7', '0x55')]), nextKey: null })
  // As in geth, changes by earlier transactions are not visible.
  expect(await range(1, '0x00', 10)).toEqual(before)
  await expect(range(2, '0x00', 10)).rejects.toThrow(/^transaction index 2 out of range for block 0x/)
  await call('evm_mine')
  const after = await range(0, '0x00', 10)
  expect(after.storage).toEqual(Object.fromEntries([entry('0x0', '0x2'), entry('0x7', '0x55')]))
  const [first, second] = Object.keys(after.storage).sort() as [Hex, Hex]
  expect(await range(0, '0x00', 1)).toMatchObject({ storage: { [first]: {} }, nextKey: second })
})
