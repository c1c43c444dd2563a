import { randomBytes } from 'node:crypto'

/** Tells one run of a chain from another: a new start or a reset is a new instance. */
export class Instance {
  #id: Uint8Array = newId()

  /** 32 bytes. */
  get id(): Uint8Array {
    return this.#id
  }

  renew(): void {
    this.#id = newId()
  }
}

function newId(): Uint8Array {
  return Uint8Array.from(randomBytes(32))
}
