import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

const address = `0x${'ab'.repeat(20)}`
const hash = `0x${'cd'.repeat(32)}`

let node: StandinNode

beforeAll(async () => {
  node = await createNode({ port: 0 })
})

afterAll(async () => {
  expect(await node.request('eth_blockNumber')).toBe('0x0')
  await node.stop()
})

interface Outcome {
  result?: unknown
  error?: { code: number; message: string }
}

/** Calls the node over HTTP. */
async function ask(method: string, params: unknown): Promise<Outcome> {
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  expect(response.status).toBe(200)
  const { result, error } = (await response.json()) as Outcome
  return error === undefined ? { result } : { error }
}

async function expectRefusals(rows: readonly [string, unknown, string][]): Promise<void> {
  for (const [method, params, message] of rows) {
    const { error, result } = await ask(method, params)
    const where = `${method} ${JSON.stringify(params)} gave ${JSON.stringify(result)}`
    expect(error, where).toEqual({ code: -32602, message })
  }
}

/** Returns geth's message for a value of the wrong type outside a struct. */
function typeMismatch(index: number, reason: string, type: string): string {
  return `invalid argument ${index}: json: cannot unmarshal ${reason} into Go value of type ${type}`
}

/** Returns geth's message for a struct member of the wrong type. */
function memberMismatch(index: number, reason: string, field: string, type: string): string {
  return `invalid argument ${index}: json: cannot unmarshal ${reason} into Go struct field ${field} of type ${type}`
}

describe('the number of arguments', () => {
  it('reports missing ones by position and surplus ones by the maximum', () =>
    expectRefusals([
      ['eth_getBalance', [], 'missing value for required argument 0'],
      ['eth_getBlockByNumber', ['latest'], 'missing value for required argument 1'],
      ['eth_getBlockByNumber', ['latest', true, 1], 'too many arguments, want at most 2'],
      ['eth_getBlockByNumber', ['0x01', true, 1], 'invalid argument 0: hex number with leading zero digits'],
      ['eth_getProof', [address], 'missing value for required argument 1'],
      ['eth_feeHistory', ['0x1', 'latest'], 'missing value for required argument 2'],
      ['eth_createAccessList', [{}, 'latest', {}, {}], 'too many arguments, want at most 3'],
      ['eth_estimateGas', undefined, 'missing value for required argument 0'],
      ['eth_getLogs', 'x', 'non-array args'],
      ['eth_getLogs', { a: 1 }, 'non-array args'],
    ]))
})

describe('byte strings', () => {
  const addressType = 'common.Address'
  it('refuses invalid addresses', () =>
    expectRefusals([
      ['eth_getBalance', [1], typeMismatch(0, 'non-string', addressType)],
      ['eth_getBalance', [null], 'missing value for required argument 0'],
      ['eth_getBalance', [{}], typeMismatch(0, 'non-string', addressType)],
      ['eth_getBalance', ['abcd'], typeMismatch(0, 'hex string without 0x prefix', addressType)],
      ['eth_getBalance', ['0xabc'], typeMismatch(0, 'hex string of odd length', addressType)],
      ['eth_getBalance', [`0x${'zz'.repeat(20)}`], typeMismatch(0, 'invalid hex string', addressType)],
      ['eth_getBalance', ['0xzz'], 'invalid argument 0: hex string has length 2, want 40 for common.Address'],
      ['eth_getBalance', [''], 'invalid argument 0: hex string has length 0, want 40 for common.Address'],
      ['eth_getBalance', ['0x'], 'invalid argument 0: hex string has length 0, want 40 for common.Address'],
    ]))

  it('refuses invalid hashes', () =>
    expectRefusals([
      ['eth_getTransactionByHash', [5], typeMismatch(0, 'non-string', 'common.Hash')],
      ['eth_getTransactionByHash', ['0xabc'], typeMismatch(0, 'hex string of odd length', 'common.Hash')],
      [
        'eth_getTransactionByHash',
        ['0xab'],
        'invalid argument 0: hex string has length 2, want 64 for common.Hash',
      ],
      [
        'eth_getTransactionByBlockHashAndIndex',
        [`${hash}00`, '0x0'],
        'invalid argument 0: hex string has length 66, want 64 for common.Hash',
      ],
    ]))

  it('refuses invalid bytes', () =>
    expectRefusals([
      ['web3_sha3', [null], 'missing value for required argument 0'],
      ['web3_sha3', ['ab'], typeMismatch(0, 'hex string without 0x prefix', 'hexutil.Bytes')],
      ['web3_sha3', ['0xa'], typeMismatch(0, 'hex string of odd length', 'hexutil.Bytes')],
      ['web3_sha3', ['0xag'], typeMismatch(0, 'invalid hex string', 'hexutil.Bytes')],
    ]))

  it('accepts empty bytes, an upper-case prefix and upper-case digits', async () => {
    const empty = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
    for (const bytes of ['0x', '', '0X']) {
      expect(await ask('web3_sha3', [bytes])).toEqual({ result: empty })
    }
    expect(await ask('eth_getBalance', [address.toUpperCase()])).toEqual({ result: '0x0' })
  })
})

