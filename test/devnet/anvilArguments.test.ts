import { describe, expect, test } from 'vitest'
import { anvilArguments } from '../../src/rpc/serde/anvilArguments.js'

const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const unknown = `0x${'ab'.repeat(32)}`
const hash = `0x${'0'.repeat(62)}aa`
const bytes = 'a variable number of bytes represented as a hex string, an array of u8, or raw bytes'
const address = '20 bytes, represented as a hex string of length 40, an array of u8, or raw bytes'

const read = (method: string, params: unknown): unknown => anvilArguments({ method, params, length: 0 })

describe('invalid arguments are refused with the messages of anvil 1.7.1', () => {
  test.each<[method: string, params: unknown, message: string]>([
    ['eth_accounts', [1], 'invalid type: number, expected unit'],
    ['eth_accounts', [null], 'expected params sequence with length 0 but got 1'],
    ['eth_chainId', {}, 'invalid type: map, expected a sequence'],
    ['eth_getBalance', ['0x0'], 'odd number of digits'],
    ['eth_getBalance', ['0xf39f', 'latest'], 'invalid string length'],
    ['eth_getBalance', [`0xzz${account.slice(4)}`, 'latest'], "invalid character 'z' at position 0"],
    ['eth_getBalance', [1, 'latest'], `invalid type: integer \`1\`, expected ${address}`],
    ['eth_getBalance', [account, 'latest', 'x'], 'invalid length 3, expected fewer elements in array'],
    ['eth_getBalance', [account, 'x'], 'hex string without 0x prefix'],
    [
      'eth_getBalance',
      [account, {}],
      'Expected `blockNumber` or `blockHash` with `requireCanonical` optionally',
    ],
    [
      'eth_getBalance',
      [account, true],
      'invalid type: boolean `true`, expected Block identifier following EIP-1898',
    ],
    ['eth_getBalance', [account, { blockNumber: '0x1', blockHash: hash }], 'duplicate field `blockHash`'],
    [
      'eth_getBlockByNumber',
      ['latest'],
      'invalid length 1, expected tuple variant EthRequest::EthGetBlockByNumber with 2 elements',
    ],
    ['eth_getBlockByNumber', [null, false], 'invalid type: null, expected a block number or tag, or a u64'],
    ['eth_getBlockByNumber', ['0x10000000000000000', false], 'number too large to fit in target type'],
    ['eth_getTransactionByHash', [[1, 2]], 'invalid length 2, expected exactly 32 bytes'],
    [
      'eth_getTransactionByBlockHashAndIndex',
      [hash, '0xzz'],
      'Failed to parse hex encoded index value: invalid digit found in string',
    ],
    [
      'eth_getStorageAt',
      [account, true, 'latest'],
      'invalid type: boolean `true`, expected a 32 byte hex string',
    ],
    ['trace_filter', [{ fromAddress: null }], 'invalid type: null, expected a sequence'],
    ['eth_getTransactionByBlockNumberAndIndex', ['1', '0x0'], 'hex string without 0x prefix'],
    ['debug_traceBlockByNumber', [1], 'invalid type: number, expected a string'],
    ['trace_filter', [{ mode: null }], 'invalid type: null, expected string or map'],
    [
      'eth_getBalance',
      [account, { blockNumber: '0x1', requireCanonical: true }],
      'duplicate field `requireCanonical`',
    ],
    ['eth_call', ['x'], 'invalid type: string "x", expected struct WithOtherFieldsHelper'],
    [
      'eth_call',
      [{ gas: '0x10000000000000000' }],
      'invalid value: string "0x10000000000000000", expected a 8 byte hex string',
    ],
    ['eth_call', [{ type: 256 }], 'invalid value: integer `256`, expected a 1 byte hex string'],
    ['eth_call', [{ value: 1.5 }], 'invalid type: floating point `1.5`, expected a 32 byte hex string'],
    ['eth_call', [{ data: 1 }], `invalid type: integer \`1\`, expected ${bytes}`],
    ['eth_call', [{ accessList: [{ address: account }] }], 'missing field `storageKeys`'],
    ['eth_call', [{ authorizationList: [{ chainId: '0x1' }] }], 'missing field `r`'],
    ['eth_call', [{}, 'latest', { [account]: 1 }], 'invalid type: number, expected struct AccountOverride'],
    ['eth_feeHistory', [1, 'latest', [Infinity]], 'number out of range'],
    ['eth_feeHistory', ['x', 'latest', []], 'data did not match any variant of untagged enum Numeric'],
    [
      'eth_newFilter',
      [{ x: 1 }],
      'unknown field `x`, expected one of `fromBlock`, `toBlock`, `address`, `topics`, `blockHash`',
    ],
    [
      'eth_getLogs',
      [{ topics: [1] }],
      'Invalid variadic value or array type: data did not match any variant of untagged enum Variadic',
    ],
    ['eth_getLogs', [{ topics: [null, null, null, null, null] }], 'exceeded maximum topics len'],
    ['eth_sendRawTransaction', ['0x1'], 'invalid value: string "0x1", expected a valid hex string'],
    ['debug_traceTransaction', [hash, { disableStack: 1 }], 'invalid type: integer `1`, expected a boolean'],
    ['evm_revert', [], 'data did not match any variant of untagged enum NumericSeq'],
    ['evm_setAutomine', [true, true], 'expected params sequence with length 1 but got 2'],
    [
      'hardhat_setBalance',
      [account],
      'invalid length 1, expected tuple variant EthRequest::SetBalance with 2 elements',
    ],
    ['anvil_setBlockTimestampInterval', [1.5], 'invalid number'],
    ['ots_getBlockTransactions', [unknown, 0, 5], `invalid type: string "${unknown}", expected u64`],
  ])('%s %j: %s', (method, params, message) => {
    expect(() => read(method, params)).toThrow(message)
  })
})

describe("what anvil accepts beyond geth's formats", () => {
  test.each<[method: string, given: unknown[], taken: unknown[]]>([
    ['eth_getBalance', [account.slice(2), 'LATEST'], [account, 'latest']],
    ['eth_getBlockByNumber', [1, false], ['0x1', false]],
    ['eth_getBlockByNumber', ['17', false], ['0x11', false]],
    ['web3_sha3', [[1, 255]], ['0x01ff']],
    [
      'eth_call',
      [{ gas: 21_000, value: '1_000', data: '0x12', input: '34' }],
      [{ gas: '0x5208', value: '0x3e8', input: '0x34' }],
    ],
    ['anvil_mine', ['0x', null], ['0x0', null]],
    ['debug_traceTransaction', [hash, { limit: 1000 }], [hash, { limit: 1000 }]],
    ['debug_traceTransaction', [hash, { overrides: { chainId: '0x1' } }], [hash, { overrides: undefined }]],
    ['evm_setIntervalMining', ['0x5'], ['0x5']],
    ['anvil_unknown', ['x'], ['x']],
  ])('%s %j', (method, given, taken) => {
    expect(read(method, given)).toEqual(taken)
  })
})
