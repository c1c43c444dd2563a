import { InvalidParamsError } from '../errors.js'
import { type NumberNaming, type Reader, mismatch } from './readers.js'

/** Reads all arguments of a method. */
export type ArgumentsReader = (params: readonly unknown[]) => unknown[]

/** An argument; optional if wrapped in an array. */
export type Item = Reader | readonly [Reader]

/** How a node reports argument lists of the wrong length. */
export interface ListErrors {
  /** Rust enum of the node's requests. */
  requests: string
  naming: NumberNaming
  /** Returns the message for a list with too many items. */
  excess: (length: number) => string
}

/** Makes readers of argument lists. */
export class ArgumentLists {
  readonly #errors: ListErrors

  constructor(errors: ListErrors) {
    this.#errors = errors
  }

  /** No arguments (foundry and EDR: empty sequence). */
  readonly none: ArgumentsReader = (params) => {
    for (const value of params) {
      if (value !== null) throw mismatch(value, 'unit', this.#errors.naming)
    }
    if (params.length > 0) throw wrongLength(0, params)
    return []
  }

  /** One argument; all given ones are read before they are counted. */
  one(reader: Reader): ArgumentsReader {
    return (params) => {
      const read = params.map((value) => reader(value))
      if (read.length !== 1) throw wrongLength(1, params)
      return read
    }
  }

  /** Several arguments in order; `name` is the request's name in the node. */
  several(name: string, ...items: readonly Item[]): ArgumentsReader {
    return this.#inOrder(
      `tuple variant ${this.#errors.requests}::${name} with ${items.length} elements`,
      items,
    )
  }

  /** A one-element array. */
  alone(reader: Reader): ArgumentsReader {
    return this.#inOrder('an array of length 1', [reader])
  }

  #inOrder(expected: string, items: readonly Item[]): ArgumentsReader {
    return (params) => {
      const read = items.map((item, at) => {
        const isOptional = typeof item !== 'function'
        if (at < params.length) return (isOptional ? item[0] : item)(params[at])
        if (isOptional) return undefined
        throw new InvalidParamsError(`invalid length ${params.length}, expected ${expected}`)
      })
      if (params.length <= items.length) return read.slice(0, params.length)
      throw new InvalidParamsError(this.#errors.excess(params.length))
    }
  }
}

function wrongLength(wanted: number, { length }: readonly unknown[]): InvalidParamsError {
  return new InvalidParamsError(`expected params sequence with length ${wanted} but got ${length}`)
}

/** Assigns one reader to all methods of a list. */
export function readBy(reader: ArgumentsReader, names: string): Record<string, ArgumentsReader> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, reader]),
  )
}
