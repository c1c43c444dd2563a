import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { goQuote } from '../text/goQuote.js'
import { LINKS_AT_ONCE, type PBLink, type PBNode } from './dagPb.js'
import { NotAssignableError, WrongKindError, kindOf } from './kinds.js'

/** Fields of a node and a link, with the checks of their values. */
const nodeFields: Readonly<Record<string, (value: unknown) => void>> = {
  Data: (value) => checkScalar(value, { type: 'Bytes', kind: 'bytes' }),
  Links: (value) => checkContainer(value, { type: 'PBLinks', kind: 'list' }),
}
const linkFields: Readonly<Record<string, (value: unknown) => void>> = {
  Hash: (value) => checkScalar(value, { type: 'Link', kind: 'link' }),
  Name: (value) => checkScalar(value, { type: 'String', kind: 'string' }),
  Tsize: checkSize,
}

/** A type of go-codec-dagpb, with its kind. */
interface FieldType {
  type: string
  kind: string
}

/**
 * Checks that data has the form of a dag-pb node, in the order of its fields.
 *
 * @throws {@link FileNetworkError} with the messages of go-codec-dagpb
 */
export function* checkForm(value: unknown): Steps<PBNode> {
  checkContainer(value, { type: 'PBNode', kind: 'map' })
  for (const [name, field] of Object.entries(value as object)) {
    checkField('PBNode', nodeFields, [name, field])
    if (name !== 'Links') continue
    for (const [index, link] of (field as unknown[]).entries()) {
      if (index % LINKS_AT_ONCE === 0) yield
      checkLink(link)
    }
  }
  const node = value as PBNode
  if (!Object.hasOwn(node, 'Links')) throw new FileNetworkError('missing required fields: Links')
  const negative = node.Links.find(({ Tsize = 0 }) => Tsize < 0)
  if (negative) throw new FileNetworkError(`Link has negative Tsize value [${negative.Tsize}]`)
  return node
}

function checkLink(link: unknown): asserts link is PBLink {
  checkContainer(link, { type: 'PBLink', kind: 'map' })
  for (const field of Object.entries(link as object)) checkField('PBLink', linkFields, field)
  if (!Object.hasOwn(link as object, 'Hash')) throw new FileNetworkError('missing required fields: Hash')
}

function checkField(type: string, fields: typeof nodeFields, [name, value]: [string, unknown]): void {
  const check = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (check === undefined) {
    throw new FileNetworkError(`invalid key for map dagpb.${type}: ${goQuote(name)}: no such field`)
  }
  check(value)
}

function checkContainer(value: unknown, { type, kind }: FieldType): void {
  checkNull(value, { type, kind })
  if (kindOf(value) !== kind) throw new NotAssignableError(type, value, kind)
}

function checkScalar(value: unknown, { type, kind }: FieldType): void {
  checkNull(value, { type, kind })
  if (kindOf(value) !== kind) throw new WrongKindError(value, kind)
}

function checkSize(value: unknown): void {
  checkScalar(value, { type: 'Int', kind: 'int' })
  if (typeof value === 'bigint' && value >= 2n ** 63n) {
    throw new FileNetworkError('unsigned integer out of range of int64 type')
  }
}

function checkNull(value: unknown, { type, kind }: FieldType): void {
  if (value !== null) return
  throw new FileNetworkError(
    `func called on wrong kind: "AssignNull" called on a dagpb.${type} node (kind: ${kind}), but only makes sense on null`,
  )
}
