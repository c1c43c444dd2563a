import type { KZG } from '@ethereumjs/util'
import { outcomeOr } from './crypto/outcome.js'

function unused(): never {
  throw new Error('KZG proofs are computed in the worker')
}

/** KZG commitments as ethereumjs wants them: the precompile of EIP-4844 finds here what the worker has computed. */
export const kzg: KZG = {
  verifyProof: () => outcomeOr<boolean>(unused),
  blobToKzgCommitment: unused,
  computeBlobProof: unused,
  verifyBlobProofBatch: unused,
  computeCells: unused,
  computeCellsAndProofs: unused,
  recoverCellsAndProofs: unused,
  verifyCellKzgProofBatch: unused,
}
