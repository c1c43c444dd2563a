import { DasContextJs } from '@crate-crypto/node-eth-kzg'
import {
  Contract,
  ContractFactory,
  Interface,
  JsonRpcProvider,
  Transaction,
  type TransactionRequest,
  Wallet,
  concat,
  getBytes,
  hexlify,
  isCallException,
  isError,
} from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createNode, type FaultInput, type StandinNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'

const gwei = 10n ** 9n
const GAS_PER_BLOB = 131_072n

/** Transactions that need only their fields. */
const plain: readonly [type: number, fields: TransactionRequest][] = [
  [0, { gasPrice: 4n * gwei }],
  [1, { gasPrice: 4n * gwei, accessList: [{ address: `0x${'51'.repeat(20)}`, storageKeys: [] }] }],
  [2, { maxFeePerGas: 4n * gwei, maxPriorityFeePerGas: gwei }],
]

/** Makes the fields of a transaction with one blob, its commitment and cell proofs. */
function blobFields(data: string): TransactionRequest {
  const kzg = DasContextJs.create({ usePrecomp: false })
  const commitment = hexlify(kzg.blobToKzgCommitment(getBytes(data)))
  const { proofs } = kzg.computeCellsAndKzgProofs(getBytes(data))
  return {
    type: 3,
    gasLimit: 21_000n,
    maxFeePerGas: 4n * gwei,
    maxPriorityFeePerGas: gwei,
    maxFeePerBlobGas: gwei,
    blobWrapperVersion: 1,
    blobs: [{ data, commitment, proof: concat(proofs) }],
  }
}

function hashOf(signed: string): string {
  return Transaction.from(signed).hash ?? ''
}

describe('ethers 6 sends', () => {
  let node: StandinNode
  let provider: JsonRpcProvider
  let wallet: Wallet
  let delegator: Wallet
  let recipient: string
  let reverter: Contract

  beforeAll(async () => {
    node = await createNode({ port: 0, ipfsPort: 0 })
    // In a batch a fault affects one call, not the whole request.
    provider = new JsonRpcProvider(node.url, undefined, {
      batchMaxCount: 1,
      cacheTimeout: -1,
      pollingInterval: 20,
    })
    const [first, second, third] = node.accounts
    wallet = new Wallet(first?.privateKey ?? '', provider)
    delegator = new Wallet(second?.privateKey ?? '', provider)
    recipient = third?.address ?? ''
    const { abi, bytecode } = readArtifact('Reverter')
    const deployed = await new ContractFactory(new Interface(JSON.stringify(abi)), bytecode, wallet).deploy()
    await deployed.waitForDeployment()
    reverter = new Contract(await deployed.getAddress(), new Interface(JSON.stringify(abi)), provider)
  })

  afterAll(async () => {
    provider.destroy()
    await node.stop()
  })

  it.each(plain)('transactions of type %i and reads them back', async (type, fields) => {
    const before = await provider.getBalance(recipient)
    const response = await wallet.sendTransaction({ to: recipient, value: 5n, type, ...fields })
    const receipt = await response.wait()
    expect(receipt).toMatchObject({ status: 1, type, hash: response.hash, from: wallet.address })
    expect(await provider.getBalance(recipient)).toBe(before + 5n)
    expect(await provider.getTransaction(response.hash)).toMatchObject({ type, value: 5n, to: recipient })
  })

  it('transactions with blobs, their commitments and the proofs of their cells', async () => {
    const data = `0x${'7'.padStart(64, '0')}${'0'.repeat(64 * 4_095)}`
    const response = await wallet.sendTransaction({ to: recipient, value: 1n, ...blobFields(data) })
    const receipt = await response.wait()
    expect(receipt).toMatchObject({ status: 1, type: 3, blobGasUsed: GAS_PER_BLOB })
    const { blobVersionedHashes = [] } = (await provider.getTransaction(response.hash)) ?? {}
    expect(blobVersionedHashes).toHaveLength(1)
    const stored = (await provider.send('anvil_getBlobByHash', [blobVersionedHashes?.[0]])) as string
    expect(stored).toBe(data)
  })

  it('transactions with authorizations, then runs the delegated code and decodes its reverts', async () => {
    const target = await reverter.getAddress()
    const authorization = await delegator.authorize({ address: target })
    const response = await wallet.sendTransaction({
      type: 4,
      to: recipient,
      authorizationList: [authorization],
    })
    expect(await response.wait()).toMatchObject({ type: 4, from: wallet.address })
    expect(await provider.getCode(delegator.address)).toBe(`0xef0100${target.slice(2).toLowerCase()}`)
    const delegated = new Contract(delegator.address, reverter.interface, provider)
    const error: unknown = await delegated
      .getFunction('revertWithReason')
      .staticCall('not today')
      .catch((caught: unknown) => caught)
    expect(isCallException(error) && error.reason).toBe('not today')
    const read = await provider.getTransaction(response.hash)
    expect(read?.authorizationList?.[0]).toMatchObject({ address: target, chainId: 31337n })
  })

  describe.each([
    ...plain,
    [3, blobFields(`0x${'9'.padStart(64, '0')}${'0'.repeat(64 * 4_095)}`)],
    [4, {}],
  ] as const)('a transaction of type %i under a fault', (type, fields) => {
    let signed: string

    beforeEach(async () => {
      // An authorization is valid for one nonce of its account only.
      const special =
        type === 4 ? { authorizationList: [await delegator.authorize({ address: recipient })] } : {}
      const populated = await wallet.populateTransaction({
        to: recipient,
        value: 5n,
        type,
        ...fields,
        ...special,
      })
      signed = await wallet.signTransaction(populated)
    })

    /** Sends a transaction under a fault. @returns ethers' error code */
    async function sendUnder(action: FaultInput['action']): Promise<string | undefined> {
      node.faults.set({ id: 'once', match: { method: 'eth_sendRawTransaction', nth: 1 }, action })
      try {
        await provider.broadcastTransaction(signed)
        return undefined
      } catch (error) {
        return (error as { code?: string }).code
      } finally {
        node.faults.clear('once')
      }
    }

    it('is retried after a rate limit', async () => {
      expect(await sendUnder({ type: 'quota', span: 'second' })).toBeUndefined()
      expect(await provider.getTransactionReceipt(hashOf(signed))).toMatchObject({ status: 1, type })
    })

    it('has changed nothing after an outage, and can be resent', async () => {
      const nonce = await wallet.getNonce('pending')
      expect(await sendUnder({ type: 'outage' })).toBe('SERVER_ERROR')
      expect(await wallet.getNonce('pending')).toBe(nonce)
      const response = await provider.broadcastTransaction(signed)
      expect(await response.wait()).toMatchObject({ status: 1, type })
    })

    it.each([{ type: 'close' }, { type: 'cut', bytes: 10 }] as const)(
      'is mined although its answer was lost ($type), and finds its nonce used then',
      async (action) => {
        expect(await sendUnder(action)).toBe('ECONNRESET')
        expect(await provider.getTransactionReceipt(hashOf(signed))).toMatchObject({ status: 1, type })
        const error: unknown = await provider.broadcastTransaction(signed).catch((caught: unknown) => caught)
        expect(isError(error, 'NONCE_EXPIRED')).toBe(true)
      },
    )
  })
})
