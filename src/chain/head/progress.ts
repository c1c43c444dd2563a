import { bytesEqual, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import type { Database, WriteBatch } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import type { BlockSettings } from '../mining/producer.js'
import type { Clock, ClockState } from '../mining/schedule.js'

/** Where the operator has taken a chain besides its blocks: its clock and what coming blocks get. */
export interface Progress {
  clock: ClockRecord
  settings: SettingsRecord
}

const SETTING = 'progress'

/** Keeps the progress of a chain on disk, so that a restart goes on where it was. */
export class ProgressStore {
  readonly #database: Database
  readonly #key: Uint8Array
  #stored: { clock: ClockState; settings: BlockSettings } | undefined

  constructor(database: Database, keys: Keyspace) {
    this.#database = database
    this.#key = keys.setting(SETTING)
  }

  /** The stored progress, or undefined of a chain that never changed its own. */
  load(): Progress | undefined {
    const bytes = this.#database.get(this.#key)
    if (bytes === undefined) return undefined
    const progress = JSON.parse(new TextDecoder().decode(bytes)) as Progress
    this.#stored = { clock: fromClockRecord(progress.clock), settings: fromSettingsRecord(progress.settings) }
    return progress
  }

  /** Writes a batch together with the progress, if that is another than the one that is stored: few blocks change it. */
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

/** Whether what is stored of settings is the same. */
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

/** The progress as it is now. */
export function currentProgress(clock: Clock, settings: BlockSettings): Progress {
  return { clock: toClockRecord(clock.state), settings: toSettingsRecord(settings) }
}

/** Takes a clock and settings to a stored progress; settings change in place. */
export function applyProgress(progress: Progress, clock: Clock, settings: BlockSettings): void {
  clock.restore(fromClockRecord(progress.clock))
  replaceSettings(settings, fromSettingsRecord(progress.settings))
}

/** Remembers a clock and settings. @returns a function that takes them back there */
export function captureProgress(clock: Clock, settings: BlockSettings): () => void {
  const time = clock.state
  const before = { ...settings }
  return () => {
    clock.restore(time)
    replaceSettings(settings, before)
  }
}

/** Generators of randomness are kept or not as the node was started, whatever others have. */
function replaceSettings(settings: BlockSettings, others: BlockSettings): void {
  const { randomness } = settings
  delete settings.nextBaseFee
  delete settings.nextPrevRandao
  Object.assign(settings, others)
  if (randomness === undefined) delete settings.randomness
}

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

/** Block settings as JSON: numbers are decimal strings, bytes hexadecimal ones without a prefix. */
export interface SettingsRecord {
  gasLimit: string
  coinbase: string
  extraData: string
  nextBaseFee?: string
  nextPrevRandao?: string
  randomness?: { prevRandao: string; parentBeaconBlockRoot: string }
}

export function toSettingsRecord(settings: BlockSettings): SettingsRecord {
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

export function fromSettingsRecord(record: SettingsRecord): BlockSettings {
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
