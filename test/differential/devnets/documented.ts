import type { Hex } from 'viem'
import { Generator, type DocumentedMethod } from '../geth/generate.js'
import type { Random } from '../support/random.js'

/** Addresses that requests use. */
export interface Addresses {
  accounts: readonly Hex[]
  contracts: readonly Hex[]
}

/** Methods that depend on the machine, take long, or make the nodes diverge. */
export const excludedMethods =
  /^(rpc\.discover|standin_|ganache_|.*(setRpcUrl|LoggingEnabled|dumpState)$|.*Sync$|eth_config$|eth_submitWork)/

/**
 * Makes requests to all methods that both nodes have, from this node's OpenRPC document. `$block` and `$transaction`
 * stand for hashes that each node has returned.
 */
export function documentedRequests(
  random: Random,
  methods: readonly DocumentedMethod[],
  { accounts, contracts }: Addresses,
): Generator {
  const facts = {
    chainId: 31337,
    head: 3,
    accounts: [...accounts],
    contracts: [...contracts],
    blockHashes: ['$block'],
    transactionHashes: ['$transaction'],
    rawBlocks: ['0x'],
  }
  return new Generator(random, facts, methods, { weight, argument })
}

function weight(method: string): number {
  if (/^eth_(call|estimateGas|sendTransaction|getLogs|feeHistory|fillTransaction)$/.test(method)) return 6
  return /^(eth|evm|anvil|hardhat|txpool)_/.test(method) ? 3 : 2
}

const time = [4_102_444_800, 4_102_444_801, 4_102_450_000, '0xf48657f1', '4102444805', 1, '0x0', 0]
const small = [0, 1, 2, 3, '0x0', '0x1', '0x5', '2', '0x', '0x02']
const wei = ['0x0', '0x1', '0xde0b6b3a7640000', `0x${'f'.repeat(64)}`, `0x1${'0'.repeat(64)}`, 1000, '7']

/** Numeric arguments of controls, by parameter name. */
const numbers: Readonly<Record<string, readonly unknown[]>> = {
  blocks: [...small, 40],
  depth: [0, 1, 1, 2, 5, '0x1'],
  interval: small,
  seconds: [...small, 3600, '0xe10'],
  milliseconds: [1000, 0, '0x3e8'],
  timestamp: time,
  time,
  timestampOrOrder: [
    ...time,
    ...[{}, { blocks: 2 }, { timestamp: 4_102_444_900 }, { timestamp: 4_102_444_900, blocks: 3 }],
    { timestamp: null, blocks: 2 },
    { timestamp: '0xf4865800', blocks: '0x2' },
  ],
  gasLimit: ['0x1c9c380', '0xa410', 21_000, '100000', 0, '0xffffffffffffffff', '0x10000000000000000'],
  baseFee: ['0x0', '0x1', '0x3b9aca00', 1_000_000_000, '2000000000', '0xffffffffffffffff'],
  gasPrice: wei,
  balance: wei,
  wei,
  amount: wei,
  nonce: ['0x0', '0x1', '0x5', 7, '9', '0xffffffffffffffff', '0x10000000000000000'],
  slot: ['0x0', '0x1', 0, '1', `0x${'0'.repeat(63)}1`, `0x${'f'.repeat(64)}`],
  snapshot: ['$snapshot', '$snapshot', '0x0', '0x1', '0x2', 1, '2', '0x63'],
  chainId: [31337, 31337, 1, '0x7a69'],
  page: [0, 1],
  pageSize: [0, 1, 5],
}

/** Other arguments, by parameter name. */
const others: Readonly<Record<string, readonly unknown[]>> = {
  id: ['$filter', '$filter', '0x1', '0xdead'],
  dump: ['0x', '0x1f8b', '0x7b7d', '0x00'],
  options: [{}, null, { forking: null }, { forking: {} }, { forking: { blockNumber: null } }],
  tx_block_pairs: [[], [[{ to: `0x${'51'.repeat(20)}`, value: 1 }, 0]], [['0x02', 0]], null],
  typedData: [
    {
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'text', type: 'string' }] },
      primaryType: 'Note',
      domain: { name: 'x' },
      message: { text: 'hello' },
    },
    ...['{}', 'x', {}, { types: {}, primaryType: 'Note', domain: {}, message: {} }],
  ],
  signatureAndAddress: [[`0x${'11'.repeat(65)}`, `0x${'51'.repeat(20)}`], [], ['0x', '0x']],
  traceTypes: [['trace'], ['trace'], ['stateDiff'], ['vmTrace'], ['trace', 'stateDiff'], []],
}

function argument(random: Random, name: string, method: string): unknown {
  if (/IntervalMining$/.test(method)) return random.pick([0, 100_000, '0x0', [100_000, 200_000]])
  if (/^(eth|debug|trace|erigon)_/.test(method) && !Object.hasOwn(others, name)) return undefined
  const values = numbers[name] ?? others[name]
  return values === undefined ? undefined : random.pick(values)
}
