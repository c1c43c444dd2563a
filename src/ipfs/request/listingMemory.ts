import { MemoryPool, MemoryShare } from '../../encoding/memoryShare.js'
import { FileNetworkError } from '../errors.js'

/** Listings that are sent as one object, until they are encoded. */
const listings = new MemoryPool(256 * 1024 * 1024)

/** Maximum number of entries in such an answer. A stream has no limit. */
const MAX_ENTRIES = 1_000_000

/** Entries for which memory is claimed at once, and the approximate bytes of one. */
const ENTRIES_AT_ONCE = 1024
const BYTES_OF_ENTRY = 512

/** The memory that a request's listing takes. Long listings wait while others take too much. */
export class ListingMemory {
  readonly #share = new MemoryShare(listings)
  readonly #signal: AbortSignal
  #entries = 0

  /** @param signal - ends the listing when it is aborted */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /**
   * Counts an entry.
   *
   * @returns a promise to await before the next one if others hold too much
   * @throws FileNetworkError if there are too many
   * @throws the signal's reason if it is aborted
   */
  add(): Promise<void> | undefined {
    this.#entries += 1
    if (this.#entries > MAX_ENTRIES) {
      throw new FileNetworkError(`more than ${MAX_ENTRIES} entries in one answer`)
    }
    if (this.#entries % ENTRIES_AT_ONCE !== 0) return undefined
    this.#signal.throwIfAborted()
    return this.#share.hold(ENTRIES_AT_ONCE * BYTES_OF_ENTRY)
  }

  /** Releases everything. */
  end(): void {
    this.#share.end()
  }
}
