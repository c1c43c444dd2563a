import { RLP } from '@ethereumjs/rlp'
import {
  TARGET,
  SIGNER,
  address,
  body,
  hash,
  many,
  oncePerNode,
  override,
  refusalOf,
  rpc,
  sendCall,
  type Bomb,
} from './bomb.js'
import { callOf } from './computing.js'
import type { TorturedNode } from '../node.js'
import { callRpc } from '../../support/rpc.js'
import { call, callRaw, type Hex } from '../requests.js'

/** Repeats a byte for a number of megabytes, as hex. */
const megabytes = (count: number, byte = 'ab'): Hex => `0x${byte.repeat(count * 1e6)}`
const slots = (count: number): Record<Hex, Hex> => Object.fromEntries(many(count, (i) => [hash(i), hash(i)]))
const members = (count: number): Record<string, number> =>
  Object.fromEntries(many(count, (i) => [`k${i}`, i]))

const mineThousand = (node: TorturedNode): Promise<string> => call(node, 'anvil_mine', ['0x3e8'])

/** Code that logs until little gas is left, by what it emits. */
export const loggers: Record<string, Hex> = {
  // JUMPDEST PUSH0 PUSH0 LOG0 GAS PUSH2 2710 LT PUSH0 JUMPI.
  'a hundred thousand logs': '0x5b5f5fa05a612710105f57',
  // The same with four topics: the remaining gas.
  'logs with different topics': '0x5b5a5a5a5a5f5fa45a612710105f57',
}

/** Doubles 32 brackets to a megabyte of them, and reverts with Error(string). */
const REVERTING: Hex = `0x7f${'3c'.repeat(32)}604452${many(15, (i) => {
  const length = 32 << i
  const [size, end] = [length, 0x44 + length].map((value) => value.toString(16).padStart(6, '0'))
  return `62${size}604462${end}5e`
}).join('')}6308c379a060e01b5f52602060045262100000602452621000445ffd`

/** The header of a block that no chain has. */
const HEADER = [32, 32, 20, 32, 32, 32, 256, 1, 1, 1, 1, 1, 5, 32, 8].map((length) =>
  new Uint8Array(length).fill(1),
)

/** Encodes a block with many small transactions. */
function manyTransactions(count: number): Hex {
  const transaction = many(9, () => new Uint8Array())
  return `0x${Buffer.from(RLP.encode([HEADER, many(count, () => transaction), []])).toString('hex')}`
}

/** Encodes a block with half a million transactions of three bytes; the library encodes no list so long. */
function shortTransactions(): Hex {
  const header = Buffer.from(RLP.encode(HEADER)).toString('hex')
  const parts = `${header}fa1e8480${'83010101'.repeat(5e5)}c0`
  return `0xfa${(parts.length / 2).toString(16).padStart(6, '0')}${parts}`
}

