import type { Chain } from '../chain/chain.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import type { Habits } from '../rpc/habits.js'

/** What a mempool takes on habits from. */
export interface MempoolHabitsParts {
  chain: Pick<Chain, 'mempool' | 'nextBaseFee'>
  mining: Pick<MiningSchedule, 'mode'>
}

/** Lets a chain's mempool refuse and replace as the node does that is stood in for. */
export function takeOnHabits(
  { chain, mining }: MempoolHabitsParts,
  { refusesWaiting, refusesLowCap, capReplaces }: Habits,
): void {
  const { options } = chain.mempool
  if (refusesWaiting) options.automineBaseFee = () => (mining.mode.automine ? chain.nextBaseFee() : undefined)
  if (refusesLowCap) options.minimumFeeCap = () => chain.nextBaseFee()
  options.capReplaces = capReplaces
}
