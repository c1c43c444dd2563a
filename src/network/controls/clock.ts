import type { ClockControls } from '../../rpc/controls.js'
import type { ControlParts } from './parts.js'

/** The clock of a chain. */
export function createClockControls({ chain }: ControlParts): ClockControls {
  const { clock } = chain
  const headTime = () => chain.head.block.header.timestamp
  return {
    increaseTime: (seconds) => chain.adjust(() => clock.increase(seconds, headTime())),
    setTime: (timestamp) => chain.adjust(() => clock.set(timestamp)),
    setNextBlockTimestamp: (timestamp) => chain.adjust(() => clock.setNext(timestamp, headTime())),
    setBlockTimestampInterval: (seconds) => chain.adjust(() => clock.setInterval(seconds)),
    genesisTime: () => chain.view.resolve({ tag: 'earliest' })?.header.timestamp ?? 0n,
  }
}
