import { keysOf } from '../encoding/jsonKeys.js'
import { type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { CassetteReader } from './cassetteReader.js'
import { canonicalJson, canonicalStart, isContainer, parseEntry, type RecordedCall } from './entry.js'

/** Maximum recorded calls of the same method to compare with an unrecorded one. */
const COMPARED_CALLS = 500

/** Describes why a cassette has no answer: the nearest recorded call, and where it differs. */
export async function describeMiss(reader: CassetteReader, call: RecordedCall): Promise<string> {
  const slice = new TimeSlice()
  // A batch may miss a thousand calls at once.
  await slice.pause()
  return runInSlices(describing(reader, call), slice)
}

function* describing(reader: CassetteReader, call: RecordedCall): Steps<string> {
  const [kind, first, second, asked] = call
  const prefix =
    kind === 'rpc'
      ? `{"call":["rpc",${JSON.stringify(first)},${JSON.stringify(second)},`
      : `{"call":["files",`
  let nearest: { value: unknown; differences: Differences } | undefined
  let line = yield* reader.lineRestAt(yield* reader.lowerBound(prefix), prefix)
  for (let compared = 0; line !== undefined && compared < COMPARED_CALLS; compared++) {
    const { call: recorded } = yield* parseEntry(prefix + line.rest, reader.path)
    const differences = { count: 0, limit: nearest?.differences.count ?? COUNTED, shown: [], members: 0 }
    yield* compare(recorded[3], asked, { path: 'params', differences })
    if (kind === 'files') yield* compare(recorded[1], first, { path: 'request', differences })
    if (differences.count > 0 && (nearest === undefined || differences.count < differences.limit)) {
      nearest = { value: kind === 'rpc' ? recorded[3] : recorded[1], differences }
    }
    yield
    line = yield* reader.lineRestAt(line.next, prefix)
  }
  const name = kind === 'rpc' ? `${second} ${yield* shown(asked)}` : first
  if (nearest === undefined) return `the cassette has no answer to ${name}`
  return (
    `the cassette has no answer to ${name}; the nearest recorded request is ${yield* shown(nearest.value)}, ` +
    `which differs in ${nearest.differences.shown.join(', ')}`
  )
}

/** Where a recorded call differs from the requested one. */
interface Differences {
  count: number
  /** Count at which another call is as near, and counting ends. */
  readonly limit: number
  /** The first differences, with both values. */
  readonly shown: string[]
  /** Members compared so far. */
  members: number
}

/** Differences named in a message. */
const NAMED = 3

/** Maximum number of differences to count: calls with more are equally far. */
const COUNTED = 1000

/** Members compared between two yields. */
const MEMBERS_AT_ONCE = 256

/** Counts where two values differ. */
function* compare(
  recorded: unknown,
  asked: unknown,
  place: { path: string; differences: Differences },
): Steps<void> {
  const { path, differences } = place
  if (recorded === asked || differences.count >= differences.limit) return
  if (isContainer(recorded) && isContainer(asked) && Array.isArray(recorded) === Array.isArray(asked)) {
    for (const name of namesOf(recorded, asked)) {
      if (++differences.members % MEMBERS_AT_ONCE === 0) yield
      yield* compare((recorded as Members)[name], (asked as Members)[name], {
        path: Array.isArray(asked) ? `${path}[${name}]` : `${path}.${name}`,
        differences,
      })
      if (differences.count >= differences.limit) return
    }
    return
  }
  if (++differences.count > NAMED) return
  differences.shown.push(
    `${path} (recorded ${recorded === undefined ? 'nothing' : yield* shown(recorded)}, ` +
      `requested ${asked === undefined ? 'nothing' : yield* shown(asked)})`,
  )
}

type Members = Readonly<Record<string | number, unknown>>

/** Returns the names of the members of two objects or arrays. */
function* namesOf(recorded: object, asked: object): Generator<string | number> {
  if (Array.isArray(recorded) && Array.isArray(asked)) {
    for (let index = 0; index < Math.max(recorded.length, asked.length); index++) yield index
    return
  }
  yield* keysOf(recorded)
  for (const name of keysOf(asked)) if (!Object.hasOwn(recorded, name)) yield name
}

/** Characters of a value in a message. */
const SHOWN = 120

function* shown(value: unknown): Steps<string> {
  // A string may have megabytes.
  const text =
    typeof value === 'string' ? canonicalJson(value.slice(0, SHOWN)) : yield* canonicalStart(value, SHOWN + 1)
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text
}
