import { skipWhitespace } from '../../encoding/jsonText.js'
import { ParseError } from '../errors.js'
import { readBatch, readMessage, type Message } from './message.js'
import { endOfValue, isNestedTooDeep } from './scan.js'

/** What a body holds. */
export type Body =
  | { kind: 'empty' }
  /** With the text that it was read from. */
  | { kind: 'single'; message: Message; text: string }
  | { kind: 'batch'; messages: Message[] }

/**
 * Takes a request body apart. Text behind the first JSON value is ignored, as a streaming decoder does (geth: rpc/json.go).
 *
 * @throws ParseError if the body does not start with a JSON value, or something in it is nested too deeply.
 */
export function readBody(body: Uint8Array | string): Body {
  const text = typeof body === 'string' ? body : decodeText(body)
  const start = skipWhitespace(text, 0)
  if (start === text.length) return { kind: 'empty' }
  if (isNestedTooDeep(text)) throw new ParseError()
  const value = parseFirst(text, start)
  if (Array.isArray(value)) return { kind: 'batch', messages: readBatch(value, text, start) }
  return { kind: 'single', message: readMessage(value, text, start, !text.includes('\\')), text }
}

function decodeText(body: Uint8Array): string {
  const bytes = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return bytes.toString('utf8')
}

function parseFirst(text: string, start: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    try {
      return JSON.parse(text.slice(start, endOfValue(text, start)))
    } catch {
      throw new ParseError()
    }
  }
}
