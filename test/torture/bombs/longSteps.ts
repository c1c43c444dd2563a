import { RLP } from '@ethereumjs/rlp'
import { gzipSync } from 'node:zlib'
import { callRpc } from '../../support/rpc.js'
import type { TorturedNode } from '../node.js'
import { call, callRaw, type Hex } from '../requests.js'
import {
  SIGNER,
  TARGET,
  address,
  hash,
  loop,
  many,
  oncePerNode,
  override,
  rpc,
  sendCall,
  word,
  type Bomb,
} from './bomb.js'
import { code as endless } from './computing.js'
import { FILLED, loggers } from './requests.js'

/** Gas cap of calls: ten times the default block gas limit. */
const GAS_CAP: Hex = '0x11e1a300'
/** Gas that eth_simulateV1 allows. */
const SIMULATION_GAS: Hex = '0x2faf080'

const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`
const digits = (value: number): string => value.toString(16).padStart(6, '0')

/** Returns code that reverts with Error(string), whose text repeats a byte 32 times two to the power of `doublings`. */
function reverting(byte: string, doublings: number): Hex {
  const length = 32 * 2 ** doublings
  const copies = many(doublings, (i) => `62${digits(32 * 2 ** i)}604462${digits(0x44 + 32 * 2 ** i)}5e`)
  const head = `6308c379a060e01b5f52602060045262${digits(length)}60245262${digits(length + 0x44)}5ffd`
  return `0x7f${byte.repeat(32)}604452${copies.join('')}${head}`
}

/** Calls with all gas. */
const callOf = (code: Hex): readonly unknown[] => [{ to: TARGET, gas: GAS_CAP }, 'latest', override(code)]
const traceOf = (code: Hex, tracer?: string): readonly unknown[] => [
  { to: TARGET, gas: GAS_CAP },
  'latest',
  { tracer, tracerConfig: { withLog: true }, stateOverrides: override(code) },
]

/** PUSH3 of the length, PUSH0, KECCAK256. */
const KECCAK: Hex = '0x62b000005f20'
const hashing: Readonly<Record<string, Hex>> = {
  'keccak of eleven megabytes': KECCAK,
  // PUSH0 PUSH0 PUSH3 of the length PUSH0, the precompile, GAS STATICCALL.
  'sha256 of ten megabytes': '0x5f5f62a000005f60025afa',
  'ripemd160 of ten megabytes': '0x5f5f62a000005f60035afa',
}
/** Calls another account each time until some gas is left. */
const TOUCHING: Hex = '0x5b5f5f5f5f5f5a5ff1505a612710105f57'
/** Calls itself while more than 110 million gas is left, then logs until some is left. */
const DEEP_LOGS: Hex = '0x5a63068e7780106017575b5f5fa05a61271010600a57005b5f5f5f5f5f305af100'
/** PUSH1 4 JUMP STOP JUMPDEST, followed by more of them. */
const longJump = (): Hex => `0x60045600${'5b'.repeat(1.5e7)}`

/** A contract that copies its code, and zeros after it, into eleven megabytes of memory. */
const COPYING = address(0xc0b1)

/** Reads seventy thousand slots. */
const READING: Hex = '0x5f5b600101805450806201117011600157'
/** Counts up, and calls an account with the count as the selector. */
const SELECTORS = loop('6001018060e01b5f525f5f60045f60ff5ffa50', '5f')

const executions: readonly Bomb[] = [
  ...['TSTORE of new slots', 'SSTORE of new slots', 'cold BALANCE', 'calls of itself'].map((name) => ({
    ...rpc(`${name} with the gas of ten blocks`, 'eth_call', () => callOf(endless[name]!)),
    refusal: 'out of gas',
  })),
  ...['SSTORE of new slots', 'cold SLOAD'].map((name) =>
    rpc(`stateDiff of ${name} with the gas of ten blocks`, 'trace_call', () => [
      { from: SIGNER, data: endless[name], gas: GAS_CAP },
      ['stateDiff'],
      'latest',
    ]),
  ),
  rpc('seventy thousand slots', 'eth_createAccessList', () => [
    { to: TARGET, gas: GAS_CAP },
    'latest',
    override(READING),
  ]),
  rpc('4byteTracer of a million selectors', 'debug_traceCall', () => [
    { to: TARGET, gas: '0x8f0d180' },
    'latest',
    { tracer: '4byteTracer', timeout: '60s', stateOverrides: override(SELECTORS) },
  ]),
  ...Object.entries(hashing).map(([name, code]) => rpc(name, 'eth_call', () => callOf(code))),
  ...['keccak256PreimageTracer', 'erc7562Tracer'].map((tracer) =>
    rpc(`${tracer} of keccak of eleven megabytes`, 'debug_traceCall', () => traceOf(KECCAK, tracer)),
  ),
  ...['callTracer', 'flatCallTracer', undefined].map((tracer) =>
    rpc(`${tracer ?? 'struct logs'} of a return of eleven megabytes`, 'debug_traceCall', () =>
      traceOf('0x62b000005ff3', tracer),
    ),
  ),
  {
    ...rpc('vmTrace of a copy of eleven megabytes', 'trace_call', () => [
      { from: SIGNER, to: COPYING, gas: GAS_CAP },
      ['vmTrace'],
      'latest',
    ]),
    prepare: ({ ready }) => callRpc(ready.url, 'anvil_setCode', [COPYING, '0x62b000005f5f3900']),
  },
  ...['eth_call', 'eth_estimateGas'].flatMap((method) => [
    {
      ...rpc('a revert reason of eight megabytes that are no text', method, () =>
        callOf(reverting('ff', 18)),
      ),
      refusal: 'execution reverted',
    },
    {
      ...rpc('a revert reason of eight megabytes', method, () => callOf(reverting('61', 18))),
      refusal: 'execution reverted: a',
    },
    {
      ...rpc('one slot written again and again', method, () => callOf(loop('5a5f55'))),
      refusal: method === 'eth_call' ? 'out of gas' : 'gas required exceeds allowance',
    },
  ]),
  rpc('a revert reason of eight megabytes that are no text', 'debug_traceCall', () =>
    traceOf(reverting('ff', 18), 'callTracer'),
  ),
  rpc('a revert reason of four megabytes that are no text', 'eth_simulateV1', () => [
    {
      blockStateCalls: [
        {
          blockOverrides: { gasLimit: SIMULATION_GAS },
          stateOverrides: override(reverting('ff', 17)),
          calls: [{ to: TARGET, gas: SIMULATION_GAS }],
        },
      ],
    },
    'latest',
  ]),
  rpc('a jump into code of fifteen megabytes', 'eth_call', () => callOf(longJump())),
  rpc('100,000 touched accounts', 'eth_estimateGas', () => callOf(TOUCHING)),
  rpc('100,000 touched accounts', 'debug_traceCall', () => traceOf(TOUCHING, 'noopTracer')),
  rpc('700,000 logs', 'eth_estimateGas', () => callOf(loggers['a hundred thousand logs']!)),
  rpc('300,000 logs that sixty frames pass on', 'eth_call', () => callOf(DEEP_LOGS)),
]

/** Calls with lists and data as long as a body may be. */
const longCalls: readonly Bomb[] = [
  rpc('fifteen megabytes of zeros', 'eth_call', () => [{ to: TARGET, data: zeros(1.59e7) }, 'latest']),
  ...['eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'].map((method) =>
    rpc('fifteen megabytes of zeros', method, () => [
      { to: TARGET, data: zeros(1.59e7), gas: GAS_CAP },
      'latest',
      ...(method === 'debug_traceCall' ? [{ tracer: 'callTracer' }] : []),
    ]),
  ),
  rpc('fifteen megabytes of zeros', 'trace_call', () => [
    { from: SIGNER, to: TARGET, data: zeros(1.59e7), gas: GAS_CAP },
    ['trace'],
    'latest',
  ]),
  ...['eth_call', 'eth_createAccessList'].map((method) => ({
    ...rpc('400,000 blobs', method, () => [
      { to: TARGET, blobVersionedHashes: many(400_000, () => `0x01${'00'.repeat(31)}`) },
      'latest',
    ]),
    refusal: 'too many blobs',
  })),
  ...(
    [
      ['4.8 megabytes of zeros', { data: zeros(4.8e6) }],
      [
        'an access list of 26,000 keys',
        { accessList: [{ address: TARGET, storageKeys: many(26_000, hash) }] },
      ],
    ] as const
  ).map(([name, members]) =>
    rpc(name, 'eth_simulateV1', () => [
      {
        blockStateCalls: [
          {
            blockOverrides: { gasLimit: SIMULATION_GAS },
            calls: [{ to: TARGET, gas: SIMULATION_GAS, ...members }],
          },
        ],
        returnFullTransactions: true,
      },
      'latest',
    ]),
  ),
]

/** Encodes an RLP list of a payload of some megabytes. */
function rlpList(payload: Buffer): Buffer {
  const head = Buffer.of(0xfa, 0, 0, 0)
  head.writeUIntBE(payload.length, 1, 3)
  return Buffer.concat([head, payload])
}

/** A transaction of type 2 with an access list of one address and many keys, without a valid signature. */
function longTransaction(count = 400_000): Hex {
  const key = Buffer.from(`a0${word(1)}`, 'hex')
  const keys = rlpList(Buffer.alloc(key.length * count, key))
  const accessList = rlpList(rlpList(Buffer.concat([Buffer.from(`94${TARGET.slice(2)}`, 'hex'), keys])))
  // Chain ID, nonce, fees, gas, recipient, value and data; then the signature.
  const before = Buffer.from(`827a69800101830f424094${TARGET.slice(2)}8080`, 'hex')
  const list = rlpList(Buffer.concat([before, accessList, Buffer.from('800101', 'hex')]))
  return `0x02${list.toString('hex')}`
}

const attributes = {
  timestamp: '0xffffffffff',
  prevRandao: hash(1),
  suggestedFeeRecipient: address(1),
  parentBeaconBlockRoot: hash(2),
  withdrawals: [],
}

/** Parameters that take long to read. */
const inputs: readonly Bomb[] = [
  rpc('everything of 600,000 addresses', 'trace_filter', () => [
    {
      fromBlock: '0x0',
      toBlock: 'latest',
      fromAddress: many(300_000, address),
      toAddress: many(300_000, address),
    },
  ]),
  {
    ...rpc('a block count of thirty million digits', 'eth_feeHistory', () => [
      `0x${'1'.repeat(3e7)}`,
      'latest',
      [],
    ]),
    refusal: 'invalid hex or decimal integer',
  },
  {
    ...rpc('a block of thirty million digits', 'eth_getBalance', () => [TARGET, `0x${'1'.repeat(3e7)}`]),
    refusal: 'hex number \\u003e 64 bits',
  },
  {
    ...rpc('a URL of thirty megabytes', 'anvil_setRpcUrl', () => [`http://localhost/${'é'.repeat(1.5e7)}`]),
    refusal: 'expected an http or https URL',
  },
  {
    ...rpc('a key of thirty million digits', 'eth_getStorageAt', () => [
      TARGET,
      `0x${'1'.repeat(3e7)}`,
      'latest',
    ]),
    refusal: 'storage key too long',
  },
  {
    ...rpc('a tracer of thirty megabytes', 'debug_traceCall', () => [
      { to: TARGET },
      'latest',
      { tracer: `"${'é'.repeat(1.5e7)}"` },
    ]),
    refusal: '',
  },
  rpc('a start of fifteen megabytes', 'debug_storageRangeAt', () => ['latest', 0, FILLED, zeros(1.5e7), 10]),
  {
    ...rpc('an access list of 400,000 keys', 'trace_rawTransaction', () => [longTransaction(), ['trace']]),
    refusal: 'oversized data',
  },
  {
    name: 'testing_buildBlockV1: an access list of 400,000 keys',
    async run(node, signal) {
      const { hash: parent } = await callRpc<{ hash: Hex }>(node.ready.url, 'eth_getBlockByNumber', [
        'latest',
        false,
      ])
      return sendCall(node, 'testing_buildBlockV1', [parent, attributes, [longTransaction()], '0x'], signal)
    },
    refusal: 'oversized data',
  },
  {
    ...rpc('a transaction with an access list of 400,000 keys', 'anvil_reorg', () => [
      1,
      [[longTransaction(), 0]],
    ]),
    refusal: 'oversized data',
  },
  ...Object.entries(dumps()).map(([name, [state, refusal]]) => ({
    ...rpc(name, 'anvil_loadState', () => [dumpOf(state())]),
    refusal,
  })),
]

