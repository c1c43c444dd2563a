import { createHash } from 'node:crypto'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import { TransactionRejectedError } from '../errors.js'
import { MAX_BLOBS_PER_TRANSACTION } from '../vm/preCheck.js'
import { WorkerRefusal, computeInWorker } from '../crypto/worker.js'
import type { ForkRules } from '../types.js'
import type { TransactionFields } from './decode.js'
import type { BlobSidecar } from './transaction.js'

/** EIP-7594: cells of an extended blob, each with its proof. */
const CELLS_PER_BLOB = 128
/** EIP-4844, VERSIONED_HASH_VERSION_KZG. */
const HASH_VERSION = 0x01

/**
 * Checks that a blob transaction and its sidecar belong together, without the proofs (geth: core/txpool/validation.go,
 * validateBlobTx).
 *
 * @throws TransactionRejectedError
 */
export function checkBlobs(fields: TransactionFields, rules: ForkRules): void {
  const { maxFeePerBlobGas = 0n, blobVersionedHashes: hashes = [], sidecar } = fields
  if (maxFeePerBlobGas < 1n) {
    throw rejected(`transaction gas price below minimum: blob fee cap ${maxFeePerBlobGas}, minimum needed 1`)
  }
  if (sidecar === undefined) throw rejected('missing sidecar in blob transaction')
  if (hashes.length === 0) throw rejected('blobless blob transaction')
  if (hashes.length > MAX_BLOBS_PER_TRANSACTION) {
    throw rejected(
      `transaction blob limit exceeded: blob count ${hashes.length}, limit ${MAX_BLOBS_PER_TRANSACTION}`,
    )
  }
  const { blobs, commitments, proofs, version } = sidecar
  if (blobs.length !== hashes.length) {
    throw rejected(`invalid number of ${blobs.length} blobs compared to ${hashes.length} blob hashes`)
  }
  if (commitments.length !== hashes.length) {
    throw rejected(
      `invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`,
    )
  }
  commitments.forEach((commitment, i) => {
    const computed = versionedHash(commitment)
    const named = hashes[i] ?? new Uint8Array(0)
    if (!bytesEqual(computed, named)) {
      throw rejected(
        `blob ${i}: computed hash ${bytesToHex(computed)} mismatches transaction one ${bytesToHex(named)}`,
      )
    }
  })
  const wanted = rules.isActivatedEIP(7594) ? 1 : 0
  if (isOutdated(sidecar, rules)) return
  if (version !== wanted) {
    throw rejected(`Wrong sidecar format: unexpected sidecar version, want: ${wanted}, got: ${version}`)
  }
  const expected = hashes.length * (wanted === 1 ? CELLS_PER_BLOB : 1)
  if (proofs.length !== expected) {
    throw rejected(
      `Wrong sidecar format: invalid number of ${proofs.length} blob proofs expected ${expected}`,
    )
  }
}

/**
 * Whether a sidecar has a proof a blob where a proof a cell is wanted. geth makes the new proofs as such a transaction
 * comes in (internal/ethapi/api.go, SendRawTransaction) and does not look at the old ones; here they are made when
 * somebody asks for them, because that takes seconds.
 */
function isOutdated({ version }: BlobSidecar, rules: ForkRules): boolean {
  return version === 0 && rules.isActivatedEIP(7594)
}

/** A sidecar as the rules want it, with proofs of cells made where they are wanted. Only after {@link verifySidecar}. */
export async function currentSidecar(sidecar: BlobSidecar, rules: ForkRules): Promise<BlobSidecar> {
  if (!isOutdated(sidecar, rules)) return sidecar
  const { blobs, commitments } = sidecar
  const proofs = await Promise.all(blobs.map((blob) => computeInWorker('cellProofs', blob)))
  return { version: 1, blobs, commitments, proofs: proofs.flat() }
}

/** The hash that stands for a blob in a transaction: sha256 of its commitment behind a version byte (EIP-4844). */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(createHash('sha256').update(commitment).digest())
  hash[0] = HASH_VERSION
  return hash
}

/**
 * Verifies that a sidecar proves its blobs. The first call takes a few seconds, in which the trusted setup is made.
 *
 * @throws TransactionRejectedError if a proof is wrong, or a commitment where the proofs are yet to be made.
 */
export async function verifySidecar(sidecar: BlobSidecar, rules: ForkRules): Promise<void> {
  const { version, blobs, commitments, proofs } = sidecar
  let isSound: boolean
  try {
    if (isOutdated(sidecar, rules)) isSound = await matchCommitments(sidecar)
    else {
      const operation = version === 0 ? 'verifyBlobProofs' : 'verifyCellProofs'
      isSound = await computeInWorker(operation, blobs, commitments, proofs)
    }
  } catch (error) {
    // A point is on no curve.
    if (error instanceof WorkerRefusal) throw rejected(`KZG verification error: ${error.message}`)
    throw error
  }
  if (!isSound) throw rejected('KZG verification error: invalid proof')
}

async function matchCommitments({
  blobs,
  commitments,
}: Pick<BlobSidecar, 'blobs' | 'commitments'>): Promise<boolean> {
  const computed = await Promise.all(blobs.map((blob) => computeInWorker('commitment', blob)))
  return computed.every((commitment, index) => bytesEqual(commitment, commitments[index] as Uint8Array))
}

function rejected(words: string): TransactionRejectedError {
  return new TransactionRejectedError(words)
}
