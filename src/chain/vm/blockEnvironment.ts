import { type Awaitable, orElse, whenReady } from '../../encoding/timeSlice.js'
import type { MemoryShare } from '../../encoding/memoryShare.js'
import { Semaphore, settled } from '../../encoding/semaphore.js'
import { Address } from '@ethereumjs/util'
import { headerBlobBaseFee } from '../block/header.js'
import type { ConsoleListener } from '../calls/callObject.js'
import { ChainError } from '../errors.js'
import type { RulesHeader } from '../evm/forkSchedule.js'
import { PooledEvm } from '../evm/pooledEvm.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules, HeaderFields } from '../types.js'

/** The block that opcodes see, in the shape that ethereumjs reads. */
export interface BlockEnvironment {
  header: {
    number: bigint
    coinbase: Address
    /** Seconds. */
    timestamp: bigint
    difficulty: bigint
    /** 32 bytes. */
    prevRandao: Uint8Array
    gasLimit: bigint
    /** Wei per gas; since London. */
    baseFeePerGas: bigint | undefined
    /** Wei per blob gas; since Cancun. */
    getBlobGasPrice(): bigint | undefined
  }
}

/** Values that override a header's (geth: internal/ethapi/override, BlockOverrides). */
export interface BlockOverrides {
  number?: bigint
  difficulty?: bigint
  /** Seconds. */
  time?: bigint
  gasLimit?: bigint
  /** 20 bytes. */
  feeRecipient?: Uint8Array
  /** 32 bytes. */
  prevRandao?: Uint8Array
  /** Wei per gas. */
  baseFeePerGas?: bigint
  /** Wei per blob gas. */
  blobBaseFee?: bigint
}

const NO_OVERRIDES: BlockOverrides = {}

/**
 * Returns the rules at the overridden number and time of a block. Overriding prevRandao makes it a post-merge block
 * (geth: internal/ethapi/api.go, doCall).
 */
export function rulesUnder(
  site: { header: HeaderFields; rules: ForkRules; rulesAt: (header: RulesHeader) => ForkRules },
  { number, time, prevRandao }: BlockOverrides = NO_OVERRIDES,
): ForkRules {
  const { header } = site
  if ((number ?? time ?? prevRandao) === undefined) return site.rules
  return site.rulesAt({
    number: number ?? header.number,
    timestamp: time ?? header.timestamp,
    difficulty: prevRandao === undefined ? header.difficulty : 0n,
  })
}

/** Environments by header. Headers are immutable, and the next call usually runs on the same block. */
const known = new WeakMap<HeaderFields, { rules: ForkRules; block: BlockEnvironment }>()
/** For any environment, its counterpart that a free call sees. */
const zeroBaseFees = new WeakMap<BlockEnvironment, BlockEnvironment>()

/** Returns the environment of a block, made once per header. */
export function knownBlockEnvironment(header: HeaderFields, rules: ForkRules): BlockEnvironment {
  const found = known.get(header)
  if (found?.rules === rules) return found.block
  const block = createBlockEnvironment(header, rules)
  known.set(header, { rules, block })
  return block
}

/** Returns the same block with a base fee of zero, made once per block. */
export function withoutBaseFee(block: BlockEnvironment): BlockEnvironment {
  const found = zeroBaseFees.get(block)
  if (found !== undefined) return found
  const made = withFees(block, { baseFeePerGas: 0n })
  zeroBaseFees.set(block, made)
  return made
}

/** Creates the environment of a block from its header. */
export function createBlockEnvironment(
  header: HeaderFields,
  rules: ForkRules,
  overrides: BlockOverrides = NO_OVERRIDES,
): BlockEnvironment {
  // Computed lazily, since few contracts read it.
  let blobBaseFee = overrides.blobBaseFee
  return {
    header: {
      number: overrides.number ?? header.number,
      coinbase: new Address(overrides.feeRecipient ?? header.coinbase),
      timestamp: overrides.time ?? header.timestamp,
      difficulty: overrides.difficulty ?? header.difficulty,
      prevRandao: overrides.prevRandao ?? header.mixHash,
      gasLimit: overrides.gasLimit ?? header.gasLimit,
      baseFeePerGas: overrides.baseFeePerGas ?? header.baseFeePerGas,
      getBlobGasPrice: () => (blobBaseFee ??= headerBlobBaseFee(header, rules)),
    },
  }
}

