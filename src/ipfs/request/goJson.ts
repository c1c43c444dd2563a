import { TimeSlice } from '../../encoding/timeSlice.js'

const escaped = /[<>&\u2028\u2029]/g

/** JSON as Go's encoder writes it: `<`, `>`, `&` and the two line separators as escapes. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The same with a newline behind it. */
export function goJsonLine(value: unknown): string {
  return `${goJson(value)}\n`
}

/** Go's `omitempty`: the fields of an object that are not zero, empty or absent. */
export function omitEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 0 && value !== false,
    ),
  )
}

/** A time as Go's JSON has it: RFC 3339 in UTC with as many digits of the second as needed. */
export function formatGoTime(time: { seconds: bigint; nanoseconds: number }): string {
  const date = new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19)
  const fraction = String(time.nanoseconds).padStart(9, '0').replace(/0+$/, '')
  return fraction === '' ? `${date}Z` : `${date}.${fraction}Z`
}

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
