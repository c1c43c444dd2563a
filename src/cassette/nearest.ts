import { type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { CassetteReader } from './cassetteReader.js'
import { canonicalJson, isContainer, parseEntry, type RecordedCall } from './entry.js'

/** Maximum recorded calls of the same method to compare with an unrecorded one. */
const COMPARED_CALLS = 500

/** Describes why a cassette has no answer: the nearest recorded call, and where it differs. */
export function describeMiss(reader: CassetteReader, call: RecordedCall): Promise<string> {
  return runInSlices(describing(reader, call), new TimeSlice())
}

function* describing(reader: CassetteReader, call: RecordedCall): Steps<string> {
  const [kind, first, second, asked] = call
  const prefix =
    kind === 'rpc'
      ? `{"call":["rpc",${JSON.stringify(first)},${JSON.stringify(second)},`
      : `{"call":["files",`
  let nearest: { value: unknown; differences: string[] } | undefined
  let line = reader.lineRestAt(reader.lowerBound(prefix), prefix)
  for (let compared = 0; line !== undefined && compared < COMPARED_CALLS; compared++) {
    const { call: recorded } = yield* parseEntry(prefix + line.rest, reader.path)
    const differences = differencesBetween(recorded[3], asked, 'params')
    if (kind === 'files') differences.push(...differencesBetween(recorded[1], first, 'request'))
    if (
      differences.length > 0 &&
      (nearest === undefined || differences.length < nearest.differences.length)
    ) {
      nearest = { value: kind === 'rpc' ? recorded[3] : recorded[1], differences }
    }
    yield
    line = reader.lineRestAt(line.next, prefix)
  }
  const name = kind === 'rpc' ? `${second} ${shortened(canonicalJson(asked))}` : first
  if (nearest === undefined) return `the cassette has no answer to ${name}`
  return (
    `the cassette has no answer to ${name}; the nearest recorded request is ${shortened(canonicalJson(nearest.value))}, ` +
    `which differs in ${nearest.differences.slice(0, 3).join(', ')}`
  )
}

/** Returns where two values differ, with both values. */
function differencesBetween(recorded: unknown, asked: unknown, path: string): string[] {
  if (recorded === asked) return []
  if (isContainer(recorded) && isContainer(asked) && Array.isArray(recorded) === Array.isArray(asked)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(asked)])
    return [...names].flatMap((name) =>
      differencesBetween(
        (recorded as Record<string, unknown>)[name],
        (asked as Record<string, unknown>)[name],
        Array.isArray(asked) ? `${path}[${name}]` : `${path}.${name}`,
      ),
    )
  }
  return [`${path} (recorded ${shown(recorded)}, requested ${shown(asked)})`]
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  // A string may have megabytes.
  return shortened(canonicalJson(typeof value === 'string' ? value.slice(0, SHOWN) : value))
}

/** Characters of a value in a message. */
const SHOWN = 120

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text
}
