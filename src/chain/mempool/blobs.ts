import { RLP } from '@ethereumjs/rlp'
import { createHash } from 'node:crypto'
import { bytesEqual, bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { BLOB_HASH_VERSION } from '../block/header.js'
import { WorkerRefusal, computeInWorker } from '../crypto/worker.js'
import { ChainError, TransactionRejectedError } from '../errors.js'
import type { ForkRules } from '../types.js'
import { MAX_BLOBS_PER_TRANSACTION } from '../vm/preCheck.js'
import { BLOB_LENGTH, type TransactionFields } from './decode.js'
import type { Entry, SenderQueue } from './senderQueue.js'
import { type BlobSidecar, isBlob } from './transaction.js'

/** EIP-7594: number of cells in an extended blob, each with its proof. */
const CELLS_PER_BLOB = 128

/**
 * Checks that a blob transaction and its sidecar match, without verifying the proofs (geth: core/txpool/validation.go,
 * validateBlobSidecar and ValidateCells).
 *
 * @throws TransactionRejectedError
 */
export function checkBlobs(fields: TransactionFields, rules: ForkRules): void {
  const { maxFeePerBlobGas = 0n, blobVersionedHashes: hashes = [], sidecar } = fields
  if (maxFeePerBlobGas < 1n) {
    throw rejected(`transaction gas price below minimum: blob fee cap ${maxFeePerBlobGas}, minimum needed 1`)
  }
  if (sidecar === undefined) throw rejected('missing sidecar in blob transaction')
  const { blobs, commitments, version } = sidecar
  checkCommitments(commitments, hashes)
  if (hashes.length > MAX_BLOBS_PER_TRANSACTION) {
    throw rejected(
      `transaction blob limit exceeded: blob count ${hashes.length}, limit ${MAX_BLOBS_PER_TRANSACTION}`,
    )
  }
  const wanted = rules.isActivatedEIP(7594) ? 1 : 0
  const isCurrent = !isOutdated(sidecar, rules)
  if (isCurrent && version !== wanted) {
    throw rejected(`Wrong sidecar format: unexpected sidecar version, want: ${wanted}, got: ${version}`)
  }
  const proofsPerBlob = wanted === 1 ? CELLS_PER_BLOB : 1
  const proofCount = isCurrent ? sidecar.proofs.length : blobs.length * proofsPerBlob
  const expected = commitments.length * proofsPerBlob
  if (proofCount !== expected) {
    throw rejected(`Wrong sidecar format: invalid number of ${proofCount} blob proofs expected ${expected}`)
  }
  if (blobs.length === 0) throw rejected('blobless blob transaction')
  if (blobs.length !== commitments.length) {
    throw rejected(`invalid number of ${blobs.length} blobs compared to ${commitments.length} commitments`)
  }
}

function checkCommitments(commitments: readonly Uint8Array[], hashes: readonly Uint8Array[]): void {
  if (commitments.length !== hashes.length) {
    throw rejected(
      `invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`,
    )
  }
  for (const [index, commitment] of commitments.entries()) {
    const computed = versionedHash(commitment)
    const named = hashes[index] ?? new Uint8Array(0)
    if (bytesEqual(computed, named)) continue
    throw rejected(
      `blob ${index}: computed hash ${bytesToHex(computed)} mismatches transaction one ${bytesToHex(named)}`,
    )
  }
}

/**
 * Whether a sidecar has blob proofs where cell proofs are required. geth computes cell proofs when it receives such a
 * transaction (internal/ethapi/api.go, SendRawTransaction) and ignores the old ones. Here they are computed on demand,
 * because that takes seconds.
 */
function isOutdated({ version }: BlobSidecar, rules: ForkRules): boolean {
  return version === 0 && rules.isActivatedEIP(7594)
}

/**
 * Returns a sidecar in the version that the fork requires, computing cell proofs if needed. Only after
 * {@link verifySidecar}.
 */
export async function currentSidecar(sidecar: BlobSidecar, rules: ForkRules): Promise<BlobSidecar> {
  if (!isOutdated(sidecar, rules)) return sidecar
  const { blobs, commitments } = sidecar
  const proofs = await Promise.all(blobs.map((blob) => computeInWorker('cellProofs', blob)))
  return { version: 1, blobs, commitments, proofs: proofs.flat() }
}

/** Blobs of a transaction under construction; undefined parts are computed. */
export interface PartialSidecar {
  blobs: readonly Uint8Array[]
  commitments?: readonly Uint8Array[] | undefined
  proofs?: readonly Uint8Array[] | undefined
  /** 32 bytes each. */
  versionedHashes?: readonly Uint8Array[] | undefined
}

/**
 * Builds the sidecar in the version that the fork requires, and the versioned hashes of the transaction (geth:
 * internal/ethapi/transaction_args.go, setBlobTxSidecar). Recomputes blob proofs as cell proofs where needed.
 *
 * @throws ChainError if the parts do not match
 */
export async function completeSidecar(
  given: PartialSidecar,
  rules: ForkRules,
): Promise<{ sidecar: BlobSidecar; versionedHashes: Uint8Array[] }> {
  checkGivenBlobs(given)
  const { blobs } = given
  const version = rules.isActivatedEIP(7594) ? 1 : 0
  const wantedProofs = blobs.length * (version === 1 ? CELLS_PER_BLOB : 1)
  const { commitments, proofs } = given.proofs?.length === wantedProofs ? given : {}
  if (given.proofs !== undefined && proofs === undefined && given.proofs.length !== blobs.length) {
    throw new ChainError(
      `number of blobs and proofs mismatch (have=${given.proofs.length}, want=${wantedProofs})`,
    )
  }
  const sidecar: BlobSidecar =
    commitments === undefined || proofs === undefined
      ? await proveBlobs(blobs, version)
      : { version, blobs, commitments, proofs }
  if (proofs !== undefined && blobs.length > 0) await verifyGivenProofs(sidecar)
  const versionedHashes = sidecar.commitments.map(versionedHash)
  for (const [index, named] of (given.versionedHashes ?? []).entries()) {
    const computed = versionedHashes[index] ?? new Uint8Array(0)
    if (bytesEqual(named, computed)) continue
    throw new ChainError(
      `blob hash verification failed (have=${bytesToHex(named)}, want=${bytesToHex(computed)})`,
    )
  }
  return { sidecar, versionedHashes }
}

function checkGivenBlobs({ blobs, commitments, proofs, versionedHashes }: PartialSidecar): void {
  if (commitments === undefined && proofs !== undefined) {
    throw new ChainError('blob proofs provided while commitments were not')
  }
  if (commitments !== undefined && proofs === undefined) {
    throw new ChainError('blob commitments provided while proofs were not')
  }
  if (versionedHashes !== undefined && versionedHashes.length !== blobs.length) {
    throw new ChainError(
      `number of blobs and hashes mismatch (have=${versionedHashes.length}, want=${blobs.length})`,
    )
  }
  if (commitments !== undefined && commitments.length !== blobs.length) {
    throw new ChainError(
      `number of blobs and commitments mismatch (have=${commitments.length}, want=${blobs.length})`,
    )
  }
}

async function proveBlobs(blobs: readonly Uint8Array[], version: 0 | 1): Promise<BlobSidecar> {
  const commitments: Uint8Array[] = []
  const proofs: Uint8Array[] = []
  for (const [index, blob] of blobs.entries()) {
    try {
      const commitment = await computeInWorker('commitment', blob)
      commitments.push(commitment)
      if (version === 1) proofs.push(...(await computeInWorker('cellProofs', blob)))
      else proofs.push(await computeInWorker('blobProof', blob, commitment))
    } catch (error) {
      if (!(error instanceof WorkerRefusal)) throw error
      throw new ChainError(`blobs[${index}]: error computing commitment: ${error.message}`)
    }
  }
  return { version, blobs, commitments, proofs }
}

async function verifyGivenProofs({ version, blobs, commitments, proofs }: BlobSidecar): Promise<void> {
  const operation = version === 0 ? 'verifyBlobProofs' : 'verifyCellProofs'
  let reason = 'invalid proof'
  try {
    if (await computeInWorker(operation, blobs, commitments, proofs)) return
  } catch (error) {
    if (!(error instanceof WorkerRefusal)) throw error
    reason = error.message
  }
  throw new ChainError(`failed to verify blob proof: ${reason}`)
}

/** Returns the versioned hash of a commitment: its sha256 with the first byte replaced by the version (EIP-4844). */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(createHash('sha256').update(commitment).digest())
  hash[0] = BLOB_HASH_VERSION
  return hash
}

