import { DataDirectoryError } from '../storage/errors.js'
import { MAX_NETWORKS } from '../storage/keyspace.js'
import type { Manifest } from '../storage/manifest.js'

/**
 * Assigns chains their numbers in database keys. A number stays taken until released, because it enters the manifest
 * only later and another network may be opened in the meantime.
 */
export class NetworkNumbers {
  readonly #manifest: Manifest
  readonly #taken = new Set<number>()

  constructor(manifest: Manifest) {
    this.#manifest = manifest
  }

  /** Takes the lowest free number, for a network's home base. @throws DataDirectoryError if there is none */
  allocateLowest(): number {
    const used = this.#used()
    let number = 0
    while (used.has(number)) number++
    return this.#take(number)
  }

  /** Takes the highest free number, for the base of a reset. @throws DataDirectoryError if there is none */
  allocateHighest(): number {
    const used = this.#used()
    let number = MAX_NETWORKS - 1
    while (used.has(number)) number--
    return this.#take(number)
  }

  /** Releases a number, which stays in use if the manifest contains it. */
  release(number: number): void {
    this.#taken.delete(number)
  }

  #take(number: number): number {
    if (number < 0 || number >= MAX_NETWORKS) {
      throw new DataDirectoryError(`A data directory has room for ${MAX_NETWORKS} chains.`)
    }
    this.#taken.add(number)
    return number
  }

  #used(): Set<number> {
    const networks = Object.values(this.#manifest.networks)
    const written = networks.flatMap(({ index, resetTo }) => (resetTo ? [index, resetTo.index] : [index]))
    return new Set([...written, ...this.#taken])
  }
}
