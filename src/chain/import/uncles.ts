import { bytesEqual, bytesToPlainHex } from '../../encoding/hex.js'
import type { StoredBlock } from '../block/record.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import type { HeaderFields } from '../types.js'
import type { BlockParts } from './blockParts.js'
import { ImportError } from '../errors.js'
import { checkHeader } from './headerChecks.js'

/** Maximum number of uncles in a block, and of generations up to an uncle's parent. */
const MAX_UNCLES = 2
const GENERATIONS = 7

/** Finds the ancestors of a block. */
export interface Ancestry {
  blockByHash(hash: Uint8Array): StoredBlock | undefined
}

/**
 * Checks the uncles of a block (geth: consensus/ethash/consensus.go, VerifyUncles): they must be recent, valid, and
 * neither ancestors nor already rewarded.
 *
 * @throws ImportError
 */
export function checkUncles(
  { header, uncles, uncleHashes, hash }: BlockParts,
  blocks: Ancestry,
  schedule: ForkSchedule,
): void {
  if (uncles.length === 0) return
  const refuse = (index: number, reason: string): never => {
    throw new ImportError(header.number, `uncle ${index}`, reason)
  }
  if (uncles.length > MAX_UNCLES) refuse(MAX_UNCLES, `a block has at most ${MAX_UNCLES} uncles`)
  const { ancestors, rewarded } = generations(header, blocks)
  rewarded.add(bytesToPlainHex(hash))
  uncles.forEach((uncle, index) => {
    const name = bytesToPlainHex(uncleHashes[index] ?? hash)
    if (rewarded.has(name)) refuse(index, 'it was rewarded before')
    rewarded.add(name)
    if (ancestors.has(name)) refuse(index, 'it is an ancestor of the block')
    const parent = ancestors.get(bytesToPlainHex(uncle.parentHash))
    if (parent === undefined || bytesEqual(uncle.parentHash, header.parentHash)) {
      return refuse(index, 'its parent is not a recent ancestor of the block')
    }
    checkUncleHeader({ uncle, parent, schedule, index, number: header.number })
  })
}

interface UncleCheck {
  uncle: HeaderFields
  parent: StoredBlock
  schedule: ForkSchedule
  index: number
  /** Number of the block that includes the uncle. */
  number: bigint
}

function checkUncleHeader({ uncle, parent, schedule, index, number }: UncleCheck): void {
  try {
    checkHeader({ header: uncle, parent, rules: schedule.rulesAt(uncle), schedule })
  } catch (error) {
    if (error instanceof ImportError) throw new ImportError(number, `uncle ${index}`, error.message)
    throw error
  }
}

function generations(header: HeaderFields, blocks: Ancestry) {
  const ancestors = new Map<string, StoredBlock>()
  const rewarded = new Set<string>()
  let { parentHash } = header
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const block = blocks.blockByHash(parentHash)
    if (block === undefined) break
    ancestors.set(bytesToPlainHex(block.hash), block)
    for (const uncle of block.uncleHashes) rewarded.add(bytesToPlainHex(uncle))
    parentHash = block.header.parentHash
  }
  return { ancestors, rewarded }
}
