import type { ForkSchedule } from '../../evm/forkSchedule.js'
import { hardforks } from '../../evm/hardforks.js'

const PARIS = hardforks.indexOf('paris')

/**
 * Whether a block of this number and time comes after the merge, as far as the schedule alone can tell: behind the fork
 * that splits the network, or under any fork that came later (geth: params/config.go, IsPostMerge).
 */
export function isPostMerge(
  { activations }: Pick<ForkSchedule, 'activations'>,
  { number, timestamp }: { number: bigint; timestamp: bigint },
): boolean {
  return activations.some(({ hardfork, from }) => {
    if (hardforks.indexOf(hardfork) < PARIS) return false
    if ('block' in from) return from.block <= number
    return 'timestamp' in from && from.timestamp <= timestamp
  })
}
