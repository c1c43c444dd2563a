import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { ForkSchedule } from '../execution/forkSchedule.js'
import { ImportError } from '../import/errors.js'
import { checkHeader } from '../import/headerChecks.js'

/** A chain that a file cannot hold, because a block of it could not be imported again. */
export class ExportError extends Error {
  override readonly name = 'ExportError'
  /** The block's. */
  readonly number: bigint

  constructor(number: bigint, reason: string) {
    super(`block ${number} cannot be exported: ${reason}`)
    this.number = number
  }
}

/** A chain to export. */
export interface ExportSource {
  blocks: BlockStore
  schedule: ForkSchedule
  /** The number of its first block. */
  first: bigint
  /** The number of the last block to export. */
  last: bigint
}

/**
 * The blocks of a chain after its first one, each as RLP, as an import takes them.
 *
 * All of them are checked before the first one is given: controls make blocks that no rules lead to.
 *
 * @throws ExportError for the first block that an import would refuse
 */
export function* exportChain(source: ExportSource): Generator<Uint8Array> {
  const { blocks, first, last } = source
  let parent = blockAt(blocks, first)
  for (let number = first + 1n; number <= last; number++) {
    const block = blockAt(blocks, number)
    checkBlock(block, parent, source.schedule)
    parent = block
  }
  for (let number = first + 1n; number <= last; number++) yield blocks.blockRlp(blockAt(blocks, number))
}

function blockAt(blocks: BlockStore, number: bigint): StoredBlock {
  const ordinal = blocks.canonicalOrdinal(number)
  const block = ordinal === undefined ? undefined : blocks.byOrdinal(ordinal)
  if (block === undefined) throw new ExportError(number, 'the chain has no such block')
  return block
}

function checkBlock(block: StoredBlock, parent: StoredBlock, schedule: ForkSchedule): void {
  const { number } = block.header
  if (block.altered) throw new ExportError(number, 'a control changed the state that it stands on')
  if (block.transactions.some(({ impersonated }) => impersonated)) {
    throw new ExportError(number, 'it has a transaction of an impersonated account')
  }
  try {
    checkHeader({ header: block.header, parent, rules: schedule.rulesAt(block.header), schedule })
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    throw new ExportError(number, `a control decided about its ${error.field}`)
  }
}