/**
 * Verifies the proofs of a sidecar. The first call takes a few seconds, to load the trusted setup.
 *
 * @throws TransactionRejectedError if a proof is wrong, or a commitment where cell proofs are yet to be computed
 */
export async function verifySidecar(sidecar: BlobSidecar, rules: ForkRules): Promise<void> {
  const { version, blobs, commitments, proofs } = sidecar
  let isValid: boolean
  try {
    if (isOutdated(sidecar, rules)) isValid = await matchCommitments(sidecar)
    else {
      const operation = version === 0 ? 'verifyBlobProofs' : 'verifyCellProofs'
      isValid = await computeInWorker(operation, blobs, commitments, proofs)
    }
  } catch (error) {
    // A point is not on the curve.
    if (error instanceof WorkerRefusal) throw rejected(`KZG verification error: ${error.message}`)
    throw error
  }
  if (!isValid) throw rejected('KZG verification error: invalid proof')
}

async function matchCommitments({
  blobs,
  commitments,
}: Pick<BlobSidecar, 'blobs' | 'commitments'>): Promise<boolean> {
  const computed = await Promise.all(blobs.map((blob) => computeInWorker('commitment', blob)))
  return computed.every((commitment, index) => bytesEqual(commitment, commitments[index] as Uint8Array))
}

