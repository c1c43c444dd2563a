import type { KZG } from '@ethereumjs/util'
/** The result of a computation made before the library asks for it. */
export type Outcome = { value: Uint8Array | boolean } | { error: unknown }

let outcome: Outcome | undefined

/**
 * Runs a precompile with its result precomputed. The library must ask for the result before it first awaits anything.
 */
export function withOutcome<T>(done: Outcome | undefined, run: () => T): T {
  outcome = done
  try {
    return run()
  } finally {
    outcome = undefined
  }
}

/** Returns the precomputed result for the running precompile, or computes it. @throws the precomputed error */
export function outcomeOr<T extends Uint8Array | boolean>(compute: () => T): T {
  if (outcome === undefined) return compute()
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

function unused(): never {
  throw new Error('KZG proofs are computed in the worker')
}

/** KZG for ethereumjs: the EIP-4844 precompile finds the worker's result here. */
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
