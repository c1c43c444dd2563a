import { TimeSlice } from '../../encoding/timeSlice.js'
import type { StoredBlock } from '../block/record.js'
import type { CallObject } from '../calls/callObject.js'
import type { Chain } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'
import { type Head, blocksAbove } from '../head/position.js'
import { decodeBlock } from '../import/blockParts.js'
import { keccak256 } from '../crypto.js'
import { BlobStore } from '../mempool/blobs.js'
import { type NamedPooled, pooledFromBlock, stagePooled } from '../mempool/pooledStore.js'
import { reinject } from '../mempool/submitTransaction.js'
import type { PooledTransaction } from '../mempool/transaction.js'

/** A transaction of a replacing block: signed, or as a caller describes it, without a signature. */
export interface Replacement {
  /** Which of the new blocks it goes into; 0 is the oldest. */
  index: number
  transaction: Uint8Array | (CallObject & { from: Uint8Array })
}

/** Fewer blocks than are to be taken off, or a place behind the new blocks. */
export class DepthError extends ChainError {
  override readonly name = 'DepthError'
}

/** What a reorganisation by depth works with. */
export interface ReorganisationParts {
  chain: Chain
  /** Makes what a caller gave into a transaction; `nonces` tells the next nonce of a sender on the new branch. */
  prepare: (
    transaction: Replacement['transaction'],
    nonceOf: (sender: Uint8Array) => Promise<bigint>,
  ) => Promise<PooledTransaction>
}

/**
 * Takes so many blocks off the end of the chain and mines as many anew in their place, which hold the given
 * transactions and no others. Those of the blocks that left wait in the mempool again.
 *
 * The new blocks are stored beside the chain first; one write makes the last of them the head, so that a node that
 * goes down has either the old blocks or the new ones.
 *
 * @throws DepthError if there are not so many blocks, or a transaction is to go behind the last new one.
 * @throws ChainStoppedError if the node stops on the way; the old blocks stay.
 */
export function reorganise(
  { chain, prepare }: ReorganisationParts,
  { depth, replacements }: { depth: number; replacements: readonly Replacement[] },
): Promise<void> {
  return chain.exclusively(async () => {
    const height = checkDepth(chain, depth, 'Reorg')
    const beyond = replacements.find(({ index }) => index >= depth)
    if (beyond !== undefined) {
      throw new DepthError(
        `Block number for reorg tx will exceed the reorged chain height. ` +
          `Block number ${beyond.index} must not exceed (depth-1) ${depth - 1}`,
      )
    }
    const slice = new TimeSlice()
    let parent = ancestor(chain, height - BigInt(depth))
    chain.stores.states.requireRoot(parent.workingRoot, parent.block.header)
    for (let index = 0; index < depth; index++) {
      await slice.pause()
      if (chain.isStopping) throw new ChainStoppedError()
      const replaced = ancestor(chain, parent.block.header.number + 1n)
      const nonceOf = nonces(chain, parent)
      const transactions: PooledTransaction[] = []
      for (const replacement of replacements) {
        if (replacement.index === index) transactions.push(await prepare(replacement.transaction, nonceOf))
      }
      const prevRandao = keccak256(Buffer.concat([parent.block.hash, replaced.block.hash]))
      const block = await chain.mineSideBlock(parent, { candidates: oneByOne(transactions), prevRandao })
      parent = { block, workingRoot: block.header.stateRoot }
    }
    if (depth > 0) await adoptBranch(chain, parent.block)
  })
}

/**
 * Takes so many blocks off the end of the chain. Their transactions are gone, and no removed logs are reported: it
 * is as if the blocks had never been.
 *
 * @throws DepthError if there are not so many.
 */
export function rollback(chain: Chain, depth: number): Promise<void> {
  return chain.exclusively(async () => {
    const height = checkDepth(chain, depth, 'Rollback')
    const head = ancestor(chain, height - BigInt(depth))
    if (depth === 0) return
    chain.stores.states.requireRoot(head.workingRoot, head.block.header)
    chain.moveHead(head)
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

/** A block of the chain with the state that the block after it was executed on: edits that were made on it stay. */
function ancestor({ view }: Chain, number: bigint): Head {
  const block = view.blockByNumber(number)
  if (block === undefined) throw new Error(`block ${number} is not stored`)
  const workingRoot = view.blockByNumber(number + 1n)?.parentStateRoot ?? block.header.stateRoot
  return { block, workingRoot }
}

/** The next nonces of senders in a block on `parent`, each one higher than the last that was asked for. */
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

/** Offers transactions in their order. */
function oneByOne(transactions: readonly PooledTransaction[]) {
  const waiting = [...transactions]
  return { next: () => waiting.shift(), skipSender: () => undefined }
}

/**
 * Takes blocks that were made elsewhere, as RLP and parents first, and makes the last one the head: as the next block
 * where it stands on the head, by a reorganisation where it stands on another branch.
 *
 * @throws ImportError for the first block that does not check; those before it are stored.
 * @throws ChainStoppedError if the node stops on the way; the blocks until then are stored.
 */
export function importBranch(chain: Chain, blocks: readonly Uint8Array[]): Promise<void> {
  return chain.exclusively(async () => {
    let last: StoredBlock | undefined
    for (const bytes of blocks) {
      if (chain.isStopping) throw new ChainStoppedError()
      const parts = decodeBlock(bytes)
      last = chain.view.blockByHash(parts.hash) ?? (await chain.importBlock(parts))
    }
    if (last !== undefined && !chain.view.isCanonical(last)) await adoptBranch(chain, last)
  })
}

/**
 * Makes a block of another branch the head, and announces it as geth does (core/blockchain.go, reorg): what left,
 * then what came below the head, then the head. The transactions that left wait again; the write that moves the head
 * keeps them, so that they wait after a crash too. Only within the chain's turn.
 */
export async function adoptBranch(chain: Chain, block: StoredBlock): Promise<void> {
  const { blocks, keys } = chain.stores
  const blobs = new BlobStore(chain.stores)
  let removed: StoredBlock[] = []
  let left: NamedPooled[] = []
  const head = { block, workingRoot: block.header.stateRoot }
  const { added } = chain.moveHead(head, {
    stage: (batch, { base }) => {
      removed = blocksAbove(blocks, base, chain.head.block)
      left = removed.flatMap((orphan) => pooledFromBlock({ blocks, blobs }, orphan))
      for (const pooled of left) stagePooled(batch, keys, pooled)
    },
    change: () => {
      chain.settings.gasLimit = block.header.gasLimit
    },
  })
  await chain.commitProgress()
  await reinject(chain.mempool, chain.nextRules(), left)
  if (removed.length > 0) chain.events.emit({ type: 'removed', blocks: removed })
  if (added.length > 1) chain.events.emit({ type: 'added', blocks: added.slice(0, -1) })
  chain.events.emit({ type: 'head', block })
}