describe('numbers, booleans and strings', () => {
  const indexed = 'eth_getTransactionByBlockNumberAndIndex'
  it('refuses invalid indexes', () =>
    expectRefusals([
      [indexed, ['latest', 0], typeMismatch(1, 'non-string', 'hexutil.Uint')],
      [indexed, ['latest', null], 'missing value for required argument 1'],
      [indexed, ['latest', '0'], typeMismatch(1, 'hex string without 0x prefix', 'hexutil.Uint')],
      [indexed, ['latest', '0x'], typeMismatch(1, 'hex string "0x"', 'hexutil.Uint')],
      [indexed, ['latest', '0x00'], typeMismatch(1, 'hex number with leading zero digits', 'hexutil.Uint')],
      [indexed, ['latest', '0xg'], typeMismatch(1, 'invalid hex string', 'hexutil.Uint')],
      [indexed, ['latest', `0x1${'0'.repeat(16)}`], typeMismatch(1, 'hex number > 64 bits', 'hexutil.Uint')],
    ]))

  it('reads an empty string as zero', async () => {
    expect(await ask(indexed, ['latest', ''])).toEqual({ result: null })
  })

  it('refuses invalid booleans', async () => {
    await expectRefusals([
      ['eth_getBlockByNumber', ['latest', 'true'], typeMismatch(1, 'string', 'bool')],
      ['eth_getBlockByNumber', ['latest', 1], typeMismatch(1, 'number', 'bool')],
      ['eth_getBlockByNumber', ['latest', []], typeMismatch(1, 'array', 'bool')],
      ['evm_setAutomine', ['true'], typeMismatch(0, 'string', 'bool')],
      ['evm_setAutomine', [1], typeMismatch(0, 'number', 'bool')],
      ['eth_getBlockByNumber', ['0x9', null], 'missing value for required argument 1'],
    ])
  })

  it('refuses invalid storage keys and lists of them', () =>
    expectRefusals([
      ['eth_getStorageAt', [address, 1], typeMismatch(1, 'number', 'string')],
      [
        'eth_getStorageAt',
        [address, `0x${'0'.repeat(65)}`],
        `storage key too long (want at most 32 bytes): "0x${'0'.repeat(65)}"`,
      ],
      ['eth_getStorageAt', [address, '0xzz'], 'invalid hex in storage key: "0xzz"'],
      ['eth_getProof', [address, '0x0'], typeMismatch(1, 'string', '[]string')],
      ['eth_getProof', [address, [1]], typeMismatch(1, 'number', 'string')],
      [
        'eth_getProof',
        [address, [`0x${'1'.repeat(66)}`], '0x99'],
        `storage key too long (want at most 32 bytes): "0x${'1'.repeat(66)}"`,
      ],
      [
        'eth_getProof',
        [address, new Array(1025).fill('0x0')],
        'too many storage keys requested (max 1024, got 1025)',
      ],
    ]))

  it('looks up the block before it checks the storage key', async () => {
    const { error } = await ask('eth_getStorageAt', [address, '0xzz', '0x99'])
    expect(error).toEqual({ code: -32000, message: 'header not found' })
  })

  it('refuses invalid block counts and percentiles', () =>
    expectRefusals([
      ['eth_feeHistory', ['zz', 'latest', []], 'invalid argument 0: invalid hex or decimal integer "zz"'],
      [
        'eth_feeHistory',
        [`0x${'0'.repeat(2000)}1`, 'latest', []],
        `invalid argument 0: invalid hex or decimal integer "0x${'0'.repeat(1022)}…"`,
      ],
      ['eth_feeHistory', [1.5, 'latest', []], 'invalid argument 0: invalid hex or decimal integer "1.5"'],
      ['eth_feeHistory', ['1', 'latest', ['x']], typeMismatch(2, 'string', 'float64')],
      ['eth_feeHistory', ['1', 'latest', 'x'], typeMismatch(2, 'string', '[]float64')],
    ]))

  it('refuses invalid filter ids', () =>
    expectRefusals([['eth_getFilterChanges', [1], typeMismatch(0, 'number', 'rpc.ID')]]))
})

