import type { ForkActivation, ForkSchedule } from '../../../chain/execution/forkSchedule.js'
import { forkConfig } from '../../format/forkConfig.js'
import { defineMethod } from '../../method.js'

/** eth_config: the fork that is in force, the next one, and the last one that is planned (EIP-7910). */
export const config = defineMethod('eth_config', [], ({ view, backend: { forks } }) => {
  const genesis = view.resolve({ tag: 'earliest' })
  if (genesis === undefined) return null
  const { timestamp } = view.head().header
  const timed = timedForks(forks)
  const current = timed.findLastIndex(({ time }) => time <= timestamp)
  const at = (index: number) => {
    const fork = timed[index]
    return fork === undefined ? null : forkConfig(fork.activation, forks, genesis)
  }
  const next = at(current + 1)
  return { current: at(current), next, last: next === null ? null : at(timed.length - 1) }
})

/** The forks that come by time; an own chain has its one fork from the beginning of time on. */
function timedForks({
  activations,
  proofOfWork,
}: ForkSchedule): { activation: ForkActivation; time: bigint }[] {
  return activations.flatMap((activation) => {
    const { from } = activation
    if ('timestamp' in from) return [{ activation, time: from.timestamp }]
    return proofOfWork ? [] : [{ activation, time: 0n }]
  })
}
