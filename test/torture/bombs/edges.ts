import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  SIGNER,
  TARGET,
  address,
  body,
  file,
  firstRefusal,
  hash,
  loop,
  many,
  oncePerNode,
  rpc,
  sendBody,
  sendCall,
  sendFile,
  type Bomb,
} from './bomb.js'
import type { TorturedNode } from '../node.js'
import { type Hex, call, postFiles, uploadBody } from '../requests.js'

const nested = (depth: number, inside = ''): string => '['.repeat(depth) + inside + ']'.repeat(depth)
const callOf = (params: string, id = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":${params}}`

/** A part of an upload that has a header of its own. */
const part = (header: string): string =>
  `--torture\r\n${header}content-type: application/octet-stream\r\n\r\nx\r\n`
const uploadOf = (header: string): Buffer => Buffer.from(part(header).repeat(20) + '--torture--\r\n')

const leaf = (index: number): Buffer => Buffer.from(`leaf ${index}`)
/** Returns the CID of a leaf's hash as dag-cbor, under which no pin protects it. */
const twin = (index: number): string => `f01711220${createHash('sha256').update(leaf(index)).digest('hex')}`

/** Returns code that logs four megabytes of percent signs to the console. */
function loggingCode(): Hex {
  const push = (value: number): string => `63${value.toString(16).padStart(8, '0')}`
  const length = 32 * 2 ** 17
  // MSTORE of 32 signs at 68, and MCOPY of all of them to their end, again and again.
  const doublings = many(17, (i) => `${push(32 * 2 ** i)}6044${push(0x44 + 32 * 2 ** i)}5e`)
  const text = `7f${'25'.repeat(32)}604452${doublings.join('')}`
  // The selector of log(string), the place of the text, and its length.
  const head = `6341304fac60e01b5f526020600452${push(length)}602452`
  return `0x${head}${text}5f5f${push(length + 0x44)}5f5f73000000000000000000636f6e736f6c652e6c6f675af100`
}

/** Two thousand uploads that break off together. */
const abortedUploads: Bomb = {
  name: 'two thousand uploads that break off at once',
  async run(node) {
    const { hostname, port } = new URL(node.ready.ipfsUrl)
    const sockets = await Promise.all(
      many(2000, async () => {
        const socket = connect({ host: hostname, port: Number(port) })
        socket.on('error', () => undefined)
        await once(socket, 'connect')
        return socket
      }),
    )
    const head = 'POST /api/v0/add HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n'
    const type = 'content-type: multipart/form-data; boundary=torture\r\n\r\n'
    const start = '--torture\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nabc'
    for (const socket of sockets) socket.write(head + type + start)
    await sleep(1000)
    for (const socket of sockets) socket.destroy()
    await sleep(1500)
    return undefined
  },
}

/** More authorizations than any gas limit covers. */
const authorizations = (): object[] =>
  many(40_000, (index) => ({
    chainId: '0x7a69',
    address: address(index),
    nonce: '0x0',
    yParity: '0x0',
    r: `0x${'f'.repeat(60)}${(4096 + index).toString(16)}`,
    s: '0x1',
  }))

/** Methods that refuse {@link authorizations}, and with which words. */
const authorizing = {
  eth_call: 'intrinsic gas too low',
  eth_estimateGas: 'gas required exceeds allowance',
  eth_createAccessList: 'intrinsic gas too low',
  debug_traceCall: 'intrinsic gas too low',
  eth_sendTransaction: 'gas required exceeds allowance',
}

/** What {@link unsendable} transactions must set. */
const signed = {
  from: SIGNER,
  to: TARGET,
  nonce: '0x0',
  gas: '0xffffff',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x1',
}
/** Members that make a transaction too long for any mempool, by name. */
const unsendable: Record<string, () => object> = {
  'an access list of 100,000': () => ({
    accessList: many(100_000, (index) => ({ address: address(index), storageKeys: [hash(index)] })),
  }),
  '40,000 authorizations': () => ({ authorizationList: authorizations() }),
  'fifteen megabytes of data': () => ({ data: `0x${'ab'.repeat(1.5e7)}` }),
}

/** A contract that reads one slot after another. */
const READER = address(0x5107)
/** An account with more code than any contract. */
const LARGE_CODE = address(0xc0de)
const putLargeCode = oncePerNode((node) =>
  call(node, 'anvil_setCode', [LARGE_CODE, `0x${'5b'.repeat(2 ** 23)}`]),
)
/** Calls that read that code. */
const readings: Record<string, readonly unknown[]> = {
  eth_getAccountInfo: [LARGE_CODE, 'latest'],
  debug_traceCall: [{ to: LARGE_CODE, gas: '0xfffff' }, 'latest', { tracer: 'prestateTracer' }],
  debug_accountRange: ['latest', '0x', 256, false, false, false],
  anvil_dumpState: [],
  standin_dumpGenesis: [],
}

/** Sends a transaction of as many calls as its gas pays. @returns its hash */
const sendCalls = oncePerNode(async (node) => {
  await call(node, 'evm_setAutomine', [true])
  await call(node, 'anvil_setCode', [address(0xca11), loop('5f5f5f5f5f6104005af150')])
  const sent = await call(node, 'eth_sendTransaction', [
    { from: SIGNER, to: address(0xca11), gas: '0xfffff0' },
  ])
  return (JSON.parse(sent) as { result: string }).result
})

/** Bombs at the edges of limits. */
export const edges: readonly Bomb[] = [
  {
    name: 'testing_buildBlockV1: fifty thousand withdrawals',
    async run(node, signal) {
      const latest = JSON.parse(await call(node, 'eth_getBlockByNumber', ['latest', false], signal)) as {
        result: { hash: string; timestamp: string }
      }
      const { hash: parent, timestamp } = latest.result
      const attributes = {
        timestamp: `0x${(Number(timestamp) + 1).toString(16)}`,
        prevRandao: hash(1),
        suggestedFeeRecipient: address(1),
        parentBeaconBlockRoot: hash(2),
        withdrawals: many(50_000, (index) => ({
          ...{
            index: `0x${index.toString(16)}`,
            validatorIndex: '0x1',
            address: address(index),
            amount: '0x1',
          },
        })),
      }
      return sendCall(node, 'testing_buildBlockV1', [parent, attributes, [], '0x'], signal)
    },
  },
  {
    name: 'evm_mine_detailed: three thousand transactions',
    async prepare(node) {
      await call(node, 'evm_setBlockGasLimit', ['0x1dcd6500'])
      await call(node, 'evm_setAutomine', [false])
      for (let round = 0; round < 30; round++) {
        const transfer = { from: SIGNER, to: address(1), gas: '0x5208', value: '0x1' }
        await Promise.all(many(100, () => call(node, 'eth_sendTransaction', [transfer])))
      }
    },
    async run(node, signal) {
      const refusal = await sendCall(node, 'evm_mine_detailed', [], signal)
      await call(node, 'evm_setBlockGasLimit', ['0x1c9c380'])
      await call(node, 'evm_mine', [])
      return refusal
    },
  },
  {
    name: 'ots_searchTransactionsAfter: blocks of thousands of transactions of one account, four times at once',
    run: (node, signal) =>
      firstRefusal(many(4, () => sendCall(node, 'ots_searchTransactionsAfter', [SIGNER, 0, 1e9], signal))),
  },
  ...[
    'ots_getTransactionError',
    'ots_getInternalOperations',
    'ots_traceTransaction',
    'trace_transaction',
  ].map((method) => ({
    name: `${method}: a transaction of a hundred thousand calls`,
    prepare: sendCalls,
    run: async (node: TorturedNode, signal: AbortSignal) =>
      sendCall(node, method, [await sendCalls(node)], signal),
  })),
  ...['eth_signTransaction', 'eth_fillTransaction', 'eth_sendTransaction'].flatMap((method) =>
    Object.entries(unsendable).map(([name, make]) => ({
      ...rpc(name, method, () => [{ ...signed, ...make() }]),
      refusal: 'oversized data',
    })),
  ),
  {
    ...rpc('forty thousand authorizations', 'trace_call', () => [
      { from: SIGNER, to: TARGET, authorizationList: authorizations() },
      ['trace', 'stateDiff'],
      'latest',
    ]),
    refusal: 'intrinsic gas too low',
  },
  {
    ...rpc('a token that reads thousands of slots', 'anvil_setERC20Balance', () => [SIGNER, READER, '0x1']),
    // JUMPDEST DUP1 SLOAD POP PUSH1 1 ADD PUSH1 1 JUMP.
    prepare: (node) => call(node, 'anvil_setCode', [READER, '0x5f5b80545060010160015600']),
    refusal: 'no slot found',
  },
  rpc('four megabytes to the console', 'eth_call', () => [
    { to: TARGET },
    'latest',
    { [TARGET]: { code: loggingCode() } },
  ]),
  rpc('code of eight megabytes', 'anvil_setCode', () => [address(0xc0df), `0x${'5b'.repeat(2 ** 23)}`]),
  {
    ...rpc('code of fifteen megabytes', 'anvil_setCode', () => [address(0xc0df), `0x${'5b'.repeat(1.5e7)}`]),
    refusal: 'the code is longer than 8388608 bytes',
  },
  rpc('an override of code of fifteen megabytes', 'eth_call', () => [
    { to: TARGET },
    'latest',
    { [TARGET]: { code: `0x00${'5b'.repeat(1.5e7)}` } },
  ]),
  ...Object.entries(readings).map(([method, params]) => ({
    ...rpc('code of eight megabytes', method, () => params),
    prepare: putLargeCode,
  })),
  {
    name: 'eth_newFilter: 900 filters of 4,900 topics each',
    run: (node, signal) =>
      firstRefusal(
        many(10, () => {
          const filters = many(90, (id) => ({
            jsonrpc: '2.0',
            id,
            method: 'eth_newFilter',
            params: [{ topics: [many(4900, hash)] }],
          }))
          return sendBody(node, JSON.stringify(filters), signal)
        }),
      ),
  },
  ...Object.entries(authorizing).map(([method, refusal]) => ({
    ...rpc('forty thousand authorizations', method, () => [
      { from: SIGNER, to: TARGET, authorizationList: authorizations() },
      ...(method === 'eth_sendTransaction' ? [] : ['latest']),
    ]),
    refusal,
  })),
  ...[5000, 9000].map((depth) => ({
    ...body(
      `a batch of a thousand calls with parameters ${depth} deep`,
      () => `[${many(999, (id) => callOf(nested(depth), id)).join(',')}]`,
    ),
    refusal: 'There are more than 1048576 arrays and objects',
  })),
  {
    ...body('two million numbers below 1,500 brackets', () => callOf(nested(1500, `${'1,'.repeat(2e6)}1`))),
    refusal: 'cannot unmarshal array',
  },
  {
    ...body('three million objects below 1,500 brackets', () =>
      callOf(nested(1500, `${'{},'.repeat(3e6)}1`)),
    ),
    refusal: 'There are more than 1048576 arrays and objects',
  },
  {
    ...body('sixteen million numbers', () => callOf(nested(1, `${'1,'.repeat(16e6)}1`))),
    refusal: 'An array has more than',
  },
  {
    ...body('ten million empty arrays', () => callOf(nested(1, `${'[],'.repeat(1e7)}1`))),
    refusal: 'There are more than 1048576 arrays and objects',
  },
  {
    ...body('a million arrays of empty arrays', () => callOf(nested(1, `${'[[],{}],'.repeat(3e5)}1`))),
    refusal: 'cannot unmarshal array',
  },
  ...['[]', '{}'].map((element) => ({
    ...rpc(`typed data of three million of ${element} as text`, 'eth_signTypedData_v4', () => [
      SIGNER,
      `{"message":[${many(3e6, () => element).join(',')}]}`,
    ]),
    refusal: 'There are more than 1048576 arrays and objects',
  })),
  {
    ...body(
      'an id of 96 megabytes of escapes',
      () => `{"jsonrpc":"2.0","method":"eth_chainId","id":"${'\\u0041'.repeat(16e6)}"}`,
    ),
    refusal: 'content length too large',
  },
  {
    ...body(
      'an id of 30 megabytes of escapes',
      () => `{"jsonrpc":"2.0","method":"eth_chainId","id":"${'\\u0041'.repeat(5e6)}"}`,
    ),
    refusal: 'invalid request',
  },
  ...['k', ''].map((prefix) => ({
    ...body(`two million names of a parameter, such as "${prefix}7"`, () =>
      callOf(`[{${many(2e6, (i) => `"${prefix}${i * 7}":0`).join(',')}}]`),
    ),
    refusal: 'An object has more than',
  })),
  {
    ...body('objects of 160,000 shapes', () =>
      callOf(`[{},"latest",{${many(1.6e5, (i) => `"a${i}":{}`).join(',')}}]`),
    ),
    refusal: 'cannot unmarshal hex string',
  },
  rpc('20,000 accounts with code and a slot each', 'eth_estimateGas', () => [
    { to: TARGET },
    'latest',
    Object.fromEntries(
      many(20_000, (i) => [address(i), { code: hash(i), nonce: '0x1', stateDiff: { [hash(i)]: hash(i) } }]),
    ),
  ]),
  rpc('overrides of 400 accounts in each of 256 blocks', 'eth_simulateV1', () => [
    {
      blockStateCalls: many(256, (block) => ({
        stateOverrides: Object.fromEntries(
          many(400, (i) => [address(i + block * 400), { balance: '0x1', stateDiff: { [hash(i)]: hash(1) } }]),
        ),
      })),
    },
  ]),
  rpc('five thousand transactions for five blocks', 'anvil_reorg', () => [
    5,
    many(5000, (i) => [{ from: SIGNER, to: TARGET, value: '0x1' }, i % 5]),
  ]),
  {
    name: 'evm_snapshot: a thousand of thousands of pending transactions',
    run: (node, signal) =>
      sendBody(
        node,
        JSON.stringify(many(1000, (id) => ({ jsonrpc: '2.0', id, method: 'evm_snapshot', params: [] }))),
        signal,
      ),
  },
  abortedUploads,
  ...(
    [
      ['empty files', 'bafkqaaa'],
      ['files of a byte', 'bafkqaala'],
    ] as const
  ).map(([name, cid]): Bomb => ({
    name: `cat: eight hundred ${name} a thousand times at once`,
    run: (node, signal) =>
      firstRefusal(
        many(1000, () => sendFile(node, `cat?${many(800, () => `arg=${cid}`).join('&')}`, undefined, signal)),
      ),
  })),
  {
    name: 'block/rm: the blocks of pinned leaves under other CIDs',
    prepare: oncePerNode((node) =>
      postFiles(node, 'add?cid-version=1&quieter=true', uploadBody(many(20_000, (i) => [`l${i}`, leaf(i)]))),
    ),
    run: (node, signal) =>
      sendFile(
        node,
        `block/rm?force=true&${many(150, (i) => `arg=${twin(i)}`).join('&')}`,
        undefined,
        signal,
      ),
  },
  ...Object.entries({
    'a file name in 12,000 pieces': [
      `content-disposition: form-data${many(12_000, (i) => `; filename*${i}*=%41`).join('')}\r\n`,
      'expected a file argument',
    ],
    '20,000 parameters': [
      `content-disposition: form-data; filename="f"${many(20_000, (i) => `; a${i}=b`).join('')}\r\n`,
      'expected a file argument',
    ],
    '50,000 lines of a header': [
      `content-disposition: form-data; filename="f"\r\nx: y${'\r\n y'.repeat(50_000)}\r\n`,
    ],
  }).map(([name, [header = '', refusal]]) => ({
    ...file(
      `add: parts with ${name}`,
      () => 'add',
      () => uploadOf(header),
    ),
    refusal,
  })),
]
