import { concat, decodeAbiParameters, pad, sha256, toHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf, TracedNode } from '../tracing/tracedNode.js'

interface Log {
  address: Hex
  topics: Hex[]
  data: Hex
  logIndex: Hex
  blockHash: Hex
  transactionHash: Hex
}
interface Call {
  returnData: Hex
  logs: Log[]
  gasUsed: Hex
  maxUsedGas: Hex
  status: Hex
  error?: { code: number; message: string; data?: Hex }
}
interface Block {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  baseFeePerGas: Hex
  gasUsed: Hex
  stateRoot: Hex
  logsBloom: Hex
  withdrawalsRoot: Hex
  withdrawals: object[]
  parentBeaconBlockRoot: Hex
  transactions: (Hex & Record<string, unknown>)[]
  calls: Call[]
}

/** Checksummed addresses of the system contracts (EIP-7002, EIP-7251, EIP-4788). */
const systemContracts = {
  withdrawalRequests: '0x00000961Ef480Eb55e80D19ad83579A64c007002',
  consolidationRequests: '0x0000BBdDc7CE488642fb579F8B00f3a590007251',
  beaconRoots: '0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02',
} as const
/** The mainnet deposit contract (EIP-6110). */
const depositContract = '0x00000000219ab540356cbb839cbe05303d7705fa'
/** Returns code that logs `length` zero bytes as a DepositEvent. */
const depositLog = (length: number): Hex =>
  `0x7f649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c561${toHex(length, { size: 2 }).slice(2)}5fa1`
const poor = `0x${'c0'.repeat(20)}` as const
const ETHER_LOGS = `0x${'ee'.repeat(20)}`
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let chain: TracedNode
let store: Hex

beforeAll(async () => {
  chain = await TracedNode.start()
  store = await chain.deploy('Store')
})
afterAll(() => chain.stop())

function simulate(blockStateCalls: object[], options: object = {}, base = 'latest'): Promise<Block[]> {
  return chain.call<Block[]>('eth_simulateV1', { blockStateCalls, ...options }, base)
}

describe('system calls of simulated blocks', () => {
  it('run a precompile moved to the address of their contract', async () => {
    const identity = `0x${'04'.padStart(40, '0')}`
    const withdrawal = systemContracts.withdrawalRequests
    const [block] = await simulate([
      { stateOverrides: { [identity]: { movePrecompileToAddress: systemContracts.beaconRoots } } },
    ])
    const [plain] = await simulate([{}])
    // The contract would have written to its ring buffer.
    expect(block?.stateRoot).not.toBe(plain?.stateRoot)
    const [idle] = await simulate([
      { stateOverrides: { [identity]: { movePrecompileToAddress: withdrawal } } },
    ])
    expect(idle?.stateRoot).toBe(plain?.stateRoot)
  })

  it('run with cold precompiles and 30 million gas', async () => {
    // BALANCE(4), then returns GAS as the only request: PUSH1 costs 3 gas, a cold BALANCE 2600, POP 2 and GAS 2.
    const code = '0x600431505a5f5260205ff3'
    const [block] = await simulate([{ stateOverrides: { [systemContracts.withdrawalRequests]: { code } } }])
    const gasLeft = toHex(30_000_000n - 2607n, { size: 32 })
    expect(block).toMatchObject({ requestsHash: sha256(sha256(concat(['0x01', gasLeft]))) })
  })

  it('run the code that replaces the standard contract', async () => {
    // Stores CALLER in slot 0; a later call returns the slot.
    const stateOverrides = { [systemContracts.beaconRoots]: { code: '0x335f5500' } }
    const read = { [systemContracts.beaconRoots]: { code: '0x5f545f5260205ff3' } }
    const [, block] = await simulate([
      { stateOverrides },
      { stateOverrides: read, calls: [{ to: systemContracts.beaconRoots }] },
    ])
    expect(block?.calls[0]?.returnData).toBe(pad('0xfffffffffffffffffffffffffffffffffffffffe'))
  })
})