/** Bombs of single calls and batches. */
export const requests: readonly Bomb[] = [
  rpc('256 empty blocks', 'eth_simulateV1', () => [{ blockStateCalls: many(256, () => ({})) }, 'latest']),
  {
    name: 'eth_simulateV1: a gap of 250 blocks',
    async run(node, signal) {
      const { result } = JSON.parse(await call(node, 'eth_blockNumber', [], signal)) as { result: Hex }
      const number = `0x${(Number(result) + 250).toString(16)}`
      return sendCall(
        node,
        'eth_simulateV1',
        [{ blockStateCalls: [{ blockOverrides: { number } }] }, 'latest'],
        signal,
      )
    },
  },
  rpc('a thousand calls', 'eth_simulateV1', () => [
    {
      blockStateCalls: [
        { stateOverrides: override('0x5f5f20505f5fa0'), calls: many(1000, () => ({ to: TARGET })) },
      ],
      returnFullTransactions: true,
    },
    'latest',
  ]),
  rpc('ten thousand overridden accounts', 'eth_call', () => [
    { to: TARGET },
    'latest',
    Object.fromEntries(many(10_000, (i) => [address(i), { balance: '0x1', code: '0x00' }])),
  ]),
  rpc('a hundred thousand overridden accounts and a moved precompile', 'eth_call', () => [
    { to: TARGET },
    'latest',
    {
      ...Object.fromEntries(many(100_000, (i) => [address(i + 100), {}])),
      [address(3)]: { movePrecompileToAddress: address(1e6) },
    },
  ]),
  rpc('fifty thousand overridden slots', 'eth_call', () => [
    { to: TARGET },
    'latest',
    { [TARGET]: { state: Object.fromEntries(many(50_000, (i) => [hash(i), hash(i)])) } },
  ]),
  ...Object.entries(loggers).map(([name, code]) =>
    rpc(`a call that emits ${name}`, 'eth_simulateV1', () => [
      {
        blockStateCalls: [
          {
            blockOverrides: { gasLimit: '0x2faf080' },
            stateOverrides: override(code),
            calls: [{ to: TARGET, gas: '0x2faf000' }],
          },
        ],
      },
      'latest',
    ]),
  ),
  rpc('fifty thousand withdrawals', 'eth_simulateV1', () => [
    {
      blockStateCalls: [
        {
          blockOverrides: {
            withdrawals: many(50_000, (i) => ({
              index: `0x${i.toString(16)}`,
              validatorIndex: '0x1',
              address: address(i),
              amount: '0x1',
            })),
          },
        },
      ],
    },
    'latest',
  ]),
  rpc('twenty thousand empty withdrawals', 'eth_simulateV1', () => [
    { blockStateCalls: [{ blockOverrides: { withdrawals: many(20_000, () => ({})) } }] },
    'latest',
  ]),
  {
    ...rpc('a million empty withdrawals', 'eth_simulateV1', () => [
      { blockStateCalls: [{ blockOverrides: { withdrawals: many(1e6, () => ({})) } }] },
      'latest',
    ]),
    refusal: 'more than 50000 withdrawals',
  },
  rpc('sixty thousand overridden accounts', 'eth_simulateV1', () => [
    {
      blockStateCalls: [
        { stateOverrides: Object.fromEntries(many(60_000, (i) => [address(i + 1e5), { balance: '0x1' }])) },
      ],
    },
    'latest',
  ]),
  rpc('unknown override members', 'eth_simulateV1', () => [
    { blockStateCalls: [{ blockOverrides: Object.fromEntries(many(100_000, (i) => [`key${i}`, 1])) }] },
    'latest',
  ]),
  {
    ...rpc('150,000 spellings of an override member', 'eth_simulateV1', () => {
      const spellings = many(150_000, (index) => {
        const bits = index.toString(2).padStart(19, '0')
        return 'moveprecompiletoaddress'.replace(/./g, (letter, place: number) =>
          bits[place] === '1' ? letter.toUpperCase() : letter,
        )
      })
      const overridden = Object.fromEntries(spellings.map((name) => [name, TARGET]))
      return [{ blockStateCalls: [{ stateOverrides: { [TARGET]: overridden } }] }, 'latest']
    }),
    refusal: 'name the same field',
  },
  rpc('fifty thousand transactions', 'debug_traceBlock', () => [manyTransactions(50_000)]),
  rpc('ten thousand keys', 'eth_getProof', () => [TARGET, many(10_000, hash), 'latest']),
  rpc('ten thousand slots', 'eth_getStorageValues', () => [{ [TARGET]: many(10_000, hash) }, 'latest']),
  rpc('1024 blocks with 100 percentiles', 'eth_feeHistory', () => ['0x400', 'latest', many(100, (i) => i)]),
  rpc('fifty thousand entries', 'eth_call', () => [
    { to: TARGET, accessList: many(50_000, (i) => ({ address: address(i), storageKeys: [hash(i)] })) },
    'latest',
  ]),
  rpc('ten thousand topics', 'eth_getLogs', () => [
    { fromBlock: '0x0', toBlock: 'latest', topics: [many(10_000, hash), many(10_000, hash)] },
  ]),
  rpc('all of 100,000 logs', 'eth_getLogs', () => [{ fromBlock: '0x0', toBlock: 'latest' }]),
  rpc('a block of 100,000 logs', 'eth_getBlockReceipts', () => ['0x3']),
  rpc('thousands of transactions', 'txpool_content', () => []),
  rpc('thousands of transactions', 'txpool_inspect', () => []),
  rpc('a string of ten million digits', 'eth_call', () => [{ to: TARGET, data: `0x${'ab'.repeat(5e6)}` }]),
  rpc('a quantity of ten million digits', 'eth_getBalance', () => [TARGET, `0x${'1'.repeat(1e7)}`]),
  rpc('an address of ten million digits', 'eth_getBalance', () => [`0x${'1'.repeat(1e7)}`, 'latest']),
  rpc('a hash of ten megabytes', 'web3_sha3', () => [`0x${'ab'.repeat(1e7)}`]),
  rpc('a transaction of ten megabytes', 'eth_sendRawTransaction', () => [`0x02f9${'ab'.repeat(1e7)}`]),
  rpc('deep RLP', 'eth_sendRawTransaction', () => [deepRlp(30_000)]),
  rpc('many RLP items', 'eth_sendRawTransaction', () => [`0x02fa1e8480${'80'.repeat(2e6)}`]),
  rpc('a code of a megabyte', 'anvil_setCode', () => [address(77), `0x${'5b'.repeat(1 << 20)}`]),
  rpc('a thousand blocks', 'anvil_mine', () => ['0x3e8']),
  rpc('the whole state', 'anvil_dumpState', () => []),
  rpc('deep typed data', 'eth_signTypedData_v4', () => [SIGNER, typedData(5000)]),
  rpc('typed data of 300,000 members', 'eth_signTypedData_v4', () => [SIGNER, typedData(150_000)]),
  rpc('typed data of 300,000 members as text', 'eth_signTypedData_v4', () => [
    SIGNER,
    JSON.stringify(typedData(150_000)),
  ]),
  rpc('typed data of many types', 'eth_signTypedData_v4', () => [SIGNER, typedDataOfTypes(3000)]),
  rpc('typed data of a string of megabytes', 'eth_signTypedData_v4', () => [
    SIGNER,
    {
      domain: {},
      primaryType: 'Text',
      types: { EIP712Domain: [], Text: [{ name: 'text', type: 'string' }] },
      message: { text: 'é'.repeat(4e6) },
    },
  ]),
  rpc('ten megabytes', 'eth_sign', () => [SIGNER, megabytes(10)]),
  rpc('ten megabytes', 'personal_sign', () => [megabytes(10), SIGNER]),
  rpc('ten megabytes', 'personal_ecRecover', () => [megabytes(10), `0x${'1b'.repeat(65)}`]),
  rpc('a hundred thousand overridden slots', 'eth_call', () => [
    { to: TARGET },
    'latest',
    { [TARGET]: { stateDiff: slots(100_000) } },
  ]),
  rpc('a hundred thousand overridden slots', 'eth_estimateGas', () => [
    { to: TARGET },
    'latest',
    { [TARGET]: { state: slots(100_000) } },
  ]),
  rpc('a hundred thousand overridden slots', 'debug_traceCall', () => [
    { to: TARGET },
    'latest',
    { stateOverrides: { [TARGET]: { stateDiff: slots(100_000) } }, tracer: 'prestateTracer' },
  ]),
  rpc('a hundred thousand overridden slots', 'eth_simulateV1', () => [
    { blockStateCalls: [{ stateOverrides: { [TARGET]: { stateDiff: slots(100_000) } } }] },
    'latest',
  ]),
  rpc('an override of code of five megabytes', 'eth_call', () => [
    { to: TARGET },
    'latest',
    override(megabytes(5, '5b')),
  ]),
  rpc('an override of code of PUSH32', 'eth_call', () => [
    { to: TARGET },
    'latest',
    override(megabytes(5, '7f')),
  ]),
  rpc('initcode of ten megabytes', 'eth_call', () => [{ data: megabytes(10, '5b') }, 'latest']),
  rpc('initcode of ten megabytes', 'eth_estimateGas', () => [{ from: SIGNER, data: megabytes(10, '5b') }]),
  rpc('five megabytes of data', 'eth_call', () => [{ to: TARGET, data: megabytes(5) }, 'latest']),
  rpc('five megabytes of data', 'eth_estimateGas', () => [{ to: TARGET, data: megabytes(5) }]),
  rpc('five megabytes of data', 'eth_sendTransaction', () => [
    { from: SIGNER, to: TARGET, data: megabytes(5) },
  ]),
  rpc('five megabytes of data', 'eth_createAccessList', () => [
    { from: SIGNER, to: TARGET, data: megabytes(5) },
  ]),
  rpc('a hundred kilobytes of data', 'eth_sendTransaction', () => [
    { from: SIGNER, to: TARGET, data: `0x${'00'.repeat(120_000)}`, gas: '0x1c9c380' },
  ]),
  rpc('an access list of fifty thousand', 'eth_estimateGas', () => [
    { to: TARGET, accessList: many(50_000, (i) => ({ address: address(i), storageKeys: [hash(i)] })) },
  ]),
  rpc('an access list of one address with 100,000 keys', 'eth_call', () => [
    { to: TARGET, accessList: [{ address: TARGET, storageKeys: many(100_000, hash) }] },
  ]),
  rpc('an access list of one address with 100,000 keys', 'eth_createAccessList', () => [
    { from: SIGNER, to: TARGET, accessList: [{ address: TARGET, storageKeys: many(100_000, hash) }] },
  ]),
  rpc('an access list of one address with 400,000 keys', 'eth_createAccessList', () => [
    { from: SIGNER, to: TARGET, accessList: [{ address: TARGET, storageKeys: many(400_000, hash) }] },
  ]),
  rpc('a memory of thirteen megabytes', 'debug_traceCall', () => [
    { to: TARGET },
    'latest',
    // PUSH1 1 PUSH3 0xd00000 MSTORE STOP.
    { enableMemory: true, stateOverrides: override('0x600162d000005200') },
  ]),
  rpc('an access list of a transaction', 'eth_sendTransaction', () => [
    {
      from: SIGNER,
      to: TARGET,
      gas: '0x1c9c380',
      accessList: many(6000, (i) => ({ address: address(i), storageKeys: [hash(i)] })),
    },
  ]),
  rpc('256 blocks of calls', 'eth_simulateV1', () => [
    {
      blockStateCalls: many(256, () => ({
        calls: many(8, () => ({ to: TARGET, data: '0x01' })),
      })),
    },
    'latest',
  ]),
  ...['eth_call', 'eth_estimateGas'].map((method) => ({
    ...rpc('a revert reason of a megabyte of brackets', method, () => callOf(REVERTING)),
    refusal: 'execution reverted: ',
  })),
  rpc('a revert reason of a megabyte of brackets', 'debug_traceCall', () => [
    { to: TARGET },
    'latest',
    { tracer: 'callTracer', stateOverrides: override(REVERTING) },
  ]),
  rpc('a revert reason of a megabyte of brackets', 'eth_simulateV1', () => [
    { blockStateCalls: [{ stateOverrides: override(REVERTING), calls: [{ to: TARGET }] }] },
    'latest',
  ]),
  ...(
    [
      ['anvil_addBalance', [SIGNER], 'expected a number'],
      ['debug_accountRange', [], 'must specify either'],
    ] as const
  ).map(([method, before, refusal]) => ({
    ...rpc('an object of 150,000 members', method, () => [...before, members(150_000)]),
    refusal,
  })),
  rpc('ten thousand calls', 'eth_simulateV1', () => [
    {
      blockStateCalls: [{ calls: many(10_000, () => ({ from: SIGNER, to: TARGET, value: '0x1' })) }],
      traceTransfers: true,
      validation: false,
    },
    'latest',
  ]),
  ...Object.entries({
    'a duration of a megabyte': { timeout: '1h'.repeat(5e5) },
    'a configuration of 150,000 members': { tracer: 'callTracer', tracerConfig: members(150_000) },
    'ten thousand programs': { tracer: 'muxTracer', tracerConfig: members(10_000) },
  }).map(([name, config]) => rpc(name, 'debug_traceCall', () => [{ to: TARGET }, 'latest', config])),
  rpc('an interval of 200,000 numbers', 'evm_setIntervalMining', () => [many(200_000, (i) => i)]),
  rpc('ten thousand calls', 'eth_callMany', () => [
    [{ transactions: many(10_000, () => ({ to: TARGET })) }],
    { blockNumber: 'latest' },
  ]),
  rpc('a hundred thousand calls', 'eth_callMany', () => [
    [{ transactions: many(100_000, () => ({ to: TARGET })) }],
    { blockNumber: 'latest' },
  ]),
  rpc('fifty thousand calls', 'trace_callMany', () => [
    many(50_000, () => [{ from: SIGNER, to: TARGET }, ['trace']]),
    'latest',
  ]),
  rpc('five thousand calls', 'trace_callMany', () => [
    many(5000, () => [{ from: SIGNER, to: TARGET }, ['trace', 'stateDiff']]),
    'latest',
  ]),
  rpc('ten thousand addresses', 'eth_getLogs', () => [{ fromBlock: '0x0', address: many(10_000, address) }]),
  rpc('a hundred thousand topics', 'eth_newFilter', () => [{ topics: many(4, () => many(25_000, hash)) }]),
  rpc('ten thousand addresses', 'eth_newFilter', () => [
    { fromBlock: '0x0', address: many(10_000, address) },
  ]),
  rpc('reward percentiles with fractions', 'eth_feeHistory', () => [
    '0x400',
    'latest',
    many(1000, (i) => i / 10),
  ]),
  rpc('ten thousand keys of a contract with storage', 'eth_getProof', () => [
    FILLED,
    many(10_000, hash),
    'latest',
  ]),
  rpc('all accounts with their slots', 'debug_accountRange', () => ['latest', '0x', 256, false, false, true]),
  rpc('all accounts with their slots', 'debug_dumpBlock', () => ['latest']),
  rpc('all slots', 'debug_storageRangeAt', () => ['latest', 0, FILLED, hash(-1), 1_000_000]),
  rpc('five megabytes', 'hardhat_setCode', () => [address(78), megabytes(5, '60')]),
  rpc('five megabytes', 'debug_codeByHash', () => [hash(1)]),
  rpc('code of five megabytes', 'eth_getCode', () => [address(78), 'latest']),
  rpc('a hundred thousand blocks', 'hardhat_mine', () => ['0x186a0', '0x1']),
  rpc('five thousand blocks', 'anvil_mine', () => ['0x1388']),
  {
    ...rpc('a thousand blocks with three thousand filters', 'anvil_mine', () => ['0x3e8']),
    prepare: oncePerNode(async (node) => {
      for (const [method, params] of [
        ['eth_newBlockFilter', []],
        ['eth_newFilter', [{}]],
        ['eth_newPendingTransactionFilter', []],
      ] as const) {
        await callRaw(node, batch(1000, method, params))
      }
    }),
  },
  pollOfManyBlocks(),
  pollOfManyLogs(),
  revertWithManyFilters(),
  { ...rpc('a deep reorganisation', 'anvil_reorg', () => [500, []]), prepare: mineThousand },
  { ...rpc('a rollback of a thousand blocks', 'anvil_rollback', () => [1000]), prepare: mineThousand },
  rpc('a filled state', 'evm_snapshot', () => []),
  {
    name: 'evm_revert: to thousands of pending transactions',
    async run(node, signal) {
      const { result } = JSON.parse(await call(node, 'evm_snapshot', [], signal)) as { result: Hex }
      await call(node, 'anvil_dropAllTransactions', [], signal)
      return refusalOf({ status: 200, text: await call(node, 'evm_revert', [result], signal) })
    },
  },
  rpc('everything', 'trace_filter', () => [{ fromBlock: '0x0', toBlock: 'latest' }]),
  rpc('everything of ten thousand addresses', 'trace_filter', () => [
    {
      fromBlock: '0x0',
      toBlock: 'latest',
      fromAddress: many(10_000, address),
      toAddress: many(10_000, address),
    },
  ]),
  rpc('everything', 'ots_searchTransactionsBefore', () => [SIGNER, 0, 100_000]),
  rpc('everything', 'ots_searchTransactionsAfter', () => [SIGNER, 0, 100_000]),
  rpc('everything of an unused address', 'ots_searchTransactionsAfter', () => [address(12_345), 0, 100_000]),
  rpc('an account', 'ots_getContractCreator', () => [TARGET]),
  rpc('a block of many logs', 'ots_getBlockTransactions', () => [3, 0, 1000]),
  rpc('a nonce', 'ots_getTransactionBySenderAndNonce', () => [SIGNER, 2]),
  rpc('a block of many logs', 'trace_block', () => ['0x3']),
  rpc('a block of many logs', 'debug_getRawReceipts', () => ['0x3']),
  rpc('a block of many logs', 'debug_traceBlockByNumber', () => [
    '0x3',
    { tracer: 'callTracer', tracerConfig: { withLog: true } },
  ]),
  rpc('a raw block of ten million lists', 'debug_traceBlock', () => [flatRlp()]),
  rpc('a raw block of ten million lists', 'standin_importBlocks', () => [[flatRlp()]]),
  rpc('half a million short transactions', 'standin_importBlocks', () => [[shortTransactions()]]),
  rpc('deep RLP', 'standin_importBlocks', () => [[deepRlp(100_000)]]),
  rpc('thousands of transactions', 'eth_pendingTransactions', () => []),
  rpc('thousands of transactions', 'txpool_contentFrom', () => [SIGNER]),
  rpc('the pending block', 'eth_getBlockByNumber', () => ['pending', true]),
  rpc('a call on the pending block', 'eth_call', () => [{ to: TARGET }, 'pending']),
  rpc('a proof on the pending block', 'eth_getProof', () => [TARGET, [], 'pending']),
  rpc('a sender without transactions', 'anvil_removePoolTransactions', () => [address(1)]),
  rpc('an empty compilation', 'hardhat_addCompilationResult', () => [
    '0.8.20',
    { sources: {} },
    { contracts: {} },
  ]),
  rpc('a compilation of ten megabytes', 'hardhat_addCompilationResult', () => [
    '0.8.20',
    {
      language: 'Solidity',
      sources: { 'a.sol': { content: 'contract A {}\n'.repeat(300_000) } },
      settings: {},
    },
    {
      sources: { 'a.sol': { id: 0, ast: {} } },
      contracts: {
        'a.sol': Object.fromEntries(
          many(400, (i) => [
            `A${i}`,
            {
              abi: [],
              evm: {
                bytecode: {
                  object: '60'.repeat(5000),
                  sourceMap: '1:1:0:-:0;'.repeat(2000),
                  linkReferences: {},
                },
                deployedBytecode: {
                  object: '60'.repeat(5000),
                  sourceMap: '1:1:0:-:0;'.repeat(2000),
                  immutableReferences: {},
                  linkReferences: {},
                },
                methodIdentifiers: {},
              },
            },
          ]),
        ),
      },
    },
  ]),
  rpc('the storage of a contract', 'debug_storageRangeAt', () => ['latest', 0, FILLED, hash(-1), 100_000]),
  rpc('a block of a transaction with many logs', 'debug_traceBlockByNumber', () => ['0x3', {}]),
  rpc('a block of a transaction with many logs', 'trace_block', () => ['0x3']),
  rpc('160,000 keys', 'eth_call', () => [
    { to: TARGET, ...Object.fromEntries(many(160_000, (i) => [`key${i}`, i])) },
  ]),
  body('a body of brackets', () => '['.repeat(2e7)),
  body('a body of one string with escapes', () => `"${'\\u0041'.repeat(3e6)}"`),
  body(
    'a body of a hundred megabytes',
    () => `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x${'ab'.repeat(5e7)}"]}`,
  ),
  body('a body of spaces', () => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"${' '.repeat(3e7)}}`),
  body(
    'a body of two-byte characters',
    () => `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["${'é'.repeat(1e7)}"]}`,
  ),
  body(
    'a body of emoji',
    () => `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["${'💥'.repeat(5e6)}"]}`,
  ),
  body(
    'a name of ten megabytes',
    () => `{"jsonrpc":"2.0","id":1,"${'n'.repeat(1e7)}":1,"method":"eth_chainId"}`,
  ),
  body('a method of ten megabytes', () => `{"jsonrpc":"2.0","id":1,"method":"${'n'.repeat(1e7)}"}`),
  body(
    'a million names',
    () => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId",${many(1e6, (i) => `"k${i}":0`).join(',')}}`,
  ),
  body(
    'a million parameters',
    () => `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[${'0,'.repeat(1e6)}0]}`,
  ),
  body(
    'a million empty objects',
    () => `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[${'{},'.repeat(1e6)}{}]}`,
  ),
  body('deep objects', () => `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`),
  body(
    'deep parameters',
    () => `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${'['.repeat(9990)}${']'.repeat(9990)}}`,
  ),
  body('a batch of a thousand calls', () => batch(1000, 'eth_call', callOf('0x5f5f2050'))),
  body('a batch of a thousand blocks', () => batch(1000, 'eth_getBlockByNumber', ['0x3', true])),
  body('a batch of a thousand logs of all blocks', () => batch(1000, 'eth_getLogs', [{ fromBlock: '0x0' }])),
  body('a batch of a thousand traces', () => batch(1000, 'debug_traceBlockByNumber', ['0x1', {}])),
  body('a batch of a thousand mempools', () => batch(1000, 'txpool_content', [])),
  body('a batch of a thousand proofs', () =>
    batch(1000, 'eth_getProof', [TARGET, many(100, hash), 'latest']),
  ),
  body('a batch of filters with a thousand addresses', () =>
    batch(500, 'eth_newFilter', [{ fromBlock: '0x0', address: many(1000, address) }]),
  ),
  body('a batch of a million items', () => `[${'1,'.repeat(1e6)}1]`),
  body(
    'a batch of a million calls',
    () => `[${'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},'.repeat(3e5)}1]`,
  ),
  body(
    'an id of ten million digits',
    () => `{"jsonrpc":"2.0","method":"eth_chainId","id":${'1'.repeat(1e7)}}`,
  ),
  body('an id of ten megabytes', () => `{"jsonrpc":"2.0","method":"eth_chainId","id":"${'é'.repeat(5e6)}"}`),
  body(
    'numbers with many digits',
    () =>
      `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[${'1'.repeat(1e6)}e-5,${'9'.repeat(5e6)}]}`,
  ),
]

/** Encodes deeply nested RLP lists. */
function deepRlp(depth: number): Hex {
  const heads: string[] = []
  let length = 0
  for (let level = 0; level < depth; level++) {
    const digits = length.toString(16)
    const size = digits.padStart(digits.length + (digits.length % 2), '0')
    const head = length < 56 ? (0xc0 + length).toString(16) : (0xf7 + size.length / 2).toString(16) + size
    heads.push(head)
    length += head.length / 2
  }
  return `0x${heads.reverse().join('')}`
}

/** Encodes ten million empty lists in one RLP list. */
const flatRlp = (): Hex => `0xfa989680${'c0'.repeat(1e7)}`

/** Makes a batch that repeats one call. */
function batch(count: number, method: string, params: readonly unknown[]): string {
  return JSON.stringify(many(count, (id) => ({ jsonrpc: '2.0', id, method, params })))
}

/** Makes typed data with an array of many structs. */
function typedData(length: number): object {
  return {
    domain: {},
    primaryType: 'Group',
    types: {
      EIP712Domain: [],
      Group: [{ name: 'members', type: 'Person[]' }],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallet', type: 'address' },
      ],
    },
    message: { members: many(length, (i) => ({ name: `person ${i}`, wallet: address(i) })) },
  }
}

