import type { ApiKey } from './apiKey.js'

/** The keys that are known now. A change takes effect with the next request and touches no other key. */
export class KeyStore {
  readonly #keys = new Map<string, ApiKey>()

  constructor(keys: Iterable<ApiKey>) {
    for (const key of keys) this.set(key)
  }

  get(key: string): ApiKey | undefined {
    return this.#keys.get(key)
  }

  /** Adds a key, or puts it in place of the one of the same name. */
  set(key: ApiKey): void {
    this.#keys.set(key.key, key)
  }

  /** @returns whether there was such a key */
  delete(key: string): boolean {
    return this.#keys.delete(key)
  }

  list(): ApiKey[] {
    return [...this.#keys.values()]
  }
}
