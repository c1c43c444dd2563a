import type { Database } from '../storage/database.js'
import type { Keyspace } from '../storage/keyspace.js'
import type { WriteBatch } from '../storage/writeBatch.js'
import type { Clock } from './mining/clock.js'
import { fromClockRecord, toClockRecord, type ClockRecord } from './mining/clockRecord.js'
import type { BlockSettings } from './mining/draft.js'
import { fromSettingsRecord, toSettingsRecord, type SettingsRecord } from './mining/settingsRecord.js'

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
  #stored = ''

  constructor(database: Database, keys: Keyspace) {
    this.#database = database
    this.#key = keys.setting(SETTING)
  }

  /** The stored progress, or undefined of a chain that never changed its own. */
  load(): Progress | undefined {
    const bytes = this.#database.get(this.#key)
    if (bytes === undefined) return undefined
    this.#stored = new TextDecoder().decode(bytes)
    return JSON.parse(this.#stored) as Progress
  }

  /** Writes a batch together with the progress, if that is another than the one that is stored. */
  write(batch: WriteBatch, progress: Progress): void {
    const text = JSON.stringify(progress)
    if (text !== this.#stored) batch.put(this.#key, new TextEncoder().encode(text))
    if (batch.operations.length > 0) this.#database.write(batch)
    this.#stored = text
  }
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
export function rememberProgress(clock: Clock, settings: BlockSettings): () => void {
  const time = clock.state
  const before = { ...settings }
  return () => {
    clock.restore(time)
    replaceSettings(settings, before)
  }
}

function replaceSettings(settings: BlockSettings, others: BlockSettings): void {
  delete settings.nextBaseFee
  delete settings.nextPrevRandao
  Object.assign(settings, others)
}
