import { skipWhitespace } from '../../encoding/jsonText.js'
import type { Pieces } from '../../encoding/timeSlice.js'
import { arrayElements, objectMembers } from './scan.js'

/** Messages of a batch that are read at once. */
const MESSAGES_AT_ONCE = 512

/** One message of a body, with what JSON-RPC 2.0 looks at. */
export interface Message {
  /** Whether `jsonrpc` is "2.0". */
  versionValid: boolean
  /** The id as it was written, or undefined if there is none that can be echoed. */
  id: string | undefined
  /** Whether the member `id` is missing altogether, as it is in a notification. */
  idAbsent: boolean
  /** Empty if there is none. */
  method: string
  /** Undefined if the member is missing. */
  params: unknown
  /** Whether there is a member `result`, or an `error` that is an object. */
  answers: boolean
}

const memberNames = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])

function emptyMessage(): Message {
  return { versionValid: false, id: undefined, idAbsent: true, method: '', params: undefined, answers: false }
}

/**
 * Reads the message whose JSON text starts at `start` and whose value is `value`.
 *
 * Names match whatever their case, the last of several wins, and the id keeps its source text, so that
 * numbers beyond 2^53 survive (geth: rpc/json.go, encoding/json).
 */
export function readMessage(value: unknown, text: string, start: number, plain: boolean): Message {
  const message = emptyMessage()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return message
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) {
    const member = members[name]
    if (name === 'id') {
      message.idAbsent = false
      message.id = idText(member, text, plain)
      if (message.id === undefined && isScalar(member)) return readMembers(text, start)
    } else if (!setMember(message, name, member) && memberNames.has(name.toLowerCase())) {
      return readMembers(text, start)
    }
  }
  return message
}

/** @returns whether it is the exact name of a member */
function setMember(message: Message, name: string, value: unknown): boolean {
  if (name === 'jsonrpc') message.versionValid = value === '2.0'
  else if (name === 'method') message.method = typeof value === 'string' ? value : ''
  else if (name === 'params') message.params = value
  else if (name === 'result') message.answers = true
  else if (name !== 'error') return false
  else if (typeof value === 'object' && value !== null) message.answers = true
  return true
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** The source text of an id where it follows from the value; undefined where the text must be looked at. */
function idText(value: unknown, text: string, plain: boolean): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return plain ? `"${value}"` : undefined
  if (typeof value !== 'number' || !plain) return undefined
  const member = text.indexOf('"id"')
  if (text.indexOf('"id"', member + 4) !== -1) return undefined
  const start = skipWhitespace(text, skipWhitespace(text, member + 4) + 1)
  const digits = String(value)
  const following = text.charAt(start + digits.length)
  return text.startsWith(digits, start) && (following === ',' || following === '}') ? digits : undefined
}

function readMembers(text: string, start: number): Message {
  const message = emptyMessage()
  for (const member of objectMembers(text, start)) {
    const name = member.name.toLowerCase()
    if (!memberNames.has(name)) continue
    const source = text.slice(member.start, member.end)
    if (name === 'id') {
      message.idAbsent = false
      message.id = source.startsWith('{') || source.startsWith('[') ? undefined : source
    } else setMember(message, name, JSON.parse(source))
  }
  return message
}

/** The messages of a batch; `values` is what the array at `start` holds. */
export function* readBatch(values: readonly unknown[], text: string, start: number): Pieces<Message[]> {
  const starts = yield* arrayElements(text, start)
  const messages: Message[] = []
  for (const [index, value] of values.entries()) {
    messages.push(readMessage(value, text, starts[index] ?? start, false))
    if (index % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) yield
  }
  return messages
}