describe('eth_simulateV1', () => {
  it('yields the same result as mining the transaction', async () => {
    const data = inputOf('Store', 'createChild', [3n])
    const fees = { maxFeePerGas: toHex(10n ** 10n), maxPriorityFeePerGas: toHex(10n ** 9n) }
    const call = { from: chain.alice, to: store, data, value: '0x4', gas: toHex(400_000), ...fees }
    const snapshot = await chain.call('evm_snapshot')
    await chain.send(call)
    const mined = await chain.call<Block & Record<string, Hex>>('eth_getBlockByNumber', 'latest', false)
    await chain.call('evm_revert', snapshot)
    const blockOverrides = { time: mined.timestamp, prevRandao: mined['mixHash'] }
    const [simulated] = await simulate([{ blockOverrides, calls: [call] }], { validation: true })
    for (const member of [
      'number',
      'parentHash',
      'baseFeePerGas',
      'gasUsed',
      'stateRoot',
      'logsBloom',
    ] as const) {
      expect(simulated?.[member], member).toBe(mined[member])
    }
    expect(await chain.call('eth_blockNumber')).not.toBe(simulated?.number)
  })

  it('carries state, hashes and fees from block to block, and fills gaps', async () => {
    const call = { from: poor, to: store, data: inputOf('Store', 'increment') }
    const head = await chain.call<Block>('eth_getBlockByNumber', 'latest', false)
    const number = BigInt(head.number) + 4n
    const blocks = await simulate([
      { calls: [call, call] },
      { blockOverrides: { number: toHex(number) }, calls: [call] },
    ])
    expect(blocks.map((block) => BigInt(block.number) - BigInt(head.number))).toEqual([1n, 2n, 3n, 4n])
    expect(blocks.map((block) => BigInt(block.timestamp) - BigInt(head.timestamp))).toEqual([
      12n,
      24n,
      36n,
      48n,
    ])
    expect(blocks.map(({ parentHash }) => parentHash)).toEqual([
      head.hash,
      ...blocks.slice(0, 3).map(({ hash }) => hash),
    ])
    expect(blocks.flatMap(({ calls }) => calls.map(({ returnData }) => BigInt(returnData)))).toEqual([
      1n,
      2n,
      3n,
    ])
    expect(blocks.every(({ baseFeePerGas }) => baseFeePerGas === '0x0')).toBe(true)
    expect(await chain.call('eth_call', call, 'latest')).toBe(pad('0x1'))
    // PUSH1 1 NUMBER SUB BLOCKHASH PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN
    const looker = { [poor]: { code: '0x600143034060005260206000f3' } }
    const seen = await simulate([{ stateOverrides: looker }, { calls: [{ to: poor }] }])
    expect(seen[1]?.calls[0]?.returnData).toBe(seen[0]?.hash)
  })

  it('shows ether transfers as logs, in order with the others and without reverted ones', async () => {
    const rich = { [chain.bob]: { balance: toHex(10n ** 20n) } }
    const nested = await chain.deploy('NestedCaller')
    const reverting = inputOf('NestedCaller', 'forward', [await chain.deploy('Reverter'), '0x'])
    const calls = [
      { from: chain.bob, to: store, data: inputOf('Store', 'createChild', [1n]), value: '0x5' },
      { from: chain.bob, to: nested, data: reverting, value: '0x6' },
      { from: chain.bob, to: poor, value: '0x7' },
    ]
    const [block] = await simulate([{ stateOverrides: rich, calls }], { traceTransfers: true })
    const logs = block?.calls.map((call) => call.logs) ?? []
    expect(logs.map((list) => list.length)).toEqual([3, 1, 1])
    expect(logs[0]?.map(({ address }) => address)).toEqual([ETHER_LOGS, ETHER_LOGS, store])
    expect(logs[0]?.[0]).toMatchObject({ topics: [TRANSFER, pad(chain.bob), pad(store)], data: pad('0x5') })
    // The index of the reverted log is reused by the next one.
    expect(logs.flat().map(({ logIndex }) => logIndex)).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4'])
    expect(logs.flat().every(({ blockHash }) => blockHash === block?.hash)).toBe(true)
    const [plain] = await simulate([{ stateOverrides: rich, calls }])
    expect(plain?.calls.map((call) => call.logs.length)).toEqual([1, 0, 0])
    expect(plain?.logsBloom).toBe(block?.logsBloom)
    expect(plain?.hash).toBe(block?.hash)
  })

  it('reports how a call failed, and continues', async () => {
    const reverter = await chain.deploy('Reverter')
    const burner = await chain.deploy('GasDependent')
    const data = inputOf('Reverter', 'revertWithReason', ['no'])
    const [block] = await simulate([
      {
        calls: [
          { to: reverter, data },
          { to: burner, data: inputOf('GasDependent', 'burnAll'), gas: toHex(50_000) },
          { to: store, data: inputOf('Store', 'increment') },
        ],
      },
    ])
    const [reverted, burned, fine] = block?.calls ?? []
    expect(reverted).toMatchObject({ status: '0x0', returnData: '0x', logs: [] })
    expect(reverted?.error).toMatchObject({ code: 3, message: 'execution reverted: no' })
    expect(decodeAbiParameters([{ type: 'string' }], `0x${reverted?.error?.data?.slice(10)}`)).toEqual(['no'])
    expect(burned).toMatchObject({ status: '0x0', gasUsed: toHex(50_000) })
    expect(burned?.error).toEqual({ code: -32015, message: 'invalid opcode: INVALID' })
    expect(fine).toMatchObject({ status: '0x1' })
    expect(BigInt(block?.gasUsed ?? 0)).toBe(
      block?.calls.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
    )
  })

  it('distinguishes gas before refunds from gas paid', async () => {
    const clear = { to: store, data: inputOf('Store', 'setNumber', [0n]) }
    const stateOverrides = { [store]: { stateDiff: { [pad('0x0')]: pad('0x1') } } }
    const [block] = await simulate([{ stateOverrides, calls: [clear] }])
    const { gasUsed, maxUsedGas } = block?.calls[0] as Call
    expect(BigInt(maxUsedGas) - BigInt(gasUsed)).toBe(4_800n)
  })

  it('pays the given withdrawals and writes the given beacon root', async () => {
    const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: poor, amount: '0x3' }]
    const beaconRoot = `0x${'be'.repeat(32)}` as const
    const roots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
    const [first, second] = await simulate([
      { blockOverrides: { withdrawals, beaconRoot } },
      { calls: [{ from: poor, to: chain.bob, value: toHex(3n * 10n ** 9n) }] },
    ])
    expect(first).toMatchObject({ withdrawals, parentBeaconBlockRoot: beaconRoot })
    expect(first?.withdrawalsRoot).not.toBe(second?.withdrawalsRoot)
    expect(second?.calls[0]?.status).toBe('0x1')
    const time = pad(first?.timestamp as Hex)
    const again = await simulate([{ blockOverrides: { beaconRoot } }, { calls: [{ to: roots, data: time }] }])
    expect(again[1]?.calls[0]?.returnData).toBe(beaconRoot)
  })

  it('runs replaced system contracts with the same warm addresses as geth', async () => {
    const roots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
    // The system stores the gas of BALANCE of the zero address and the next GAS; any other caller reads it.
    const fromSystem = '3373fffffffffffffffffffffffffffffffffffffffe14602557'
    const code = `0x${fromSystem}5f545f5260205ff30000005b5a5f31505a90035f5500`
    const stateOverrides = { [roots]: { code } }
    const [block] = await simulate([{ stateOverrides, calls: [{ to: roots }] }])
    // PUSH0, a warm BALANCE, POP and GAS.
    expect(block?.calls[0]?.returnData).toBe(pad(toHex(2 + 100 + 2 + 2)))
  })

  it('shows unsigned transactions of the type of the call', async () => {
    const account = privateKeyToAccount(chain.node.accounts[0]?.privateKey as Hex)
    const signed = await account.signAuthorization({ contractAddress: store, chainId: 31337, nonce: 7 })
    const authorization = {
      chainId: toHex(signed.chainId),
      address: signed.address,
      nonce: toHex(signed.nonce),
      yParity: toHex(signed.yParity ?? 0),
      r: toHex(BigInt(signed.r)),
      s: toHex(BigInt(signed.s)),
    }
    const calls = [
      { from: poor, to: store },
      { from: poor, to: store, gasPrice: '0x0' },
      { from: poor, to: store, gasPrice: '0x0', accessList: [] },
      { from: poor, to: store, authorizationList: [authorization], data: '0x' },
    ]
    const [block] = await simulate([{ calls }], { returnFullTransactions: true })
    const transactions = block?.transactions ?? []
    expect(transactions.map(({ type }) => type)).toEqual(['0x2', '0x0', '0x1', '0x4'])
    for (const [index, transaction] of transactions.entries()) {
      expect(transaction).toMatchObject({
        from: poor,
        nonce: toHex(index),
        v: '0x0',
        r: '0x0',
        s: '0x0',
        blockHash: block?.hash,
        transactionIndex: toHex(index),
      })
    }
    expect(transactions[1]).toMatchObject({ chainId: '0x7fffffffffffffee' })
    expect(transactions[3]).toMatchObject({ authorizationList: [authorization] })
  })

  it('reuses the indices of reverted transfers for later logs, like geth', async () => {
    const [sender, reverting] = [`0x${'00'.repeat(19)}c0`, `0x${'00'.repeat(19)}c1`]
    // CALL to the other contract with value 1, which reverts; then two logs.
    const code = '0x5f5f5f5f600160c1620186a0f1505f5fa05f5fa0'
    const stateOverrides = { [sender]: { balance: '0xa', code }, [reverting]: { code: '0x5f5ffd' } }
    const [block] = await simulate([{ stateOverrides, calls: [{ to: sender }] }], { traceTransfers: true })
    expect(block?.calls[0]?.logs.map(({ address, logIndex }) => [address, logIndex])).toEqual([
      [sender, '0x0'],
      [sender, '0x1'],
    ])
  })

  it('refuses calls of a sender without nonces left, with or without validation', async () => {
    const stateOverrides = { [poor]: { nonce: '0xffffffffffffffff' } }
    for (const call of [{ to: chain.bob }, { data: '0x00' }]) {
      await expect(simulate([{ stateOverrides, calls: [{ from: poor, ...call }] }])).rejects.toMatchObject({
        code: -32603,
        message: expect.stringMatching(/^nonce has max value: /) as unknown,
      })
    }
  })

  it('creates legacy transactions before London, and refuses lists unknown to the fork', async () => {
    const old = await TracedNode.start({ hardfork: 'homestead' })
    try {
      const accessList = [{ address: poor, storageKeys: [] }]
      const blockStateCalls = [
        {
          calls: [
            { from: poor, to: poor },
            { from: poor, to: poor },
          ],
        },
      ]
      const payload = { blockStateCalls, returnFullTransactions: true }
      const [block] = await old.call<Block[]>('eth_simulateV1', payload, 'latest')
      expect(block?.transactions.map(({ type }) => type)).toEqual(['0x0', '0x0'])
      expect(block).not.toHaveProperty('baseFeePerGas')
      const listed = { blockStateCalls: [{ calls: [{ from: poor, to: poor, accessList }] }] }
      await expect(old.call('eth_simulateV1', listed, 'latest')).rejects.toMatchObject({
        code: -32603,
        message: expect.stringMatching(/^err: transaction type not supported: access list tx /) as unknown,
      })
    } finally {
      await old.stop()
    }
  })

  it('simulates on the pending block too', async () => {
    await chain.call('evm_setAutomine', false)
    await chain.call('eth_sendTransaction', {
      from: chain.alice,
      to: store,
      data: inputOf('Store', 'increment'),
    })
    const pending = await chain.call<Block>('eth_getBlockByNumber', 'pending', false)
    const [block] = await simulate(
      [{ calls: [{ to: store, data: inputOf('Store', 'increment') }] }],
      {},
      'pending',
    )
    expect(block?.calls[0]?.returnData).toBe(pad('0x2'))
    expect(BigInt(block?.timestamp ?? 0)).toBe(BigInt(pending.timestamp) + 12n)
    await chain.call('anvil_dropAllTransactions')
    await chain.call('evm_setAutomine', true)
  })
})

