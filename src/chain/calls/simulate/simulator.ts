import { type Awaitable, TimeSlice } from '../../../encoding/timeSlice.js'
import { hashHeader } from '../../block/header.js'
import type { ForkSchedule } from '../../evm/forkSchedule.js'
import type { DraftParent } from '../../mining/producer.js'
import type { StateStore } from '../../state/stateStore.js'
import { StatePreview, WorkingState } from '../../state/workingState.js'
import type { HeaderFields, StateView } from '../../types.js'
import { ClientGoneError } from '../../errors.js'
import { ancestorHash } from '../call.js'
import { type SimulatedBlock, SimulationError, type SimulationRequest } from './request.js'
import {
  type SequencedBlock,
  checkLimits,
  draftSimulatedHeader,
  isPostMerge,
  sequenceBlocks,
} from './sequence.js'
import { GasBudget, simulateBlock } from './simulateBlock.js'

/** The parts that a {@link Simulator} works with. */
export interface SimulatorParts {
  stores: { readonly states: StateStore }
  schedule: Pick<ForkSchedule, 'activations' | 'depositContract'>
}

/** Builds a sequence of blocks from unsigned calls without storing them (geth: eth_simulateV1). */
export class Simulator {
  readonly #parts: SimulatorParts

  constructor(parts: SimulatorParts) {
    this.#parts = parts
  }

  /**
   * Simulates blocks on a base, each on the state of the previous one.
   *
   * @throws SimulationError if the blocks or their calls cannot be simulated
   * @throws HeaderNotFoundError, HashNotFoundError or NotCanonicalError if the base does not exist; ChainError if
   *   overrides contradict each other
   */
  async simulate(request: SimulationRequest): Promise<SimulatedBlock[]> {
    const { view, base: selector, blocks, fillsGaps, traceTransfers, validation, requester } = request
    checkLimits(blocks)
    const base = await view.stateAt(selector)
    const baseHash = base.hash ?? hashHeader(base.header)
    const sequenced = sequenceBlocks(base.header, blocks, { fillsGaps })
    const difficulties = this.#difficulties(base.header, sequenced)
    const state = this.#workingState(base.state)
    const budget = new GasBudget()
    const slice = new TimeSlice()
    const simulated: SimulatedBlock[] = []
    let parent: DraftParent = { hash: baseHash, header: base.header }
    let parentTotalDifficulty = view.blockByHash(baseHash)?.totalDifficulty ?? view.head().totalDifficulty
    const blockHash = (number: bigint): Awaitable<Uint8Array | undefined> => {
      if (number === base.header.number) return baseHash
      if (number < base.header.number) return ancestorHash(view, base.header, number)
      return simulated.find(({ block }) => block.header.number === number)?.block.hash
    }
    for (const [index, block] of sequenced.entries()) {
      const difficulty = difficulties[index] ?? 0n
      if (index > 0 && requester?.signal?.aborted === true) throw new ClientGoneError()
      const rules = view.rulesAt({ number: block.number, timestamp: block.timestamp, difficulty })
      const header = draftSimulatedHeader(parent, block, rules, { difficulty, validation })
      const result = await simulateBlock(block, {
        header,
        rules,
        state,
        blockHash,
        parentTotalDifficulty,
        depositContract: this.#parts.schedule.depositContract,
        budget,
        traceTransfers,
        validation,
        requester,
        slice,
      })
      simulated.push(result)
      parent = result.block
      parentTotalDifficulty = result.block.totalDifficulty
    }
    return simulated
  }

  /**
   * Returns the difficulty of each block: the previous block's or an override, and zero after the merge.
   *
   * @throws SimulationError if a block after the merge has an override
   */
  #difficulties(base: HeaderFields, sequenced: readonly SequencedBlock[]): bigint[] {
    let { difficulty } = base
    return sequenced.map((block) => {
      const { difficulty: override } = block.overrides
      if (isPostMerge(this.#parts.schedule, block)) difficulty = 0n
      if (override !== undefined && difficulty === 0n) {
        throw new SimulationError(
          'difficulty',
          `block ${block.number}: difficulty override is not allowed after the merge`,
        )
      }
      difficulty = override ?? difficulty
      return difficulty
    })
  }

  /** Creates a working state over the base. The pending block's state brings unstored nodes. */
  #workingState(base: StateView): WorkingState {
    const { states } = this.#parts.stores
    return new WorkingState({ base, store: base instanceof StatePreview ? base.over(states) : states })
  }
}
