import type { Chain } from '../chain/chain.js'
import { HashNotFoundError } from '../chain/errors.js'
import { createCallSite } from '../chain/execution/callSite.js'
import type { ForkSchedule } from '../chain/execution/forkSchedule.js'
import { buildBlock } from '../chain/mining/build.js'
import { WorkingState } from '../chain/state/workingState.js'
import type { BlockBuilder } from '../rpc/backend.js'

/** Builds blocks on any stored parent, without storing them. */
export function createBuilder(chain: Chain, schedule: ForkSchedule): BlockBuilder {
  const { view, mempool, settings } = chain
  return {
    build: async ({ parentHash, attributes, transactions, extraData }) => {
      const parent = view.blockByHash(parentHash)
      if (parent === undefined) throw new HashNotFoundError()
      const { states } = chain.stores
      const base = states.viewAt(parent.header.stateRoot)
      const header = { ...parent.header, number: parent.header.number + 1n, parentHash }
      const { blockHash } = createCallSite(view, { header, rules: view.rulesAt(header), state: base })
      return buildBlock({
        parent,
        schedule,
        attributes,
        transactions: transactions ?? mempool,
        settings: { extraData: extraData ?? settings.extraData },
        state: new WorkingState({ base, store: states }),
        blockHash,
      })
    },
  }
}