function rejected(message: string): TransactionRejectedError {
  return new TransactionRejectedError(message)
}

/** Where the mempool stores blobs and transactions. The members change when the chain switches to another base. */
export interface MempoolDatabase {
  readonly database: Database
  readonly keys: Keyspace
}

/**
 * The blobs of all submitted transactions with their proofs, on disk by versioned hash (EIP-4844). Blocks do not
 * contain them. On a public network the consensus layer keeps them for some weeks; here they stay.
 */
export class BlobStore {
  readonly #storage: MempoolDatabase

  constructor(storage: MempoolDatabase) {
    this.#storage = storage
  }

  /** Stores the blobs of a sidecar with their proofs. */
  put({ version, blobs, commitments, proofs }: BlobSidecar): void {
    const { database, keys } = this.#storage
    const batch = new WriteBatch()
    const proofsOfBlob = proofs.length / blobs.length
    for (const [index, blob] of blobs.entries()) {
      const commitment = commitments[index]
      if (commitment === undefined) continue
      const own = proofs.slice(index * proofsOfBlob, (index + 1) * proofsOfBlob)
      const proof = RLP.encode([Uint8Array.of(version), commitment, own])
      batch.putBulk(keys.blob(versionedHash(commitment)), Buffer.concat([blob, proof]))
    }
    database.write(batch)
  }

  /** Returns a blob of 131,072 bytes by its 32-byte versioned hash. */
  get(hash: Uint8Array): Uint8Array | undefined {
    return this.#stored(hash)?.subarray(0, BLOB_LENGTH)
  }

  /** Rebuilds the sidecar of a transaction from its 32-byte versioned hashes, if every part is known. */
  sidecarOf(hashes: readonly Uint8Array[]): BlobSidecar | undefined {
    const parts = hashes.map((hash) => this.#partOf(hash))
    const known = parts.filter((part) => part !== undefined)
    const [first] = known
    if (first === undefined || known.length < parts.length) return undefined
    if (known.some(({ version }) => version !== first.version)) return undefined
    return {
      version: first.version,
      blobs: known.map(({ blob }) => blob),
      commitments: known.map(({ commitment }) => commitment),
      proofs: known.flatMap(({ proofs }) => proofs),
    }
  }

  #stored(hash: Uint8Array): Uint8Array | undefined {
    const { database, keys } = this.#storage
    return database.getBulk(keys.blob(hash))
  }

