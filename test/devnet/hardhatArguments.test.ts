import { describe, expect, test } from 'vitest'
import { hardhatArguments } from '../../src/rpc/serde/hardhatArguments.js'

const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const hash = `0x${'ab'.repeat(32)}`
const bytes = 'a variable number of bytes represented as a hex string, an array of u8, or raw bytes'
const fixed = (length: number): string =>
  `${length} bytes, represented as a hex string of length ${length * 2}, an array of u8, or raw bytes`
const members = 'expected one of `blockHash`, `requireCanonical`, `blockNumber`'
const time = 'Timestamp must be a non-negative number not exceeding 2^64 - 1'

const read = (method: string, params: unknown): unknown => hardhatArguments({ method, params, length: 0 })

describe('invalid arguments are refused with the messages of hardhat 2.29.1, without line and column', () => {
  test.each<[method: string, params: unknown, message: string]>([
    ['eth_blockNumber', [1], 'invalid type: integer `1`, expected unit'],
    ['eth_blockNumber', [null], 'expected params sequence with length 0 but got 1'],
    [
      'eth_getBalance',
      [],
      'invalid length 0, expected tuple variant MethodInvocation::GetBalance with 2 elements',
    ],
    ['eth_getBalance', [account, 'latest', 1], 'trailing characters'],
    [
      'eth_getBalance',
      [null],
      "Failed to deserialize address argument into string with error: 'invalid type: null, expected a string'",
    ],
    [
      'eth_getBalance',
      [1.5],
      "Failed to deserialize address argument into string with error: 'invalid type: number, expected a string'",
    ],
    ['eth_getBalance', [-1], 'This method only supports strings but input was: -1'],
    ['eth_getBalance', ['0x123'], 'invalid value "0x123" supplied to : ADDRESS'],
    ['eth_getBalance', [account, 1], 'invalid type: integer `1`, expected a block specifier'],
    ['eth_getBalance', [account, 1.5], `unknown field \`$serde_json::private::Number\`, ${members}`],
    ['eth_getBalance', [account, {}], 'Invalid EIP-1898 block spec'],
    ['eth_getBalance', [account, { requireCanonical: true }], 'Invalid EIP-1898 block spec'],
    [
      'eth_getBalance',
      [account, { blockNumber: '0x0', blockHash: hash }],
      'EIP-1898 block spec cannot have both `blockHash` and `blockNumber`',
    ],
    [
      'eth_getBalance',
      [account, { requireCanonical: true, blockNumber: '0x0' }],
      'EIP-1898 block spec cannot have both `blockNumber` and `requireCanonical`',
    ],
    ['eth_getBalance', [account, { blockNumber: 1 }], 'invalid type: integer `1`, expected a string'],
    ['eth_getBalance', [account, { blockHash: 'x' }], 'Odd number of digits'],
    ['eth_getBalance', [account, { x: 1 }], `unknown field \`x\`, ${members}`],
    ['eth_getBalance', [account, '0xzz'], 'invalid value: string "0xzz", expected a 8 byte hex string'],
    [
      'eth_getBlockByNumber',
      [null, false],
      'data did not match any variant of untagged enum PreEip1898BlockSpec',
    ],
    ['eth_getBlockByNumber', ['latest', 1.5], 'invalid type: number, expected a boolean'],
    ['eth_getBlockByHash', [1.5, false], `invalid type: map, expected ${fixed(32)}`],
    ['eth_getBlockByHash', [[1], false], 'invalid length 1, expected exactly 32 bytes'],
    ['eth_getBlockByHash', [[null], false], 'invalid type: null, expected u8'],
    ['eth_getBlockByHash', [`0x${'zg'.repeat(32)}`, false], "Invalid character 'z' at position 0"],
    ['eth_getTransactionByHash', ['0x'], 'Invalid string length'],
    [
      'eth_getTransactionByBlockNumberAndIndex',
      ['latest', 1.5],
      'invalid type: map, expected a 32 byte hex string',
    ],
    [
      'eth_getTransactionByBlockNumberAndIndex',
      ['0x99', '0x1ffffffffffffffff'],
      "Transaction index '36893488147419103231' is too large",
    ],
    ['eth_getStorageAt', [account, ''], 'Storage slot argument cannot be an empty string'],
    ['eth_getStorageAt', [account, '0X1'], "Storage slot argument must be a valid hexadecimal, got '0X1'"],
    ['eth_getStorageAt', [account, true], "Storage slot argument must be a string, got 'true'"],
    [
      'eth_getStorageAt',
      [account, `${hash}0`],
      `Storage slot argument must have a length of at most 66 ("0x" + 32 bytes), but '${hash}0' has a length of 67'`,
    ],
    ['eth_getProof', [account, ['0x1'], 'latest'], 'Odd number of digits'],
    ['eth_feeHistory', ['0x1', null, []], 'invalid type: null, expected a block specifier'],
    ['eth_feeHistory', ['0x1', 'latest', [null]], 'invalid type: null, expected f64'],
    ['eth_getLogs', ['x'], 'invalid type: string "x", expected struct LogFilterOptions'],
    ['eth_getLogs', [[]], 'invalid length 0, expected struct LogFilterOptions with 5 elements'],
    ['eth_getLogs', [[[]]], 'invalid type: sequence, expected a block specifier'],
    ['eth_getLogs', [['0x1']], 'invalid length 1, expected struct LogFilterOptions with 5 elements'],
    ['eth_getLogs', [[null, null, null, null, null, null]], 'trailing characters'],
    ['eth_getLogs', [{ address: 'x' }], 'data did not match any variant of untagged enum OneOrMore'],
    [
      'eth_getLogs',
      [{ topics: [[hash, null]] }],
      'data did not match any variant of untagged enum OneOrMore',
    ],
    ['eth_getLogs', [{ topics: 'x' }], 'invalid type: string "x", expected a sequence'],
    ['eth_getFilterChanges', ['x'], 'invalid value: string "x", expected a 32 byte hex string'],
    ['eth_signTypedData_v4', [account, {}], 'The message parameter is an invalid JSON.'],
    ['eth_sendRawTransaction', ['0x1'], 'invalid value: string "0x1", expected a valid hex string'],
    ['eth_call', [{ data: true }], `invalid type: boolean \`true\`, expected ${bytes}`],
    ['eth_call', [{ data: [256] }], 'invalid value: integer `256`, expected u8'],
    ['eth_call', [{ gas: -1 }], 'invalid type: integer `-1`, expected a 8 byte hex string'],
    ['eth_call', [{ type: '0x100' }], 'invalid value: string "0x100", expected a 1 byte hex string'],
    ['eth_call', [{ data: '0x', input: null }], 'duplicate field `data`'],
    ['eth_call', [{ accessList: [{ address: account }] }], 'missing field `storageKeys`'],
    ['eth_call', [{ authorizationList: [{}] }], 'missing field `r`'],
    ['eth_call', [{ blobs: [1] }], 'invalid type: integer `1`, expected a string'],
    ['eth_call', [[]], 'invalid length 0, expected struct L1CallRequest with 13 elements'],
    [
      'eth_call',
      [[null, null, null, null, null, null, {}]],
      'invalid type: map, expected a 32 byte hex string',
    ],
    [
      'eth_sendTransaction',
      [[account, null, null, null, null, {}]],
      'invalid type: map, expected a 8 byte hex string',
    ],
    [
      'eth_sendTransaction',
      [{ from: null }],
      'invalid type: null, expected 20 bytes, represented as a hex string of length 40, an array of u8, or raw bytes',
    ],
    [
      'eth_sendTransaction',
      [[]],
      'invalid length 0, expected struct L1RpcTransactionRequest with 15 elements',
    ],
    [
      'eth_call',
      [{}, 'latest', { [account]: null }],
      'invalid type: null, expected struct AccountOverrideOptions',
    ],
    ['eth_call', [{}, 'latest', { [account]: { state: { '0x1': '0x1' } } }], 'Odd number of digits'],
    ['debug_traceCall', [{}, 'latest', 'x'], 'invalid type: string "x", expected struct DebugTraceConfig'],
    ['debug_traceTransaction', [hash, { disableStack: 1 }], 'invalid type: integer `1`, expected a boolean'],
    ['evm_increaseTime', [-1], time],
    ['evm_mine', [null], time],
    ['evm_mine', [5_000_000_000, 'x'], time],
    [
      'evm_revert',
      ['0x10000000000000000'],
      'invalid value: string "0x10000000000000000", expected a 8 byte hex string',
    ],
    ['evm_setAutomine', ['true'], 'invalid type: string "true", expected a boolean'],
    ['evm_setBlockGasLimit', [true], 'invalid type: boolean `true`, expected a 8 byte hex string'],
    ['evm_setIntervalMining', ['1'], 'data did not match any variant of untagged enum IntervalConfig'],
    ['evm_setIntervalMining', [[1, 2, 3]], 'data did not match any variant of untagged enum IntervalConfig'],
    ['hardhat_mine', ['0x1', '0x1', '0x1'], 'trailing characters'],
    ['hardhat_setBalance', [account, 1], 'This method only supports strings but input was: 1'],
    ['hardhat_setBalance', [account, '12'], 'invalid value "12" supplied to : QUANTITY'],
    ['hardhat_setCode', [account, '0X12'], 'invalid value "0X12" supplied to : DATA'],
    ['hardhat_setCoinbase', ['0x1'], 'Odd number of digits'],
    [
      'hardhat_setNonce',
      [account, '0x10000000000000000'],
      'Nonce must not be greater than or equal to 2^64. Received 0x10000000000000000',
    ],
    [
      'hardhat_setStorageAt',
      [account, '0x0', '0xzz'],
      'Storage value must be exactly 32 bytes long. Received 0xzz, which is 1 bytes long.',
    ],
    ['hardhat_stopImpersonatingAccount', [], 'expected params sequence with length 1 but got 0'],
  ])('%s %j', (method, params, message) => {
    expect(() => read(method, params)).toThrow(expect.objectContaining({ message }) as Error)
  })

  test('an unknown block tag counts as an unknown method', () => {
    for (const [method, params] of [
      ['eth_getBalance', [account, 'Latest']],
      ['eth_call', [{ to: account }, '1']],
      ['eth_getLogs', [{ fromBlock: '' }]],
    ] as const) {
      expect(() => read(method, params)).toThrow(expect.objectContaining({ code: -32601, method }) as Error)
    }
  })
})

