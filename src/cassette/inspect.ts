import { existsSync, readdirSync, rmSync, writeFileSync, appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodiesDirectory } from './bodies.js'
import { CassetteReader } from './cassetteReader.js'
import { closeCassette } from './closing.js'
import { canonicalJson, formatEntry, linePrefix, type CassetteEntry, type RecordedCall } from './entry.js'
import { formatHeader } from './header.js'
import { matchesName } from './rules.js'

/** Maximum characters of a printed line. */
const SHOWN_CHARACTERS = 160

/** Returns the method of a call, or the operation or path of a request to the file network. */
export function nameOf(call: RecordedCall): string {
  if (call[0] === 'rpc') return call[2]
  return new URL(call[1].slice(call[1].indexOf(' ') + 1), 'http://files').pathname.replace(/^\/api\/v0\//, '')
}

/**
 * Describes the entries of a cassette, one per line. @param pattern - names to show; `*` at the end matches anything
 */
export async function* showCassette(path: string, pattern: string): AsyncGenerator<string, void, undefined> {
  const reader = await CassetteReader.open(path)
  try {
    for (const { entry, line } of reader.entries()) {
      if (matchesName(pattern, nameOf(entry.call))) yield `${line}: ${describe(entry)}`
    }
  } finally {
    reader.close()
  }
}

/** Yields the differences between two cassettes: `-` only in the first, `+` only in the second. */
export async function* diffCassettes(first: string, second: string): AsyncGenerator<string, void, undefined> {
  const [a, b] = [await CassetteReader.open(first), await CassetteReader.open(second)]
  try {
    const [left, right] = [a.entries(), b.entries()]
    let [one, other] = [left.next(), right.next()]
    while (!one.done || !other.done) {
      const order = one.done ? 1 : other.done ? -1 : compareEntries(one.value.entry, other.value.entry)
      if (order === 0 && !one.done && !other.done) {
        const [before, after] = [one.value.entry, other.value.entry]
        if (formatEntry(before) !== formatEntry(after)) {
          yield `- ${describe(before)}`
          yield `+ ${describe(after)}`
        }
      } else if (order < 0 && !one.done) yield `- ${describe(one.value.entry)}`
      else if (!other.done) yield `+ ${describe(other.value.entry)}`
      if (order <= 0) one = left.next()
      if (order >= 0) other = right.next()
    }
  } finally {
    a.close()
    b.close()
  }
}

/**
 * Removes entries by name, and bodies that no entry names any more.
 *
 * @param pattern - names to remove; `*` at the end matches anything
 * @returns the numbers of removed entries and bodies
 */
export async function pruneCassette(
  path: string,
  pattern: string | undefined,
): Promise<{ entries: number; bodies: number }> {
  const reader = await CassetteReader.open(path)
  const kept = new Set<string>()
  const target = `${path}.pruned`
  let removed = 0
  try {
    writeFileSync(target, `${formatHeader({ rules: reader.header.rules, tags: reader.header.tags })}\n`, {
      mode: 0o600,
    })
    let lines: string[] = []
    for (const { entry } of reader.entries()) {
      if (pattern !== undefined && matchesName(pattern, nameOf(entry.call))) {
        removed++
        continue
      }
      if ('http' in entry.outcome && entry.outcome.http.body !== undefined) kept.add(entry.outcome.http.body)
      lines.push(`${formatEntry(entry)}\n`)
      if (lines.length < 1000) continue
      appendFileSync(target, lines.join(''))
      lines = []
    }
    appendFileSync(target, lines.join(''))
  } finally {
    reader.close()
  }
  await closeCassette(target, path)
  const directory = bodiesDirectory(path)
  const unused = existsSync(directory) ? readdirSync(directory).filter((name) => !kept.has(name)) : []
  for (const name of unused) rmSync(join(directory, name), { recursive: true })
  return { entries: removed, bodies: unused.length }
}

function compareEntries(a: CassetteEntry, b: CassetteEntry): number {
  const byCall = Buffer.compare(Buffer.from(linePrefix(a.call)), Buffer.from(linePrefix(b.call)))
  return byCall || a.nth - b.nth || eventOf(a) - eventOf(b)
}

function eventOf({ outcome }: CassetteEntry): number {
  return 'event' in outcome ? outcome.event : 0
}

function describe({ call, nth, times = 1, outcome }: CassetteEntry): string {
  const asked = call[0] === 'rpc' ? `${call[1]} ${call[2]} ${canonicalJson(call[3])}` : call[1]
  const place = nth === 1 && times === 1 ? '' : times === 1 ? ` #${nth}` : ` #${nth} ×${times}`
  const text = `${asked}${place} → ${describeOutcome(outcome)}`
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text
}

/** Describes how a call ended, in one line. */
export function describeOutcome(outcome: CassetteEntry['outcome']): string {
  if ('error' in outcome) return `error ${outcome.error.code}: ${outcome.error.message}`
  if ('http' in outcome) {
    const { status, text, body } = outcome.http
    return `HTTP ${status} ${body === undefined ? (text ?? '') : `body ${body}`}`.trim()
  }
  const what = 'close' in outcome ? `WebSocket closed with ${outcome.close.code}` : outcome.resultText
  return 'event' in outcome ? `event ${outcome.event}: ${what}` : what
}
