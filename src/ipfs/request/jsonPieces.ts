import { STRING_AT_ONCE, longString } from '../../encoding/jsonWriter.js'
import { Fields } from './command.js'

/** Children of a list or object that are encoded at once, and the characters of their texts. */
const CHILDREN_AT_ONCE = 64
const CHARACTERS_AT_ONCE = 16 * 1024

/** Escapes encoded JSON. */
type Escape = (json: string) => string

type Field = readonly [name: string, value: unknown]

/** Yields the JSON of a value: a flat one at once, any other child by child, and long texts in parts. */
export function* jsonPieces(value: unknown, escape: Escape): Generator<string> {
  if (isLongText(value)) for (const part of longString(value)) yield escape(part)
  else if (isFlat(value)) yield escape(JSON.stringify(value))
  else if (Array.isArray(value)) {
    yield '['
    yield* separated(groupsOf(value), (items) => itemPieces(items, escape))
    yield ']'
  } else {
    yield '{'
    yield* separated(groupsOf(fieldsOf(value as object)), (fields) => fieldPieces(fields, escape))
    yield '}'
  }
}

function isFlat(value: unknown): boolean {
  if (isLongText(value) || value instanceof Fields) return false
  if (!isContainer(value)) return true
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value)
  const areFew = children.length <= CHILDREN_AT_ONCE && !children.some(isContainer)
  return areFew && charactersIn(children) <= CHARACTERS_AT_ONCE
}

/** Counts the characters of the texts among values and their children. */
function charactersIn(values: readonly unknown[]): number {
  let count = 0
  for (const value of values) {
    if (typeof value === 'string') count += value.length
    else if (isContainer(value)) count += charactersIn(Object.values(value))
  }
  return count
}

/** Whether a value is a text of more characters than are encoded at once. */
function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length > STRING_AT_ONCE
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Lists the fields of an object; like `JSON.stringify`, omits undefined ones. */
function fieldsOf(value: object): Iterable<Field> {
  return value instanceof Fields
    ? value.list
    : Object.entries(value).filter(([, child]) => child !== undefined)
}

function* groupsOf<T>(children: Iterable<T>): Generator<T[]> {
  let group: T[] = []
  for (const child of children) {
    group.push(child)
    if (group.length < CHILDREN_AT_ONCE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

function* separated<T>(parts: Iterable<T>, write: (part: T) => Iterable<string>): Generator<string> {
  let isFirst = true
  for (const part of parts) {
    if (!isFirst) yield ','
    isFirst = false
    yield* write(part)
  }
}

function* itemPieces(items: unknown[], escape: Escape): Generator<string> {
  if (items.every(isFlat) && charactersIn(items) <= CHARACTERS_AT_ONCE)
    yield escape(JSON.stringify(items)).slice(1, -1)
  else yield* separated(items, (item) => jsonPieces(item, escape))
}

function* fieldPieces(fields: Field[], escape: Escape): Generator<string> {
  if (fields.every(([, value]) => isFlat(value)) && charactersIn(fields) <= CHARACTERS_AT_ONCE) {
    yield escape(JSON.stringify(Object.fromEntries(fields))).slice(1, -1)
  } else yield* separated(fields, (field) => namedPieces(field, escape))
}

function* namedPieces([name, value]: Field, escape: Escape): Generator<string> {
  yield `${escape(JSON.stringify(name))}:`
  yield* jsonPieces(value, escape)
}