/** Returns the same block with other fees: a free call reads a BASEFEE or BLOBBASEFEE of zero. */
export function withFees(
  { header }: BlockEnvironment,
  fees: { baseFeePerGas?: bigint; blobBaseFee?: bigint },
): BlockEnvironment {
  const { blobBaseFee } = fees
  return {
    header: {
      ...header,
      baseFeePerGas: fees.baseFeePerGas ?? header.baseFeePerGas,
      getBlobGasPrice: () => blobBaseFee ?? header.getBlobGasPrice(),
    },
  }
}

/** Maximum number of idle EVMs per set of rules. */
const MAX_IDLE = 64
/** Idle EVMs by the rules that they implement. */
const idle = new WeakMap<ForkRules, PooledEvm[]>()

/**
 * Lends an EVM bound to a context, and returns it clean to the pool.
 *
 * After an unexpected error it is discarded. A ChainError may end execution midway, when a remote node does not answer
 * or a trace grows too large; transient storage must then be cleared.
 */
export function withEvm<T>(context: ExecutionContext, use: (evm: PooledEvm) => Awaitable<T>): Awaitable<T> {
  let evms = idle.get(context.rules)
  if (evms === undefined) {
    evms = []
    idle.set(context.rules, evms)
  }
  const pool = evms
  return whenReady(pool.pop() ?? PooledEvm.create(context.rules), (evm) => runInPool(evm, pool, context, use))
}

/** Executions of requests in progress: each may hold a megabyte, and more as its {@link Requester} grants it. */
const executions = new Semaphore(1024)

/** The states of the executions in progress. */
const states = new WeakSet<WorkingState>()

/**
 * Like {@link withEvm}, for executions that change nothing: others wait while many are in progress. Further work on the
 * same state is part of the same execution.
 */
export function withLimitedEvm<T>(
  context: ExecutionContext,
  use: (evm: PooledEvm) => Awaitable<T>,
): Awaitable<T> {
  const { state } = context
  if (states.has(state)) return withEvm(context, use)
  return executions.run(() => {
    states.add(state)
    return settled(
      () => withEvm(context, use),
      () => void states.delete(state),
    )
  })
}

function runInPool<T>(
  evm: PooledEvm,
  pool: PooledEvm[],
  context: ExecutionContext,
  use: (evm: PooledEvm) => Awaitable<T>,
): Awaitable<T> {
  evm.bind(context)
  const used = orElse(
    () => use(evm),
    (error) => {
      if (error instanceof ChainError) {
        evm.transientStorage.clear()
        returnToPool(evm, pool)
      }
      throw error
    },
  )
  return whenReady(used, (result) => {
    returnToPool(evm, pool)
    return result
  })
}

function returnToPool(evm: PooledEvm, pool: PooledEvm[]): void {
  evm.release()
  if (pool.length < MAX_IDLE) pool.push(evm)
}

/** Runs work on the state of an EVM and reverts its changes. */
export async function withRollback<T>(
  { state }: Pick<PooledEvm, 'state'>,
  work: () => Promise<T>,
): Promise<T> {
  void state.checkpoint()
  try {
    return await work()
  } finally {
    void state.revert()
  }
}

/** The request that an execution belongs to. */
export interface Requester {
  /** Aborted when nobody waits any more. Only long executions read it, because it may be created on first use. */
  readonly signal?: AbortSignal | undefined
  /** What the request holds in memory; not counted if undefined. */
  readonly memory?: MemoryShare | undefined
}

/** Everything that an execution runs on. */
export interface ExecutionContext {
  rules: ForkRules
  state: WorkingState
  block: BlockEnvironment
  /** Returns the 32-byte hash of an earlier block, for BLOCKHASH; undefined reads as zero. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
  /** Receives what contracts log to the console. */
  onConsole?: ConsoleListener | undefined
  /** Undefined if the execution must come to its end, as that of a block. */
  requester?: Requester | undefined
}
