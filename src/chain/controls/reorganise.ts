import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { WriteBatch } from '../../storage/database.js'
import type { StoredBlock } from '../block/record.js'
import type { CallObject } from '../calls/callObject.js'
import type { Chain } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'
import { type Head, blocksAbove } from '../head/position.js'
import { decodeBlockInSteps } from '../import/blockParts.js'
import { keccak256 } from '../crypto.js'
import { BlobStore } from '../mempool/blobs.js'
import { type NamedPooled, pooledFromBlock, stagePooled } from '../mempool/pooledStore.js'
import { reinject } from '../mempool/submitTransaction.js'
import type { PooledTransaction } from '../mempool/transaction.js'

/** A transaction of a replacement block: signed, or unsigned as described by a caller. */
export interface Replacement {
  /** Index of the new block to include it in; 0 is the oldest. */
  index: number
  transaction: Uint8Array | (CallObject & { from: Uint8Array })
}

/** A depth beyond the start of the chain, or an index beyond the new blocks. */
export class DepthError extends ChainError {
  override readonly name = 'DepthError'
}

/** The parts that {@link reorganise} works with. */
export interface ReorganisationParts {
  chain: Chain
  /** Turns a given transaction into a pooled one; `nonceOf` returns the next nonce of a sender on the new branch. */
  prepare: (
    transaction: Replacement['transaction'],
    nonceOf: (sender: Uint8Array) => Promise<bigint>,
  ) => Promise<PooledTransaction>
}

/** A request for a reorganisation. */
export interface ReorganisationOrder {
  depth: number
  replacements: readonly Replacement[]
}

/**
 * Replaces the last `depth` blocks of the chain with newly mined ones that contain exactly the given transactions.
 * Transactions of the removed blocks return to the mempool.
 *
 * The new blocks are first stored beside the chain, then a single write makes the last one the head. So a node that
 * stops midway has either the old blocks or the new ones.
 *
 * @throws DepthError if the chain is too short, or an index is beyond the last new block
 * @throws ChainStoppedError if the node stops midway; the old blocks stay
 */
export function reorganise(parts: ReorganisationParts, order: ReorganisationOrder): Promise<void> {
  const { chain } = parts
  const { depth, replacements } = order
  return chain.exclusively(async () => {
    const height = checkDepth(chain, depth, 'Reorg')
    const beyond = replacements.find(({ index }) => index >= depth)
    if (beyond !== undefined) {
      throw new DepthError(
        `Block number for reorg tx will exceed the reorged chain height. ` +
          `Block number ${beyond.index} must not exceed (depth-1) ${depth - 1}`,
      )
    }
    if (depth === 0) return
    const parent = ancestor(chain, height - BigInt(depth))
    chain.stores.states.requireRoot(parent.workingRoot, parent.block.header)
    const { state } = chain.clock
    chain.clock.rewound(parent.block.header.timestamp)
    const block = await mineBranch(parts, order, parent).catch((error: unknown) => {
      chain.clock.restore(state)
      throw error
    })
    await adoptBranch(chain, block)
  })
}

/** Mines the new blocks beside the chain. @returns the last one */
async function mineBranch(
  { chain, prepare }: ReorganisationParts,
  { depth, replacements }: ReorganisationOrder,
  start: Head,
): Promise<StoredBlock> {
  const slice = new TimeSlice()
  const byIndex = new Map<number, Replacement['transaction'][]>()
  for (const { index, transaction } of replacements) {
    const others = byIndex.get(index)
    if (others === undefined) byIndex.set(index, [transaction])
    else others.push(transaction)
  }
  let parent = start
  for (let index = 0; index < depth; index++) {
    await slice.pause()
    if (chain.isStopping) throw new ChainStoppedError()
    const replaced = ancestor(chain, parent.block.header.number + 1n)
    const nonceOf = nonces(chain, parent)
    const transactions: PooledTransaction[] = []
    for (const transaction of byIndex.get(index) ?? []) {
      await slice.pause()
      transactions.push(await prepare(transaction, nonceOf))
    }
    const prevRandao = keccak256(Buffer.concat([parent.block.hash, replaced.block.hash]))
    const block = await chain.mineSideBlock(parent, { candidates: oneByOne(transactions), prevRandao })
    parent = { block, workingRoot: block.header.stateRoot }
  }
  return parent.block
}

/**
 * Removes the last `depth` blocks of the chain. Their transactions are dropped, and no removed logs are reported, as if
 * the blocks had never existed.
 *
 * @throws DepthError if the chain is too short
 */
export function rollback(chain: Chain, depth: number): Promise<void> {
  return chain.exclusively(async () => {
    const height = checkDepth(chain, depth, 'Rollback')
    const head = ancestor(chain, height - BigInt(depth))
    if (depth === 0) return
    chain.stores.states.requireRoot(head.workingRoot, head.block.header)
    chain.moveHead(head, { change: () => chain.clock.rewound(head.block.header.timestamp) })
    await chain.commitProgress()
    chain.events.emit({ type: 'rewound', head: head.block })
  })
}

