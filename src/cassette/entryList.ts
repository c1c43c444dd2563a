import { type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { CassetteReader } from './cassetteReader.js'
import { prefixLength } from './closing.js'
import { LINE_START, parseAnswer } from './entry.js'
import { describeOutcome, nameOf } from './inspect.js'
import { readLines } from './lines.js'
import { matchesName } from './rules.js'

/** Maximum characters of parameters and answers in a list. */
const SHOWN_CHARACTERS = 160
/** Lines scanned in one step. */
const LINES_AT_ONCE = 64

/** Selects the entries to list. */
export interface EntryQuery {
  /** Method or file operation; `*` at the end matches anything. */
  method: string
  /** Where to continue: {@link EntryPage.next} of the previous page. */
  from: number
  /** Maximum number of entries. */
  limit: number
}

/** Entry in a list, with shortened texts. */
export interface ListedEntry {
  /** Absent for a request to the file network. */
  network?: string
  /** JSON-RPC method, or file operation. */
  method: string
  /** Parameters as JSON text, or a request to the file network. */
  params: string
  /** The result as JSON text, an HTTP response, a notification or the end of a WebSocket. */
  answer?: string
  error?: string
  /** How many times in a row the answer was recorded. */
  times: number
  /** How many times it was replayed; absent while recording, and if too many entries were used to count them all. */
  used?: number
}

/** One page of the list. */
export interface EntryPage {
  entries: ListedEntry[]
  /** Start of the next page; absent on the last one. */
  next?: number
}

/** Lists the entries of a cassette in file order, yielding to other requests. */
export function listEntries(source: EntrySource, query: EntryQuery): Promise<EntryPage> {
  return runInSlices(listing(source, query), new TimeSlice())
}

/** Cassette to list. */
export interface EntrySource {
  path: string
  /** Finds the lines of a closed cassette. */
  reader?: CassetteReader
  /** Returns how many times the answer in a line was replayed. @param offset - of the line */
  usesOf?: (offset: number) => number | undefined
}

function* listing(source: EntrySource, { method, from, limit }: EntryQuery): Steps<EntryPage> {
  const { path, reader, usesOf } = source
  const entries: ListedEntry[] = []
  for (let start: number | undefined = from; start !== undefined;) {
    let offset: number = start
    start = undefined
    let looked = 0
    for (const { bytes, isComplete } of readLines(path, offset)) {
      if (++looked % LINES_AT_ONCE === 0) yield
      const call = isComplete ? readCall(bytes) : undefined
      if (call !== undefined && matchesName(method, call.method)) {
        if (entries.length === limit) return { entries, next: offset }
        entries.push({ ...(yield* listed(bytes, call)), ...usesAt(offset, usesOf) })
      } else if (call?.followedBy !== undefined && reader !== undefined) {
        // Lines are sorted, so those of one method are contiguous.
        const next = yield* reader.lowerBound(call.followedBy)
        if (next > offset + bytes.length + 1) {
          start = next
          break
        }
      }
      offset += bytes.length + 1
    }
  }
  return { entries }
}

function usesAt(offset: number, usesOf: EntrySource['usesOf']): Pick<ListedEntry, 'used'> {
  const used = usesOf?.(offset)
  return used === undefined ? {} : { used }
}

/** Part of a line before the parameters. */
interface LineCall {
  network?: string
  method: string
  /** The request, if it is one to the file network. */
  request?: string
  /** Offset of the parameters. */
  length: number
  /** Text that sorts after all lines of the method. */
  followedBy?: string
}

const callStart = /^\{"call":\["(rpc|files)",("(?:[^"\\]|\\.)*"),(?:("(?:[^"\\]|\\.)*"),)?/
/** Upper bound for names and requests. */
const MAX_START_LENGTH = 64 * 1024

/** Returns undefined for a line that is not an entry, such as the header. */
function readCall(line: Buffer): LineCall | undefined {
  const head = line.toString('utf8', 0, Math.min(line.length, MAX_START_LENGTH))
  const [start = '', kind, first = '', second] = callStart.exec(head) ?? []
  if (kind === undefined) return undefined
  const length = Buffer.byteLength(start)
  const text = JSON.parse(first) as string
  if (kind === 'files') return { method: nameOf(['files', text, {}, '']), request: text, length }
  if (second === undefined) return undefined
  // The character that follows the comma in byte order.
  const followedBy = `${LINE_START}["rpc",${first},${second}-`
  return { network: text, method: JSON.parse(second) as string, length, followedBy }
}

function* listed(line: Buffer, { network, method, request, length }: LineCall): Steps<ListedEntry> {
  const end = yield* prefixLength(line)
  const params = request ?? line.toString('utf8', length, Math.min(end - 1, length + 4 * SHOWN_CHARACTERS))
  const { times = 1, outcome } = yield* parseAnswer(line.toString('utf8', end))
  const text = shortened(describeOutcome(outcome))
  return {
    ...(network !== undefined && { network }),
    method,
    params: shortened(params),
    ...('error' in outcome ? { error: text } : { answer: text }),
    times,
  }
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text
}
