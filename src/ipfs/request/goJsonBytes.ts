import { TimeSlice } from '../../encoding/timeSlice.js'
import { goJson } from './goJson.js'

/** Children of a list or an object that are written at once. */
const childrenAtOnce = 64
/** Characters that are gathered before they are encoded. */
const charactersAtOnce = 65_536

/**
 * The bytes of what `goJsonLine` writes. Other requests have their turn while it is written: a value may list a million
 * entries. A map is written as an object: one of a million fields could only be looked at as a whole.
 */
export async function goJsonBytes(value: unknown): Promise<Uint8Array> {
  const slice = new TimeSlice()
  const encoded: Uint8Array[] = []
  let text = ''
  for (const piece of pieces(value)) {
    text += piece
    if (text.length < charactersAtOnce) continue
    encoded.push(Buffer.from(text))
    text = ''
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return Buffer.concat([...encoded, Buffer.from(`${text}\n`)])
}

type Field = [name: string, value: unknown]

/** The text of a value. What has others inside it that have others inside them is taken apart. */
function* pieces(value: unknown): Generator<string> {
  if (isFlat(value)) yield goJson(value)
  else if (Array.isArray(value)) {
    yield '['
    yield* separated(groupsOf(value), itemPieces)
    yield ']'
  } else {
    yield '{'
    yield* separated(groupsOf(fieldsOf(value as object)), fieldPieces)
    yield '}'
  }
}

function isFlat(value: unknown): boolean {
  if (!isContainer(value)) return true
  if (value instanceof Map) return false
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return children.length <= childrenAtOnce && !children.some(isContainer)
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** As in `JSON.stringify`, a field without a value is left out. */
function fieldsOf(value: object): Iterable<Field> {
  return value instanceof Map ? value : Object.entries(value).filter(([, child]) => child !== undefined)
}

function* groupsOf<T>(children: Iterable<T>): Generator<T[]> {
  let group: T[] = []
  for (const child of children) {
    group.push(child)
    if (group.length < childrenAtOnce) continue
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

function* itemPieces(items: unknown[]): Generator<string> {
  if (items.every(isFlat)) yield goJson(items).slice(1, -1)
  else yield* separated(items, pieces)
}

function* fieldPieces(fields: Field[]): Generator<string> {
  if (fields.every(([, value]) => isFlat(value))) yield goJson(Object.fromEntries(fields)).slice(1, -1)
  else yield* separated(fields, namedPieces)
}

function* namedPieces([name, value]: Field): Generator<string> {
  yield `${goJson(name)}:`
  yield* pieces(value)
}