describe('block parameters', () => {
  it('refuses invalid numbers and tags', () =>
    expectRefusals(
      [
        ['foo', 'hex string without 0x prefix'],
        ['1', 'hex string without 0x prefix'],
        ['LATEST', 'hex string without 0x prefix'],
        ['-0x1', 'hex string without 0x prefix'],
        ['', 'empty hex string'],
        ['0x', 'hex string "0x"'],
        ['0x01', 'hex number with leading zero digits'],
        ['0xg', 'invalid hex string'],
        [hash, 'hex number > 64 bits'],
        ['0x8000000000000000', 'block number larger than int64'],
        [1, 'hex string without 0x prefix'],
        [true, 'hex string without 0x prefix'],
        [{}, 'hex string without 0x prefix'],
        [[], 'hex string without 0x prefix'],
      ].map(([block, reason]) => [
        'eth_getBlockTransactionCountByNumber',
        [block],
        `invalid argument 0: ${String(reason)}`,
      ]),
    ))

  const noString = (reason: string) => `json: cannot unmarshal ${reason} into Go value of type string`
  it('refuses invalid numbers, tags, hashes and objects', () =>
    expectRefusals(
      [
        ['foo', 'hex string without 0x prefix'],
        ['', 'empty hex string'],
        ['0x', 'hex string "0x"'],
        ['0x01', 'hex number with leading zero digits'],
        ['0x8000000000000000', 'blocknumber too high'],
        [`0x${'f'.repeat(40)}`, 'hex number > 64 bits'],
        [`0x-${'f'.repeat(40)}`, 'invalid hex string'],
        [`0x${'f'.repeat(17)}-`, 'hex number > 64 bits'],
        [`0x${'g'.repeat(64)}`, 'invalid hex string'],
        [1, noString('number')],
        [true, noString('bool')],
        [[], noString('array')],
        [{}, 'must specify either BlockHash or BlockNumber'],
        [
          { blockHash: hash, blockNumber: '0x1' },
          'cannot specify both BlockHash and BlockNumber, choose one or the other',
        ],
        [{ blockNumber: '0x01' }, noString('object')],
        [{ blockNumber: 1 }, noString('object')],
        [{ blockHash: '0x1' }, noString('object')],
        [{ blockHash: hash, requireCanonical: 'x' }, noString('object')],
      ].map(([block, reason]) => ['eth_getBlockReceipts', [block], `invalid argument 0: ${String(reason)}`]),
    ))

  it('accepts every form', async () => {
    for (const block of ['latest', '0x0', { blockNumber: 'latest' }, { BLOCKNUMBER: '0x0' }]) {
      expect(await ask('eth_getBalance', [address, block])).toEqual({ result: '0x0' })
    }
    expect(await ask('eth_getBalance', [address, null])).toEqual({ result: '0x0' })
    expect((await ask('eth_getBalance', [address, hash])).error?.message).toBe('header for hash not found')
  })
})

