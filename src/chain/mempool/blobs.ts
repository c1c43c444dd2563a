import { createHash } from 'node:crypto'
import { bytesEqual, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { TransactionRejectedError } from '../errors.js'
import { MAX_BLOBS_PER_TRANSACTION } from '../vm/preCheck.js'
import { kzg, loadKzg } from '../kzg.js'
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

/** A sidecar as the rules want it; making the proofs of cells takes seconds a blob. Only after {@link verifySidecar}. */
export function currentSidecar(sidecar: BlobSidecar, rules: ForkRules): BlobSidecar {
  if (!isOutdated(sidecar, rules)) return sidecar
  const { blobs, commitments } = sidecar
  const proofs = blobs.flatMap((blob) => kzg.computeCellsAndProofs(bytesToHex(blob))[1].map(hexToBytes))
  return { version: 1, blobs, commitments, proofs }
}

/** The hash that stands for a blob in a transaction: sha256 of its commitment behind a version byte (EIP-4844). */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(createHash('sha256').update(commitment).digest())
  hash[0] = HASH_VERSION
  return hash
}

/**
 * Verifies that a sidecar proves its blobs; the first call loads the KZG library.
 *
 * @throws TransactionRejectedError if a proof is wrong, or a commitment where the proofs are yet to be made.
 */
export async function verifySidecar(sidecar: BlobSidecar, rules: ForkRules): Promise<void> {
  await loadKzg()
  const { version, blobs, commitments, proofs } = sidecar
  const blobTexts = blobs.map(bytesToHex)
  const commitmentTexts = commitments.map(bytesToHex)
  const proofTexts = proofs.map(bytesToHex)
  const verify = isOutdated(sidecar, rules)
    ? verifyCommitments
    : version === 0
      ? kzg.verifyBlobProofBatch
      : verifyCells
  if (!holds(() => verify(blobTexts, commitmentTexts, proofTexts))) {
    throw rejected('KZG verification error: invalid proof')
  }
}

/** The library throws where a point is on no curve. */
function holds(check: () => boolean): boolean {
  try {
    return check()
  } catch (error) {
    throw rejected(`KZG verification error: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function verifyCommitments(blobs: string[], commitments: string[]): boolean {
  return blobs.every((blob, index) => kzg.blobToKzgCommitment(blob) === commitments[index])
}

function verifyCells(blobs: string[], commitments: string[], proofs: string[]): boolean {
  const cells = blobs.flatMap((blob) => kzg.computeCells(blob))
  const indices = cells.map((_, i) => i % CELLS_PER_BLOB)
  const perCell = cells.map((_, i) => commitments[Math.floor(i / CELLS_PER_BLOB)] as string)
  return kzg.verifyCellKzgProofBatch(perCell, indices, cells, proofs)
}

function rejected(words: string): TransactionRejectedError {
  return new TransactionRejectedError(words)
}