describe('eth_simulateV1 refuses', () => {
  const call = { from: poor, to: `0x${'c1'.repeat(20)}` }
  const cases: [string, object[], object, number, string | RegExp][] = [
    ['no blocks', [], {}, -32602, 'empty input'],
    ['too many blocks', new Array<object>(257).fill({}), {}, -38026, 'too many blocks'],
    ['a block too far ahead', [{ blockOverrides: { number: '0xffff' } }], {}, -38026, 'too many blocks'],
    [
      'too many calls in a block',
      [{ calls: new Array<object>(5_001).fill({}) }],
      {},
      -38026,
      'too many calls in block: 5001 > 5000',
    ],
    [
      'too many calls',
      new Array<object>(3).fill({ calls: new Array<object>(4_000).fill({}) }),
      {},
      -38026,
      'too many calls: 12000 > 10000',
    ],
    [
      'numbers that fall',
      [{ blockOverrides: { number: '0x1' } }],
      {},
      -38020,
      /^block numbers must be in order: 1 <= \d+$/,
    ],
    [
      'times that fall',
      [{ blockOverrides: { time: '0x1' } }],
      {},
      -38021,
      /^block timestamps must be in order: 1 <= \d+$/,
    ],
    [
      'more gas than the block has',
      [{ blockOverrides: { gasLimit: '0x5208' }, calls: [{ ...call, gas: '0x5209' }] }],
      {},
      -38015,
      'block gas limit reached: remaining: 21000, required: 21001',
    ],
    [
      'a nonce that is used up',
      [{ stateOverrides: { [poor]: { nonce: '0x5' } }, calls: [{ ...call, nonce: '0x4' }] }],
      { validation: true },
      -38010,
      /^err: nonce too low: .* \(supplied gas \d+\)$/,
    ],
    [
      'a nonce that is ahead',
      [{ calls: [{ ...call, nonce: '0x4' }] }],
      { validation: true },
      -38011,
      /^err: nonce too high: /,
    ],
    [
      'fees below the base fee',
      [{ calls: [call] }],
      { validation: true },
      -38012,
      /^err: max fee per gas less than block base fee: /,
    ],
    [
      'too little gas',
      [{ calls: [{ ...call, gas: '0x5207' }] }],
      {},
      -38013,
      'err: intrinsic gas too low: have 20999, want 21000 (supplied gas 20999)',
    ],
    [
      'too little ether',
      [{ calls: [{ ...call, value: '0x1' }] }],
      {},
      -38014,
      /^err: insufficient funds for gas \* price \+ value: /,
    ],
    [
      'a tip above the fee',
      [{ calls: [{ ...call, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }] }],
      {},
      -32602,
      /^err: max priority fee per gas higher than max fee per gas: /,
    ],
    [
      'too long a creation',
      [{ calls: [{ from: poor, input: `0x${'00'.repeat(49_153)}` }] }],
      {},
      -38025,
      /^err: max initcode size exceeded: code size 49153 limit 49152 /,
    ],
    [
      'blobs that the sender cannot pay',
      [{ calls: [{ from: poor, to: poor, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }] }],
      {},
      -38014,
      /^err: insufficient funds for gas \* price \+ value: address 0x[0-9A-Fa-f]{40} have 0 want 131072 /,
    ],
    [
      'blob fees that are too low',
      [
        {
          blockOverrides: { blobBaseFee: '0x9' },
          calls: [{ ...call, blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas: '0x1' }],
        },
      ],
      {},
      -32603,
      /^err: max fee per blob gas less than block blob gas fee: /,
    ],
    [
      'a withdrawal queue without code',
      [{ stateOverrides: { [systemContracts.withdrawalRequests]: { code: '0x' } } }],
      {},
      -32000,
      `failed to process withdrawal queue: empty system contract: no code at ${systemContracts.withdrawalRequests}`,
    ],
    [
      'a withdrawal queue that fails',
      [{ stateOverrides: { [systemContracts.withdrawalRequests]: { code: '0xfe' } } }],
      {},
      -32000,
      'failed to process withdrawal queue: system call failed to execute: invalid opcode: INVALID',
    ],
    [
      'a consolidation queue that reverts',
      [{ stateOverrides: { [systemContracts.consolidationRequests]: { code: '0x5f5ffd' } } }],
      {},
      -32000,
      'failed to process consolidation queue: system call failed to execute: execution reverted',
    ],
    [
      'a deposit that is too short',
      [{ stateOverrides: { [depositContract]: { code: depositLog(0) } }, calls: [{ to: depositContract }] }],
      {},
      -32000,
      'unable to parse deposit data: deposit wrong length: want 576, have 0',
    ],
    [
      'the chain of others',
      [{ calls: [{ ...call, chainId: '0x1' }] }],
      {},
      -32000,
      "chainId does not match node's (have=1, want=31337)",
    ],
    [
      'a precompile in the place of a system contract that it fails in',
      [
        {
          stateOverrides: {
            [`0x${'0b'.padStart(40, '0')}`]: { movePrecompileToAddress: systemContracts.withdrawalRequests },
          },
        },
      ],
      {},
      -32000,
      'failed to process withdrawal queue: system call failed to execute: invalid input length',
    ],
    [
      'the move of an account that is not a precompile',
      [{ stateOverrides: { [poor]: { movePrecompileToAddress: poor } } }],
      {},
      -32000,
      /is not a precompile$/,
    ],
    [
      'two spellings of a member, unless another fault comes first in the alphabet',
      [{ blockOverrides: { time: '0xffffffffff', number: '0x25', NUMBER: '0x26', nothing: 1 } }],
      {},
      -32602,
      'invalid argument 0: unknown field "nothing" in block override',
    ],
    [
      'two spellings of a member of an account',
      [{ stateOverrides: { [poor]: { nonce: '0x1', Nonce: null, unknown: 1 } } }],
      {},
      -32602,
      'invalid argument 0: keys "Nonce" and "nonce" in state override for 0xC0C0c0c0C0C0c0c0c0C0c0C0C0C0C0C0C0C0c0c0 name the same field',
    ],
  ]
  it.each(cases)('%s', async (_, blocks, options, code, message) => {
    const expected = typeof message === 'string' ? message : (expect.stringMatching(message) as string)
    await expect(simulate(blocks, options)).rejects.toMatchObject({ code, message: expected })
  })

  it('a missing base block', async () => {
    await expect(simulate([{}], {}, '0xffffff')).rejects.toMatchObject({
      code: -32000,
      message: 'header not found',
    })
  })

  it('more gas than all calls together may use', async () => {
    const burner = await chain.deploy('GasDependent')
    const burn = { to: burner, data: inputOf('GasDependent', 'burnAll') }
    const [first, second] = await simulate([{ calls: [burn] }, { calls: [burn] }])
    expect(first?.gasUsed).toBe(toHex(30_000_000))
    expect(second?.gasUsed).toBe(toHex(20_000_000))
    expect(second?.calls[0]?.error?.message).toBe(
      "invalid opcode: INVALID (gas limit was capped by the RPC server's global gas cap)",
    )
    await expect(simulate([{ calls: [burn] }, { calls: [burn] }, { calls: [burn] }])).rejects.toMatchObject({
      code: -38013,
    })
  })

  it("invalid arguments with Go's messages", async () => {
    const refusals: [unknown, string][] = [
      [
        { blockStateCalls: 1 },
        'number into Go struct field simOpts.BlockStateCalls of type []ethapi.simBlock',
      ],
      [
        { blockStateCalls: [{ calls: [{ from: 1 }] }] },
        'non-string into Go struct field simOpts.BlockStateCalls.Calls.from of type common.Address',
      ],
      [
        { blockStateCalls: [{}], validation: 1 },
        'number into Go struct field simOpts.Validation of type bool',
      ],
    ]
    for (const [payload, words] of refusals) {
      await expect(chain.call('eth_simulateV1', payload)).rejects.toMatchObject({
        code: -32602,
        message: `invalid argument 0: json: cannot unmarshal ${words}`,
      })
    }
  })
})