describe('calls', () => {
  const tx = (field: string) => `TransactionArgs.${field}`
  const rows: [unknown, string][] = [
    [{ from: '0x12' }, 'invalid argument 0: hex string has length 2, want 40 for common.Address'],
    [{ to: '' }, 'invalid argument 0: hex string has length 0, want 40 for common.Address'],
    [{ to: 1 }, memberMismatch(0, 'non-string', tx('to'), 'common.Address')],
    [{ GAS: '0x01' }, memberMismatch(0, 'hex number with leading zero digits', tx('gas'), 'hexutil.Uint64')],
    [{ value: 1 }, memberMismatch(0, 'non-string', tx('value'), '*hexutil.Big')],
    [
      { gasPrice: `0x1${'0'.repeat(64)}` },
      memberMismatch(0, 'hex number > 256 bits', tx('gasPrice'), '*hexutil.Big'),
    ],
    [
      { maxFeePerGas: '1' },
      memberMismatch(0, 'hex string without 0x prefix', tx('maxFeePerGas'), '*hexutil.Big'),
    ],
    [
      { maxPriorityFeePerGas: '0x' },
      memberMismatch(0, 'hex string "0x"', tx('maxPriorityFeePerGas'), '*hexutil.Big'),
    ],
    [{ data: '0x1' }, memberMismatch(0, 'hex string of odd length', tx('data'), 'hexutil.Bytes')],
    [{ input: '0xg1' }, memberMismatch(0, 'invalid hex string', tx('input'), 'hexutil.Bytes')],
    ['x', typeMismatch(0, 'string', 'ethapi.TransactionArgs')],
    [1, typeMismatch(0, 'number', 'ethapi.TransactionArgs')],
    [[], typeMismatch(0, 'array', 'ethapi.TransactionArgs')],
    [{ accessList: {} }, memberMismatch(0, 'object', tx('accessList'), 'types.AccessList')],
    [
      { accessList: [{ address: '0x1' }] },
      memberMismatch(0, 'hex string of odd length', tx('accessList.address'), 'common.Address'),
    ],
    [
      { accessList: [{ address, storageKeys: ['0x1'] }] },
      memberMismatch(0, 'hex string of odd length', tx('accessList.storageKeys'), 'common.Hash'),
    ],
    [
      { authorizationList: [{}] },
      `invalid argument 0: missing required field 'chainId' for SetCodeAuthorization`,
    ],
    [
      { authorizationList: [{ chainId: '0x1' }] },
      `invalid argument 0: missing required field 'address' for SetCodeAuthorization`,
    ],
    [
      { authorizationList: [{ chainId: '1' }] },
      memberMismatch(0, 'hex string without 0x prefix', tx('authorizationList.chainId'), '*uint256.Int'),
    ],
  ]
  it('refuses invalid members alike in every method', () =>
    expectRefusals(
      ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_sendTransaction'].flatMap((method) =>
        rows.map(([call, message]): [string, unknown, string] => [method, [call], message]),
      ),
    ))

  const override = (value: unknown) => [{}, 'latest', value]
  it('refuses invalid overrides', () =>
    expectRefusals([
      ['eth_call', override([]), typeMismatch(2, 'array', 'override.StateOverride')],
      ['eth_call', override({ '0xabc': {} }), typeMismatch(2, 'hex string of odd length', 'common.Address')],
      [
        'eth_call',
        override({ [address]: { balance: 1 } }),
        memberMismatch(2, 'non-string', 'OverrideAccount.balance', '*hexutil.Big'),
      ],
      [
        'eth_call',
        override({ [address]: { code: '1' } }),
        memberMismatch(2, 'hex string without 0x prefix', 'OverrideAccount.code', 'hexutil.Bytes'),
      ],
      [
        'eth_call',
        override({ [address]: { nonce: '0x01' } }),
        memberMismatch(2, 'hex number with leading zero digits', 'OverrideAccount.nonce', 'hexutil.Uint64'),
      ],
      [
        'eth_call',
        override({ [address]: { state: { '0x01': hash } } }),
        'invalid argument 2: hex string has length 2, want 64 for common.Hash',
      ],
      [
        'eth_call',
        [...override({}), { time: 1 }],
        memberMismatch(3, 'non-string', 'BlockOverrides.Time', 'hexutil.Uint64'),
      ],
      [
        'eth_call',
        [...override({}), { feeRecipient: 'x' }],
        memberMismatch(3, 'hex string without 0x prefix', 'BlockOverrides.FeeRecipient', 'common.Address'),
      ],
    ]))

  it('refuses block overrides that only a simulation supports', async () => {
    const { error } = await ask('eth_call', [{}, 'latest', {}, { beaconRoot: hash }])
    expect(error).toEqual({
      code: -32000,
      message: 'block override "beaconRoot" is not supported for this RPC method',
    })
  })

  it('refuses data that differs from input in a transaction', async () => {
    const { error } = await ask('eth_sendTransaction', [{ data: '0x01', input: '0x02' }])
    expect(error?.message).toMatch(/^both "data" and "input" are set and not equal\./)
    expect(error?.code).toBe(-32000)
  })
})