function dumpOf(state: object): Hex {
  return `0x${gzipSync(JSON.stringify(state)).toString('hex')}`
}

/** State dumps with long parts, and why they are refused. */
function dumps(): Readonly<Record<string, readonly [state: () => object, refusal: string]>> {
  const ofBlock = (header: object, transactions: readonly object[]): object => ({
    accounts: {},
    block: { number: '0x1' },
    best_block_number: 1,
    blocks: [{ header: { ...dumpedHeader, ...header }, transactions }],
    transactions: [],
  })
  return {
    'a balance of ten million digits': [
      () => ({ accounts: { [address(1)]: { balance: '9'.repeat(1e7) } } }),
      'Failed to decode state dump',
    ],
    'extra data of sixteen megabytes': [() => ofBlock({ extraData: zeros(1.6e7) }, []), 'A string has more'],
    'a transaction with an access list of 200,000 entries': [
      () => {
        const accessList = many(200_000, () => ({ address: TARGET, storageKeys: [] }))
        return ofBlock({}, [{ transaction: { ...dumpedTransaction, accessList } }])
      },
      'a transaction without a receipt',
    ],
  }
}

const dumpedHeader = {
  ...{
    parentHash: hash(1),
    sha3Uncles: hash(1),
    miner: TARGET,
    stateRoot: hash(1),
    transactionsRoot: hash(1),
  },
  ...{ receiptsRoot: hash(1), logsBloom: zeros(256), difficulty: '0x0', number: '0x1', gasLimit: '0x1' },
  ...{
    gasUsed: '0x0',
    timestamp: '0x1',
    extraData: '0x',
    mixHash: hash(1),
    nonce: zeros(8),
    baseFeePerGas: '0x1',
  },
}
const dumpedTransaction = {
  ...{ type: '0x2', chainId: '0x7a69', nonce: '0x0', gas: '0x5208', maxFeePerGas: '0x1' },
  ...{
    maxPriorityFeePerGas: '0x1',
    to: TARGET,
    value: '0x0',
    input: '0x',
    r: '0x1',
    s: '0x1',
    yParity: '0x0',
  },
}

