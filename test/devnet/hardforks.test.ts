import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Block, type Devnet } from './support.js'

afterEach(stopAll)

const slot: Hex = `0x${'00'.repeat(32)}`

/** Calls every method with a block parameter for a tag. */
function reads({ from, to }: Devnet, tag: string): [method: string, params: unknown[]][] {
  return [
    ['eth_getBalance', [from, tag]],
    ['eth_getCode', [from, tag]],
    ['eth_getStorageAt', [from, slot, tag]],
    ['eth_getTransactionCount', [from, tag]],
    ['eth_getProof', [from, [slot], tag]],
    ['eth_call', [{ to }, tag]],
    ['eth_estimateGas', [{ to }, tag]],
    ['eth_createAccessList', [{ to, gasPrice: '0x77359400', gas: '0x5208', from }, tag]],
    ['eth_getBlockByNumber', [tag, false]],
    ['eth_getBlockTransactionCountByNumber', [tag]],
    ['eth_getTransactionByBlockNumberAndIndex', [tag, '0x0']],
    ['eth_getUncleCountByBlockNumber', [tag]],
    ['eth_getBlockReceipts', [tag]],
    ['eth_feeHistory', ['0x1', tag, []]],
  ]
}

describe.each(['safe', 'finalized'])('the %s block', (tag) => {
  test.each(['istanbul', 'london'] as const)('does not exist before the merge: %s', async (hardfork) => {
    const devnet = await startDevnet({ hardfork })
    for (const [method, params] of reads(devnet, tag)) {
      const refusal = await refusalOf(devnet.call(method, ...params))
      expect({ method, ...refusal }).toEqual({ method, code: -32000, message: `${tag} block not found` })
    }
    expect(await devnet.call('eth_getHeaderByNumber', tag)).toBeNull()
    expect(await refusalOf(devnet.call('eth_getLogs', { fromBlock: tag }))).toEqual({
      code: -32000,
      message: `${tag} header not found`,
    })
  })

  test.each(['paris', 'osaka'] as const)('is the head since the merge: %s', async (hardfork) => {
    const devnet = await startDevnet({ hardfork })
    await devnet.call('evm_mine')
    for (const [method, params] of reads(devnet, tag)) await devnet.call(method, ...params)
    expect((await devnet.block(tag)).number).toBe('0x1')
    expect(await devnet.call('eth_getHeaderByNumber', tag)).toMatchObject({ number: '0x1' })
    expect(await devnet.call('eth_getLogs', { fromBlock: tag })).toEqual([])
  })
})

test('before Shanghai no fork by time is current, and an empty block changes no account', async () => {
  const devnet = await startDevnet({ hardfork: 'paris' })
  expect(await devnet.call('eth_config')).toEqual({ current: null, next: null, last: null })
  await devnet.call('evm_mine')
  expect(await devnet.call('debug_getModifiedAccountsByNumber', 1)).toBeNull()
})

test('of forks at the same time, eth_config shows the last', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'standin-forks-'))
  const genesis = join(directory, 'genesis.json')
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
  const config = {
    chainId: 1,
    ...Object.fromEntries([...blocks, 'istanbul', 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
    ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 1000, pragueTime: 1000 },
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    },
  }
  await writeFile(genesis, JSON.stringify({ config, difficulty: '0x0', gasLimit: '0x1c9c380', alloc: {} }))
  const devnet = await startDevnet({ genesis })
  await rm(directory, { recursive: true })
  const { next } = await devnet.call<{ next: unknown }>('eth_config')
  // As geth 1.17.10 answers.
  expect(next).toMatchObject({
    activationTime: 1000,
    blobSchedule: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    systemContracts: { DEPOSIT_CONTRACT_ADDRESS: `0x${'00'.repeat(20)}` },
  })
})

describe('a feature of a later fork', () => {
  const lists = {
    accessList: [],
    blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
    authorizationList: [
      { chainId: '0x0', address: slot.slice(0, 42), nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
    ],
  }
  test.each([
    [
      'istanbul',
      'accessList',
      'access list',
      'transaction type not supported: type 1 rejected, pool not yet in Berlin',
    ],
    ['shanghai', 'blobVersionedHashes', 'blob', 'signing blob transactions not supported'],
    [
      'cancun',
      'authorizationList',
      'setcode',
      'transaction type not supported: type 4 rejected, pool not yet in Prague',
    ],
  ] as const)('is refused like in geth: %s has no %s', async (hardfork, field, type, unsent) => {
    const { call, from, to } = await startDevnet({ hardfork })
    const request = { from, to, gas: '0x186a0', [field]: lists[field] }
    const refusal = `transaction type not supported: ${type} tx (sender ${from})`
    for (const [method, message] of [
      ['eth_call', `err: ${refusal} (supplied gas 100000)`],
      ['eth_estimateGas', `failed with 100000 gas: ${refusal}`],
      ['eth_sendTransaction', unsent],
    ] as const) {
      expect(await refusalOf(call(method, request))).toEqual({ code: -32000, message })
    }
  })

  test.each(['maxFeePerGas', 'maxPriorityFeePerGas'])('is refused before London: %s', async (field) => {
    const { call, from, to } = await startDevnet({ hardfork: 'berlin' })
    const request = { from, to, gas: '0x5208', [field]: '0x77359400' }
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction']) {
      expect(await refusalOf(call(method, request))).toMatchObject({
        code: -32000,
        message: 'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
      })
    }
  })

  test('prevrandao starts at the merge', async () => {
    const value = `0x${'07'.repeat(32)}`
    const london = await startDevnet({ hardfork: 'london' })
    expect((await refusalOf(london.call('hardhat_setPrevRandao', value))).code).toBe(-32602)
    const paris = await startDevnet({ hardfork: 'paris' })
    await paris.call('hardhat_setPrevRandao', value)
    await paris.call('evm_mine')
    expect((await paris.call<Block>('eth_getBlockByNumber', 'latest', false)).mixHash).toBe(value)
  })
})
