import { CID } from 'multiformats/cid'
import { FileNetworkError } from '../errors.js'
import { WholeFloat } from './float.js'

/** Returns the kind of a value, by its name in go-ipld-prime. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (CID.asCID(value) !== null) return 'link'
  if (value instanceof Uint8Array) return 'bytes'
  if (Array.isArray(value)) return 'list'
  if (value instanceof WholeFloat) return 'float'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (typeof value === 'bigint') return 'int'
  return typeof value === 'string' ? 'string' : 'map'
}

/** A value was requested as one of another kind. */
export class WrongKindError extends FileNetworkError {
  /** @param name - go-ipld-prime's name for the node */
  constructor(value: unknown, kind: string, name = kindOf(value)) {
    const getter = `As${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
    super(
      `func called on wrong kind: "${getter}" called on a ${name} node (kind: ${kindOf(value)}), ` +
        `but only makes sense on ${kind}`,
    )
  }
}

/** A value is of another kind than its type in go-codec-dagpb. */
export class NotAssignableError extends FileNetworkError {
  constructor(type: string, value: unknown, kind: string) {
    super(
      `func called on wrong kind: "AssignNode" called on a dagpb.${type} node (kind: ${kindOf(value)}), ` +
        `but only makes sense on ${kind}`,
    )
  }
}
