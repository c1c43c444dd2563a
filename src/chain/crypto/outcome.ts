import type { KZG } from '@ethereumjs/util'
/** How a computation ended that was made before the library asks for it. */
export type Outcome = { value: Uint8Array | boolean } | { error: unknown }

let outcome: Outcome | undefined

/** Runs a precompile whose computation is done already; the library must ask for it before it awaits anything. */
export function withOutcome<T>(done: Outcome | undefined, run: () => T): T {
  outcome = done
  try {
    return run()
  } finally {
    outcome = undefined
  }
}

/** What is known already for the precompile that runs now, otherwise what is computed. @throws what was thrown there */
export function outcomeOr<T extends Uint8Array | boolean>(compute: () => T): T {
  if (outcome === undefined) return compute()
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

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
