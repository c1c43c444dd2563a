import type { ClockState } from './clock.js'

/** A clock's state as JSON whose numbers are decimal strings. */
export interface ClockRecord {
  offset: string
  nextTimestamp?: string
  interval?: string
}

export function toClockRecord({ offset, nextTimestamp, interval }: ClockState): ClockRecord {
  return {
    offset: offset.toString(),
    ...(nextTimestamp !== undefined && { nextTimestamp: nextTimestamp.toString() }),
    ...(interval !== undefined && { interval: interval.toString() }),
  }
}

export function fromClockRecord({ offset, nextTimestamp, interval }: ClockRecord): ClockState {
  return {
    offset: BigInt(offset),
    ...(nextTimestamp !== undefined && { nextTimestamp: BigInt(nextTimestamp) }),
    ...(interval !== undefined && { interval: BigInt(interval) }),
  }
}