/** A contract with thousands of slots, which it writes again until some gas is left. */
const REWRITING = address(0x5107e5)
const sendRewriting = oncePerNode(async ({ ready: { url } }) => {
  // PUSH0 JUMPDEST PUSH1 1 ADD GAS DUP2 SSTORE GAS PUSH2 7530 LT PUSH1 1 JUMPI.
  const account = { balance: '0x0', code: '0x5f5b6001015a81555a61753010600157', storage: slots(6000) }
  await callRpc(url, 'anvil_loadState', [dumpOf({ accounts: { [REWRITING]: account } })])
  await callRpc(url, 'evm_setAutomine', [true])
  await callRpc(url, 'eth_sendTransaction', [{ from: SIGNER, to: REWRITING, gas: '0x1c00000' }])
  return callRpc<{ hash: Hex }>(url, 'eth_getBlockByNumber', ['latest', false])
})
const slots = (count: number): Record<Hex, Hex> => Object.fromEntries(many(count, (i) => [hash(i), hash(i)]))

/** Returns a block like the latest, but with another transaction. */
async function blockWith({ ready }: TorturedNode, transaction: Hex): Promise<Hex> {
  const latest = await callRpc<Hex>(ready.url, 'debug_getRawBlock', ['latest'])
  const [header] = RLP.decode(Buffer.from(latest.slice(2), 'hex')) as Uint8Array[][]
  // Other extra data makes it another block: one that is known is not read.
  const block = RLP.encode([
    header!.with(12, Buffer.from('other')),
    [Buffer.from(transaction.slice(2), 'hex')],
    [],
    [],
  ])
  return `0x${Buffer.from(block).toString('hex')}`
}