function checkDepth({ view }: Chain, depth: number, action: string): bigint {
  const height = view.head().header.number
  const first = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  if (BigInt(depth) <= height - first) return height
  throw new DepthError(
    `${action} depth must not exceed current chain height: current height ${height}, depth ${depth}`,
  )
}

/** Returns a block of the chain with the state that its child was executed on, which includes edits made in between. */
function ancestor({ view }: Chain, number: bigint): Head {
  const block = view.blockByNumber(number)
  if (block === undefined) throw new Error(`block ${number} is not stored`)
  const workingRoot = view.blockByNumber(number + 1n)?.parentStateRoot ?? block.header.stateRoot
  return { block, workingRoot }
}

/**
 * Returns a function for the next nonces of senders in a block on `parent`. Each call for a sender increments its
 * nonce.
 */
function nonces({ stores }: Chain, parent: Head): (sender: Uint8Array) => Promise<bigint> {
  const state = stores.states.viewAt(parent.workingRoot)
  const next = new Map<string, bigint>()
  return async (sender) => {
    const key = Buffer.from(sender).toString('hex')
    const nonce = next.get(key) ?? (await state.getAccount(sender))?.nonce ?? 0n
    next.set(key, nonce + 1n)
    return nonce
  }
}

/** Offers transactions in the given order. */
function oneByOne(transactions: readonly PooledTransaction[]) {
  const remaining = [...transactions]
  return { next: () => remaining.shift(), skipSender: () => undefined }
}

/**
 * Imports blocks from elsewhere, as RLP and parents first, and makes the last one the head: directly if it extends the
 * head, by a reorganisation if it is on another branch.
 *
 * @throws ImportError for the first invalid block; those before it are stored
 * @throws ChainStoppedError if the node stops midway; the blocks so far are stored
 */
export function importBranch(chain: Chain, blocks: readonly Uint8Array[]): Promise<void> {
  return chain.exclusively(async () => {
    let last: StoredBlock | undefined
    const slice = new TimeSlice()
    for (const bytes of blocks) {
      if (chain.isStopping) throw new ChainStoppedError()
      const parts = await runInSlices(decodeBlockInSteps(bytes), slice)
      last = chain.view.blockByHash(parts.hash) ?? (await chain.importBlock(parts))
    }
    if (last !== undefined && !chain.view.isCanonical(last)) await adoptBranch(chain, last)
  })
}

/**
 * Makes a block of another branch the head, and announces it like geth (core/blockchain.go, reorg): the removed blocks,
 * then those added below the head, then the head. Transactions of removed blocks return to the mempool; the write that
 * moves the head also stores them, so that they survive a crash. Only within the chain's mutex.
 */
async function adoptBranch(chain: Chain, block: StoredBlock): Promise<void> {
  const { blocks } = chain.stores
  const head = { block, workingRoot: block.header.stateRoot }
  const planned = await chain.planMove(block)
  const { base, added } = planned
  const slice = new TimeSlice()
  const removed = await runInSlices(blocksAbove(blocks, base, chain.head.block), slice)
  const { orphaned, rows } = await runInSlices(orphansOf(chain, removed), slice)
  chain.moveHead(head, {
    planned,
    stage: (batch) => {
      for (const row of rows.operations) batch.operations.push(row)
    },
    change: () => {
      chain.settings.gasLimit = block.header.gasLimit
    },
  })
  await chain.commitProgress()
  await reinject(chain.mempool, chain.nextRules(), orphaned)
  if (removed.length > 0) chain.events.emit({ type: 'removed', blocks: removed })
  if (added.length > 1) chain.events.emit({ type: 'added', blocks: added.slice(0, -1) })
  chain.events.emit({ type: 'head', block })
}

/** Rows of pooled transactions written at once. */
const ROWS_AT_ONCE = 512
/** Maximum rows of pooled transactions that are written together with the head. */
const ROWS_WITH_HEAD = 4096

/**
 * Reads the transactions of removed blocks, and prepares their rows. Most rows of many are written now: until the head
 * moves, a restart finds these transactions on the chain and drops them from the pool.
 */
function* orphansOf(
  { stores }: Chain,
  removed: readonly StoredBlock[],
): Steps<{ orphaned: NamedPooled[]; rows: WriteBatch }> {
  const { blocks } = stores
  const blobs = new BlobStore(stores)
  const orphaned: NamedPooled[] = []
  const count = removed.reduce((sum, { transactions }) => sum + transactions.length, 0)
  let rows = new WriteBatch()
  for (const block of removed) {
    for (const pooled of pooledFromBlock({ blocks, blobs }, block)) {
      orphaned.push(pooled)
      stagePooled(rows, stores, pooled)
      if (rows.operations.length === ROWS_AT_ONCE && orphaned.length <= count - ROWS_WITH_HEAD) {
        stores.database.write(rows)
        rows = new WriteBatch()
      }
      yield
    }
    yield
  }
  return { orphaned, rows }
}