  /** Returns a blob with its proofs; undefined if the blob is unknown or was stored without proofs. */
  #partOf(
    hash: Uint8Array,
  ): { blob: Uint8Array; version: 0 | 1; commitment: Uint8Array; proofs: Uint8Array[] } | undefined {
    const stored = this.#stored(hash)
    if (stored === undefined || stored.length === BLOB_LENGTH) return undefined
    const [version, commitment, proofs] = RLP.decode(stored.subarray(BLOB_LENGTH)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array[],
    ]
    return {
      blob: stored.subarray(0, BLOB_LENGTH),
      version: version[0] === 1 ? 1 : 0,
      commitment,
      proofs,
    }
  }
}

/** Maximum number of blob transactions of a sender (geth: core/txpool/blobpool/blobpool.go, maxTxsPerAccount). */
export const MAX_BLOB_TRANSACTIONS = 16

/** Returns the nonce after the blob transactions of a sender. Others in the pool do not count. */
export function nextBlobNonce({ entries: [first], nonce, nextNonce }: SenderQueue): bigint {
  return first !== undefined && isBlob(first) ? nextNonce : nonce
}

/** Maximum number of waiting transactions (geth: core/txpool/blobpool/blobpool.go, maxGapped). */
const MAX_GAPPED = 128

/** Milliseconds after which a waiting transaction is dropped at the next head (same file, gappedLifetime). */
const LIFETIME = 60_000

interface GappedBlob {
  entry: Entry
  /** Time of arrival in milliseconds. */
  since: number
}

/**
 * Blob transactions that came before an earlier one of their sender. They join the pool once the nonce gap is filled;
 * until then, nothing shows them but their number. Other transactions of their sender do not matter. By the 64 digits
 * of their hash, in order of arrival.
 */
export class GappedBlobs extends Map<string, GappedBlob> {
  /**
   * Whether a transaction leaves a gap that its sender may leave: of a sender with nonce n, log10(n + 1) may wait (same
   * file, gappedAllowance).
   */
  admits(entry: Entry, queue: SenderQueue): boolean {
    const next = nextBlobNonce(queue)
    if (entry.transaction.nonce <= next || this.size >= MAX_GAPPED) return false
    const allowance = Math.floor(Math.log10(Number(queue.nonce) + 1))
    const room = MAX_BLOB_TRANSACTIONS - Number(next - queue.nonce)
    return Math.min(allowance, room) > this.#of(queue.sender).length
  }

  add(entry: Entry): void {
    this.set(bytesToPlainHex(entry.hash), { entry, since: Date.now() })
  }

  /**
   * Removes the transaction of a 20-byte sender with the lowest nonce.
   *
   * @returns undefined if its nonce is greater than `nonce`, so that it still waits
   */
  take(sender: Uint8Array, nonce: bigint): Entry | undefined {
    const [first] = this.#of(sender).toSorted((a, b) => Number(a.transaction.nonce - b.transaction.nonce))
    if (first === undefined || first.transaction.nonce > nonce) return undefined
    this.delete(bytesToPlainHex(first.hash))
    return first
  }

  /** Removes all transactions of a 20-byte sender. */
  deleteFrom(sender: Uint8Array): void {
    for (const { hash } of this.#of(sender)) this.delete(bytesToPlainHex(hash))
  }

  /** Drops the transactions that have waited too long. @returns the senders of the others, by their 40 digits */
  expire(): Map<string, Uint8Array> {
    const senders = new Map<string, Uint8Array>()
    for (const [digits, { entry, since }] of this) {
      if (since < Date.now() - LIFETIME) this.delete(digits)
      else senders.set(bytesToPlainHex(entry.sender), entry.sender)
    }
    return senders
  }

  #of(sender: Uint8Array): Entry[] {
    const entries = [...this.values()].map(({ entry }) => entry)
    return entries.filter((entry) => bytesEqual(entry.sender, sender))
  }
}
