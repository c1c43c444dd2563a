import { DataDirectoryError } from '../storage/errors.js'
import { MAX_NETWORKS } from '../storage/keyspace.js'
import type { Manifest } from '../storage/manifest.js'

/**
 * The numbers that chains have in the keys of a database. One that is taken is not given out again until it is given back:
 * what is opened under it comes into the manifest only later, and another network may be opened meanwhile.
 */
export class NetworkNumbers {
  readonly #manifest: Manifest
  readonly #taken = new Set<number>()

  constructor(manifest: Manifest) {
    this.#manifest = manifest
  }

  /** Takes the least number that is free: for what a network begins from. @throws DataDirectoryError if there is none */
  takeLeast(): number {
    const used = this.#used()
    let number = 0
    while (used.has(number)) number++
    return this.#take(number)
  }

  /** Takes the greatest that is free: for what resets go to and leave. @throws DataDirectoryError if there is none */
  takeGreatest(): number {
    const used = this.#used()
    let number = MAX_NETWORKS - 1
    while (used.has(number)) number--
    return this.#take(number)
  }

  /** Frees a number, unless the manifest has it by now. */
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
