import type { ClockState } from './clock.js'

/** A clock's state as JSON whose numbers are decimal strings. */
export interface ClockRecord {
  offset: string
  nextTimestamp?: string
  interval?: string
  earliest?: string
}

export function toClockRecord({ offset, nextTimestamp, interval, earliest }: ClockState): ClockRecord {
  return {
    offset: offset.toString(),
    nextTimestamp: nextTimestamp?.toString(),
    interval: interval?.toString(),
    earliest: earliest?.toString(),
  }
}

export function fromClockRecord({ offset, nextTimestamp, interval, earliest }: ClockRecord): ClockState {
  return {
    offset: BigInt(offset),
    ...(nextTimestamp !== undefined && { nextTimestamp: BigInt(nextTimestamp) }),
    ...(interval !== undefined && { interval: BigInt(interval) }),
    ...(earliest !== undefined && { earliest: BigInt(earliest) }),
  }
}
