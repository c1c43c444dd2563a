import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordedCases, startImported, type ImportedNode } from './support/chain.js'

/** The fields of a transaction object that become a call. */
type TransactionObject = Record<string, unknown> & { type: string }
type BlockObject = Record<string, unknown> & {
  number: string
  gasUsed: string
  uncles: string[]
  transactions: TransactionObject[]
}

/** Members that a simulated block shares with the mined one. The rest depends on signatures. */
const compared = [
  'number',
  'parentHash',
  'timestamp',
  'difficulty',
  'gasLimit',
  'gasUsed',
  'miner',
  'mixHash',
  'baseFeePerGas',
  'stateRoot',
  'logsBloom',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'withdrawalsRoot',
]

function callOf(transaction: TransactionObject): Record<string, unknown> {
  const { type, from, to, gas, gasPrice, value, nonce, input, accessList, authorizationList } = transaction
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, blobVersionedHashes } = transaction
  const fees = Number(type) < 2 ? { gasPrice } : { maxFeePerGas, maxPriorityFeePerGas }
  const lists = { accessList, authorizationList, maxFeePerBlobGas, blobVersionedHashes }
  return { from, to, gas, value, nonce, input, ...lists, ...fees }
}

describe.skipIf(recordedCases === undefined)('a simulation of every block of the imported chain', () => {
  let imported: ImportedNode

  beforeAll(async () => {
    imported = await startImported()
  })
  afterAll(() => imported.remove())

  it('yields the same state, gas and requests as the block', async () => {
    const { node } = imported
    const head = Number(await node.request('eth_blockNumber'))
    expect(head).toBe(54)
    for (let number = 1; number <= head; number++) {
      const mined = (await node.request('eth_getBlockByNumber', [
        `0x${number.toString(16)}`,
        true,
      ])) as BlockObject
      // A simulation has a gas limit over all its calls, and cannot reward uncles.
      if (BigInt(mined.gasUsed) > 50_000_000n || mined.uncles.length > 0) continue
      const overrides = {
        number: mined.number,
        time: mined['timestamp'],
        // After the merge a request cannot set it.
        ...(mined['difficulty'] !== '0x0' && { difficulty: mined['difficulty'] }),
        gasLimit: mined['gasLimit'],
        feeRecipient: mined['miner'],
        prevRandao: mined['mixHash'],
        baseFeePerGas: mined['baseFeePerGas'],
        beaconRoot: mined['parentBeaconBlockRoot'],
        withdrawals: mined['withdrawals'],
      }
      const block = { blockOverrides: overrides, calls: mined.transactions.map(callOf) }
      const payload = { blockStateCalls: [block], validation: true }
      const base = `0x${(number - 1).toString(16)}`
      const [simulated] = (await node.request('eth_simulateV1', [payload, base])) as [BlockObject]
      for (const member of compared)
        expect(simulated[member], `${member} of block ${number}`).toBe(mined[member])
    }
  })
})
