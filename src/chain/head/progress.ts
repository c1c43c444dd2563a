import { bytesEqual, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import type { Database, WriteBatch } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import type { BlockSettings } from '../mining/producer.js'
import type { Clock, ClockState } from '../mining/schedule.js'

/** The operator's changes to a chain besides its blocks: its clock, and settings for coming blocks. */
export interface Progress {
  clock: ClockRecord
  settings: SettingsRecord
}

const SETTING = 'progress'

/** Stores the progress of a chain, so that a restart continues from it. */
export class ProgressStore {
  readonly #database: Database
  readonly #key: Uint8Array
  #stored: { clock: ClockState; settings: BlockSettings } | undefined

  constructor(database: Database, keys: Keyspace) {
    this.#database = database
    this.#key = keys.setting(SETTING)
  }

  /** Loads the stored progress; undefined if the chain never changed it. */
  load(): Progress | undefined {
    const bytes = this.#database.get(this.#key)
    if (bytes === undefined) return undefined
    const progress = JSON.parse(new TextDecoder().decode(bytes)) as Progress
    this.#stored = { clock: fromClockRecord(progress.clock), settings: fromSettingsRecord(progress.settings) }
    return progress
  }

  /** Writes a batch, including the progress if it has changed, which is the case for few blocks. */
  write(batch: WriteBatch, clock: Clock, settings: BlockSettings): void {
    const stored = this.#stored
    const time = clock.state
    const isStored =
      stored !== undefined && isSameClock(stored.clock, time) && areSameSettings(stored.settings, settings)
    if (!isStored) {
      const text = JSON.stringify(currentProgress(clock, settings))
      batch.put(this.#key, new TextEncoder().encode(text))
    }
    if (batch.operations.length > 0) this.#database.write(batch)
    if (!isStored) this.#stored = { clock: time, settings: { ...settings } }
  }
}

function isSameClock(one: ClockState, other: ClockState): boolean {
  return (
    one.offset === other.offset &&
    one.nextTimestamp === other.nextTimestamp &&
    one.interval === other.interval &&
    one.earliest === other.earliest
  )
}

/** Whether the stored parts of settings are equal. */
function areSameSettings(one: BlockSettings, other: BlockSettings): boolean {
  return (
    one.gasLimit === other.gasLimit &&
    one.nextBaseFee === other.nextBaseFee &&
    isSameBytes(one.coinbase, other.coinbase) &&
    isSameBytes(one.extraData, other.extraData) &&
    isSameBytes(one.nextPrevRandao, other.nextPrevRandao) &&
    isSameBytes(one.randomness?.prevRandao, other.randomness?.prevRandao)
  )
}

function isSameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && bytesEqual(one, other))
}

/** Returns the current progress. */
export function currentProgress(clock: Clock, settings: BlockSettings): Progress {
  return { clock: toClockRecord(clock.state), settings: toSettingsRecord(settings) }
}

/** Applies a stored progress to a clock and settings, which are modified in place. */
export function applyProgress(progress: Progress, clock: Clock, settings: BlockSettings): void {
  clock.restore(fromClockRecord(progress.clock))
  replaceSettings(settings, fromSettingsRecord(progress.settings))
}

/** Captures a clock and settings. @returns a function that restores them */
export function captureProgress(clock: Clock, settings: BlockSettings): () => void {
  const time = clock.state
  const before = { ...settings }
  return () => {
    clock.restore(time)
    replaceSettings(settings, before)
  }
}

/** Whether there are generators of randomness depends on how the node was started, not on the replacement. */
function replaceSettings(settings: BlockSettings, others: BlockSettings): void {
  const { randomness } = settings
  delete settings.nextBaseFee
  delete settings.nextPrevRandao
  Object.assign(settings, others)
  if (randomness === undefined) delete settings.randomness
}

/** A clock's state as JSON, with numbers as decimal strings. */
export interface ClockRecord {
  offset: string
  nextTimestamp?: string
  interval?: string
  earliest?: string
}

/** Converts a clock's state to its stored form. */
function toClockRecord({ offset, nextTimestamp, interval, earliest }: ClockState): ClockRecord {
  return {
    offset: offset.toString(),
    nextTimestamp: nextTimestamp?.toString(),
    interval: interval?.toString(),
    earliest: earliest?.toString(),
  }
}

/** Reverses {@link toClockRecord}. */
function fromClockRecord({ offset, nextTimestamp, interval, earliest }: ClockRecord): ClockState {
  return {
    offset: BigInt(offset),
    ...(nextTimestamp !== undefined && { nextTimestamp: BigInt(nextTimestamp) }),
    ...(interval !== undefined && { interval: BigInt(interval) }),
    ...(earliest !== undefined && { earliest: BigInt(earliest) }),
  }
}

/** Block settings as JSON, with numbers as decimal strings and bytes as unprefixed hexadecimal strings. */
export interface SettingsRecord {
  gasLimit: string
  coinbase: string
  extraData: string
  nextBaseFee?: string
  nextPrevRandao?: string
  randomness?: { prevRandao: string; parentBeaconBlockRoot: string }
}

/** Converts block settings to their stored form. */
function toSettingsRecord(settings: BlockSettings): SettingsRecord {
  const { gasLimit, coinbase, extraData, nextBaseFee, nextPrevRandao, randomness } = settings
  return {
    gasLimit: gasLimit.toString(),
    coinbase: bytesToPlainHex(coinbase),
    extraData: bytesToPlainHex(extraData),
    nextBaseFee: nextBaseFee?.toString(),
    nextPrevRandao: nextPrevRandao && bytesToPlainHex(nextPrevRandao),
    randomness: randomness && {
      prevRandao: bytesToPlainHex(randomness.prevRandao),
      parentBeaconBlockRoot: bytesToPlainHex(randomness.parentBeaconBlockRoot),
    },
  }
}

/** Reverses {@link toSettingsRecord}. */
function fromSettingsRecord(record: SettingsRecord): BlockSettings {
  const { nextBaseFee, nextPrevRandao, randomness } = record
  return {
    gasLimit: BigInt(record.gasLimit),
    coinbase: hexToBytes(record.coinbase),
    extraData: hexToBytes(record.extraData),
    ...(nextBaseFee !== undefined && { nextBaseFee: BigInt(nextBaseFee) }),
    ...(nextPrevRandao !== undefined && { nextPrevRandao: hexToBytes(nextPrevRandao) }),
    ...(randomness !== undefined && {
      randomness: {
        prevRandao: hexToBytes(randomness.prevRandao),
        parentBeaconBlockRoot: hexToBytes(randomness.parentBeaconBlockRoot),
      },
    }),
  }
}