/** A contract that reverts with a long reason. */
const REFUSING = address(0x4ef)

/** Bombs that need a chain with certain blocks. */
const blocks: readonly Bomb[] = [
  {
    name: 'debug_intermediateRoots: a transaction that changes thousands of slots',
    prepare: sendRewriting,
    run: async (node, signal) =>
      sendCall(node, 'debug_intermediateRoots', [(await sendRewriting(node)).hash], signal),
  },
  {
    name: 'debug_executionWitness: a transaction that changes thousands of slots',
    prepare: sendRewriting,
    run: async (node, signal) =>
      sendCall(node, 'debug_executionWitness', [(await sendRewriting(node)).hash], signal),
  },
  {
    name: 'standin_importBlocks: a transaction with an access list of 220,000 keys',
    async prepare({ ready }) {
      for (let block = 0; block < 2; block++) await callRpc(ready.url, 'evm_mine', [])
    },
    run: async (node, signal) =>
      sendCall(node, 'standin_importBlocks', [[await blockWith(node, longTransaction(220_000))]], signal),
    refusal: 'its gas does not pay for its bytes and lists',
  },
  {
    name: 'evm_mine_detailed: a revert reason of a megabyte of brackets',
    async prepare(node) {
      const { url, accounts } = node.ready
      await callRpc(url, 'anvil_setCode', [REFUSING, reverting('3c', 15)])
      await callRpc(url, 'evm_setAutomine', [false])
      await callRpc(url, 'eth_sendTransaction', [
        { from: accounts[1]!.address, to: REFUSING, gas: '0x4c4b40' },
      ])
    },
    run: (node, signal) => sendCall(node, 'evm_mine_detailed', [], signal),
  },
  {
    name: 'debug_traceBlockByNumber: thousands of pending transactions',
    async prepare(node) {
      await fillPool(node)
      await call(node, 'evm_setBlockGasLimit', ['0x1dcd6500'])
    },
    async run(node, signal) {
      const refusal = await sendCall(
        node,
        'debug_traceBlockByNumber',
        ['pending', { tracer: 'noopTracer' }],
        signal,
      )
      await call(node, 'evm_setBlockGasLimit', ['0x1c9c380'])
      return refusal
    },
  },
]

