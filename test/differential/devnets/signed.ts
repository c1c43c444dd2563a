import { createHash } from 'node:crypto'
import { DasContextJs } from '@crate-crypto/node-eth-kzg'
import { bytesToHex, concatHex, fromRlp, type Hex, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Random } from '../support/random.js'

/** Account 0 of the mnemonic `test test test … junk`, which both nodes fund. */
export const signer = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)

const gwei = 1_000_000_000
const ether = 10n ** 18n

interface Sidecar {
  blobs: Hex[]
  commitments: Hex[]
  /** One per blob (EIP-4844). */
  proofs: Hex[]
  /** 128 per blob (EIP-7594). */
  cellProofs: Hex[]
  versionedHash: Hex
}

let sidecar: Sidecar | undefined

/** Makes a blob whose first field element is 7, with commitment and proofs. */
function oneBlob(): Sidecar {
  if (sidecar !== undefined) return sidecar
  const kzg = DasContextJs.create({ usePrecomp: false })
  const blob = new Uint8Array(131_072)
  blob[31] = 7
  const commitment = kzg.blobToKzgCommitment(blob)
  const digest = createHash('sha256').update(commitment).digest('hex')
  sidecar = {
    blobs: [bytesToHex(blob)],
    commitments: [bytesToHex(commitment)],
    proofs: [bytesToHex(kzg.computeBlobKzgProof(blob, commitment))],
    cellProofs: kzg.computeCellsAndKzgProofs(blob).proofs.map((proof) => bytesToHex(proof)),
    versionedHash: `0x01${digest.slice(2)}`,
  }
  return sidecar
}

/** Makes a raw transaction signed by {@link signer}, or something that is not a transaction. */
export async function signedTransaction(random: Random, to: readonly Hex[]): Promise<unknown> {
  const chainId = random.chance(0.1) ? 5 : 31337
  const shared = {
    chainId,
    nonce: random.pick([0, 0, 0, 1, 2, 7]),
    to: random.pick(to),
    gas: random.pick([21_000n, 21_000n, 20_999n, 100_000n, 16_777_217n, 30_000_001n]),
    value: random.pick([0n, 1n, 20_000n * ether]),
  }
  const price = BigInt(random.pick([2 * gwei, 3 * gwei, 1, 0]))
  const fees = { maxFeePerGas: price, maxPriorityFeePerGas: random.pick([0n, 1n, price]) }
  switch (random.below(8)) {
    case 0:
      return signer.signTransaction({ ...shared, type: 'legacy', gasPrice: price })
    case 1:
      return signer.signTransaction({ ...shared, type: 'eip2930', gasPrice: price, accessList: [] })
    case 2:
      return random.pick(['0x', '0x01', '0x02c0', '0xc0', '0x7f', 'zz', null, `0x${'ff'.repeat(40)}`])
    case 3: {
      const authorization = await signer.signAuthorization({
        contractAddress: random.pick(to),
        chainId: random.pick([31337, 0, 5]),
        nonce: random.pick([1, 1, 0, 2]),
      })
      const authorizationList = random.chance(0.1) ? [] : [authorization]
      return signer.signTransaction({ ...shared, ...fees, type: 'eip7702', authorizationList })
    }
    case 4: {
      const { blobs, commitments, proofs, cellProofs, versionedHash } = oneBlob()
      const blobFees = { maxFeePerBlobGas: random.pick([BigInt(gwei), 1n, 0n]) }
      const raw = await signer.signTransaction({
        ...shared,
        ...fees,
        ...blobFees,
        type: 'eip4844',
        blobVersionedHashes: [versionedHash],
      })
      const fields = fromRlp(`0x${raw.slice(4)}`)
      return random.pick([
        raw,
        concatHex(['0x03', toRlp([fields, blobs, commitments, proofs])]),
        concatHex(['0x03', toRlp([fields, '0x01', blobs, commitments, cellProofs])]),
        concatHex(['0x03', toRlp([fields, '0x01', blobs, commitments, cellProofs])]),
      ])
    }
    default:
      return signer.signTransaction({ ...shared, ...fees, type: 'eip1559' })
  }
}