describe('the forms that hardhat accepts become those of methods', () => {
  test.each<[method: string, params: unknown, read: unknown]>([
    ['eth_getBlockByNumber', ['', false], ['0x0', false]],
    ['eth_getBlockByNumber', [1, true], ['0x1', true]],
    ['eth_getStorageAt', [account, '1'], [account, `0x${'0'.repeat(63)}1`]],
    ['eth_getStorageAt', [account, '0x'], [account, `0x${'0'.repeat(64)}`]],
    ['web3_sha3', ['12'], ['0x12']],
    ['web3_sha3', [[1]], ['0x01']],
    ['evm_mine', [5_000_000_003, 1], ['0x12a05f203']],
    ['evm_increaseTime', ['100'], ['0x64']],
    ['hardhat_mine', [null], [null]],
    ['hardhat_setBalance', [account, '0x'], [account, '0x0']],
    ['eth_mining', [1], []],
    ['eth_call', [{ to: account, gas: '0o777', chainId: 'x', nonce: {} }], [{ to: account, gas: '0x1ff' }]],
    ['eth_call', [{ blobHashes: [], type: '0x3' }], [{ blobs: [] }]],
    ['eth_sendTransaction', [{ type: 3 }], [{ blobs: [] }]],
    ['eth_getLogs', [{ fromBlock: { blockNumber: '0x2' } }], [{ fromBlock: '0x2', toBlock: undefined }]],
    ['eth_getLogs', [{ topics: [[]] }], [{ fromBlock: '0x1', toBlock: '0x0' }]],
    [
      'debug_traceTransaction',
      [hash, { enableMemory: 1, disableStack: true }],
      [hash, { disableStack: true }],
    ],
    ['debug_traceTransaction', [hash, { tracer: 'callTracer' }], [hash, { tracer: 'callTracer' }]],
    ['eth_getBlockReceipts', ['x'], ['x']],
  ])('%s %j', (method, params, expected) => {
    expect(read(method, params)).toEqual(expected)
  })
})