const fillPool = oncePerNode(async (node: TorturedNode) => {
  await call(node, 'evm_setAutomine', [false])
  const transfer = { from: SIGNER, to: address(1), gas: '0x5208', value: '0x1' }
  const batch = many(1000, (id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendTransaction',
    params: [transfer],
  }))
  for (let round = 0; round < 4; round++) await callRaw(node, JSON.stringify(batch))
})

/** Adds as many filters as there may be. */
async function addFilters(node: TorturedNode, method: string): Promise<void> {
  for (let round = 0; round < 20; round++) await callMany(node, 1000, method)
}

/** Sends a batch of equal calls. */
async function callMany(
  node: TorturedNode,
  count: number,
  method: string,
  params: readonly unknown[] = [],
): Promise<void> {
  await callRaw(node, JSON.stringify(many(count, (id) => ({ jsonrpc: '2.0', id, method, params }))))
}

/** Reverts to a snapshot while filters wait, which were added before or after it. */
function revertedFilters(added: 'before' | 'after'): Bomb {
  let snapshot: Hex = '0x0'
  return {
    ...rpc(`twenty thousand filters added ${added} the snapshot`, 'evm_revert', () => [snapshot]),
    async prepare(node) {
      if (added === 'before') await addFilters(node, 'eth_newBlockFilter')
      snapshot = await callRpc<Hex>(node.ready.url, 'evm_snapshot', [])
      if (added === 'after') await addFilters(node, 'eth_newBlockFilter')
      await callRpc(node.ready.url, 'anvil_mine', [12])
    },
  }
}

/** Reverts to a snapshot while filters keep as much as all of them may, nearly. */
function revertedValues(name: string, fill: (node: TorturedNode) => Promise<unknown>): Bomb {
  let snapshot: Hex = '0x0'
  return {
    ...rpc(`240,000 ${name} wait in filters`, 'evm_revert', () => [snapshot]),
    async prepare(node) {
      snapshot = await callRpc<Hex>(node.ready.url, 'evm_snapshot', [])
      await fill(node)
    },
  }
}

/** Bombs of many filters. */
const filters: readonly Bomb[] = [
  revertedFilters('after'),
  revertedFilters('before'),
  revertedValues('transactions', async (node) => {
    await callMany(node, 240, 'eth_newPendingTransactionFilter')
    await callMany(node, 1000, 'eth_sendTransaction', [{ from: SIGNER, to: TARGET, gas: '0x5208' }])
  }),
  revertedValues('blocks', async (node) => {
    await callMany(node, 240, 'eth_newBlockFilter')
    await callRpc(node.ready.url, 'anvil_mine', [1000])
  }),
  {
    ...rpc('a block for twenty thousand filters', 'evm_mine', () => []),
    prepare: (node) => addFilters(node, 'eth_newBlockFilter'),
  },
  {
    ...rpc('a transaction for twenty thousand filters', 'eth_sendTransaction', () => [
      { from: SIGNER, to: TARGET },
    ]),
    prepare: (node) => addFilters(node, 'eth_newPendingTransactionFilter'),
  },
]

/** Bombs of work that was once done in one long step. */
export const longSteps: readonly Bomb[] = [...executions, ...longCalls, ...inputs, ...filters, ...blocks]