describe('filters', () => {
  const topic = hash
  const rows: [unknown, string][] = [
    ['x', 'json: cannot unmarshal string into Go value of type filters.input'],
    [{ fromBlock: 1 }, 'hex string without 0x prefix'],
    [{ toBlock: '0x01' }, 'hex number with leading zero digits'],
    [
      { blockHash: hash, fromBlock: '0x1' },
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    ],
    [
      { blockhash: hash, toBlock: '0x1' },
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    ],
    [
      { blockHash: '0x1' },
      'json: cannot unmarshal hex string of odd length into Go struct field input.blockHash of type common.Hash',
    ],
    [{ address: '0xabc' }, 'invalid address: hex string of odd length'],
    [{ address: 'ab' }, 'invalid address: hex string without 0x prefix'],
    [{ address: '' }, 'invalid address: empty hex string'],
    [
      { address: '0xab' },
      'invalid address: hex has invalid length 1 after decoding; expected 20 for address',
    ],
    [
      { address: [address, '0xab'] },
      'invalid address at index 1: hex has invalid length 1 after decoding; expected 20 for address',
    ],
    [{ address: [null] }, 'non-string address at index 0'],
    [{ address: 5 }, 'invalid addresses in query'],
    [
      { topics: 'x' },
      'json: cannot unmarshal string into Go struct field input.topics of type []interface {}',
    ],
    [{ topics: 5, blockHash: '' }, 'hex string has length 0, want 64 for common.Hash'],
    [{ topics: ['0xabc'] }, 'hex string of odd length'],
    [{ topics: [['0xab']] }, 'hex has invalid length 1 after decoding; expected 32 for topic'],
    [{ topics: [5] }, 'invalid topic(s)'],
    [{ topics: [[5]] }, 'invalid topic(s)'],
    [{ topics: [topic, topic, topic, topic, topic] }, 'exceed max topics'],
  ]
  it('refuses invalid filters', () =>
    expectRefusals(
      ['eth_getLogs', 'eth_newFilter'].flatMap((method) =>
        rows.map(([filter, reason]): [string, unknown, string] => [
          method,
          [filter],
          `invalid argument 0: ${reason}`,
        ]),
      ),
    ))
})

describe('controls', () => {
  it('refuses invalid numbers', () =>
    expectRefusals([
      [
        'evm_increaseTime',
        [-1],
        'invalid argument 0: expected a number or a hexadecimal or decimal string, got -1',
      ],
      [
        'evm_setNextBlockTimestamp',
        ['x'],
        'invalid argument 0: expected a number or a hexadecimal or decimal string, got "x"',
      ],
      ['evm_revert', [], 'missing value for required argument 0'],
    ]))
})
