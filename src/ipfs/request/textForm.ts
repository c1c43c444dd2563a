import { latin1 } from '../../encoding/hex.js'
import { STRING_AT_ONCE, partsOf } from '../../encoding/jsonWriter.js'
import { Portion, sortInSteps } from '../../encoding/sorting.js'
import { bytesOfText, wellFormed } from '../../encoding/byteText.js'
import { goEscape } from '../text/goQuote.js'

/* Helpers for answers in text, formatted like Go's packages and Kubo. */

/** Formats a size in a few digits, such as `1.2 kB` (go-humanize, `Bytes`). */
export function humanBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']
  if (bytes < 10) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1000)), units.length - 1)
  const value = Math.floor((bytes / 1000 ** power) * 10 + 0.5) / 10
  return `${value < 10 ? value.toFixed(1) : roundedToEven(value)} ${units[power]}`
}

/** Rounds like Go's `%.0f`: halves to the even neighbour. */
function roundedToEven(value: number): number {
  const whole = Math.floor(value)
  return value - whole === 0.5 ? whole + (whole % 2) : Math.round(value)
}

/**
 * Escapes a name that has backslashes or unprintable characters (Kubo, `EscNonPrint`). Bytes that are not UTF-8 are no
 * reason to.
 */
export function printable(name: string): string {
  const known = wellFormed(name)
  return goEscape(known, { quote: '' }) === known ? name : goEscape(name, { quote: '' })
}

/** Like {@link printable}, but yields empty pieces as pauses: a name may have megabytes. */
export function* printableWithPauses(name: string): Generator<string, string> {
  if (name.length <= STRING_AT_ONCE) return printable(name)
  const escaped: string[] = []
  let isPrintable = true
  for (const part of partsOf(name)) {
    isPrintable &&= printable(part) === part
    escaped.push(goEscape(part, { quote: '' }))
    yield ''
  }
  return isPrintable ? name : escaped.join('')
}

/** Lines formatted between two yields; an empty piece is yielded for each pause. */
export const LINES_AT_ONCE = 1024

/**
 * Aligns tab-terminated cells in columns. A column is as wide as its widest cell plus a space, over consecutive lines
 * that have it; text after a line's last tab belongs to no column (Go, `text/tabwriter`).
 */
export function* inColumns(lines: readonly string[], { leastWidth = 0 } = {}): Generator<string> {
  /** Column widths by row; consecutive rows share the entry of a column. */
  const widths: { width: number }[][] = []
  const portion = new Portion(LINES_AT_ONCE)
  for (const [index, line] of lines.entries()) {
    const above = widths[index - 1] ?? []
    const cells = line.split('\t').slice(0, -1)
    widths.push(
      cells.map((cell, column) => {
        const shared = above[column] ?? { width: leastWidth }
        shared.width = Math.max(shared.width, charactersIn(cell) + 1)
        return shared
      }),
    )
    if (portion.add(line.length)) yield ''
  }
  // Split again: there may be a million lines.
  for (const [index, line] of lines.entries()) {
    const padded = line.split('\t').map((cell, column) => {
      const width = widths[index]?.[column]?.width
      return width === undefined ? cell : cell + ' '.repeat(width - charactersIn(cell))
    })
    yield `${padded.join('')}\n`
  }
}

function charactersIn(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; count++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  return count
}

/** Appends a newline to each text. */
export function* linesOfText(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}\n`
}

interface Named<T> {
  item: T
  /** The name's bytes as characters. */
  key: string
}

/** Sorts items by the bytes of their names; yields empty pieces as pauses. */
export function* inOrder<T>(items: readonly T[], nameOf: (item: T) => string): Generator<string, T[]> {
  const named: Named<T>[] = []
  const portion = new Portion(LINES_AT_ONCE)
  for (const item of items) {
    const key = latin1(bytesOfText(nameOf(item)))
    named.push({ item, key })
    if (portion.add(key.length)) yield ''
  }
  const compare = (a: Named<T>, b: Named<T>): number => (a.key < b.key ? -1 : Number(a.key > b.key))
  const steps = sortInSteps(named, compare, ({ key }) => key.length)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value.map(({ item }) => item)
    yield ''
  }
}