/** Makes typed data of deeply nested structs, each of its own type. */
function typedDataOfTypes(count: number): object {
  const types = Object.fromEntries(
    many(count, (i) => [`T${i}`, i + 1 < count ? [{ name: 'next', type: `T${i + 1}` }] : []]),
  )
  let message: object = {}
  for (let depth = 1; depth < count; depth++) message = { next: message }
  return { domain: {}, primaryType: 'T0', types: { EIP712Domain: [], ...types }, message }
}

/** A contract whose ten thousand slots the harness fills. */
export const FILLED = `0x${'2'.repeat(40)}` as const

function pollOfManyBlocks(): Bomb {
  let filter: Hex = '0x0'
  return {
    ...rpc('fifty thousand blocks', 'eth_getFilterChanges', () => [filter]),
    prepare: async ({ ready: { url } }) => {
      filter = await callRpc(url, 'eth_newBlockFilter', [])
      for (let i = 0; i < 5; i++) await callRpc(url, 'anvil_mine', [10_000])
    },
  }
}

/** A contract that emits an empty log: PUSH0 PUSH0 LOG0. */
const LOGGING = '0x5f5fa0'

function pollOfManyLogs(): Bomb {
  let filter: Hex = '0x0'
  return {
    ...rpc('logs of four thousand blocks', 'eth_getFilterChanges', () => [filter]),
    prepare: async (node) => {
      const { url } = node.ready
      await callRpc(url, 'evm_setAutomine', [true])
      await callRpc(url, 'anvil_setCode', [address(79), LOGGING])
      filter = await callRpc(url, 'eth_newFilter', [{ address: address(79) }])
      const transaction = { from: SIGNER, to: address(79), gas: '0xffff' }
      for (let i = 0; i < 4; i++) await callRaw(node, batch(1000, 'eth_sendTransaction', [transaction]))
    },
  }
}

function revertWithManyFilters(): Bomb {
  let snapshot: Hex = '0x0'
  return {
    ...rpc('two thousand filters that keep a hundred blocks', 'evm_revert', () => [snapshot]),
    prepare: async (node) => {
      snapshot = await callRpc(node.ready.url, 'evm_snapshot', [])
      for (let i = 0; i < 2; i++) await callRaw(node, batch(1000, 'eth_newBlockFilter', []))
      await callRpc(node.ready.url, 'anvil_mine', [100])
    },
  }
}
