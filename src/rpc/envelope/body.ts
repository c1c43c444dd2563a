import { StringDecoder } from 'node:string_decoder'
import { parseJsonInSlices } from '../../encoding/slicedJson.js'
import { skipWhitespace } from '../../encoding/json.js'
import { runToCompletion, type Steps } from '../../encoding/timeSlice.js'
import { ParseError } from '../errors.js'
import { readBatch, readMessage, readMessageInPieces, type Message, type MessageText } from './message.js'
import { deepestNesting, leaveOut, scanStructure } from './scan.js'

/** What a body holds. */
export type Body =
  | { kind: 'empty' }
  /** With the text that it was read from. */
  | { kind: 'single'; message: Message; text: string }
  | { kind: 'batch'; messages: Message[] }

/**
 * Takes a request body apart (geth: rpc/json.go).
 *
 * @throws ParseError if the body is no JSON value, or something in it is nested too deeply.
 */
export function readBody(body: Uint8Array | string): Body {
  const text = typeof body === 'string' ? body : decodeText(body)
  const start = skipWhitespace(text, 0)
  if (start === text.length) return { kind: 'empty' }
  // Most texts are too short to open as many arrays and objects.
  if (text.length > deepestNesting && runToCompletion(scanStructure(text)).isTooDeep) throw new ParseError()
  const value = parse(text)
  if (Array.isArray(value)) return { kind: 'batch', messages: runToCompletion(readBatch(value, text, start)) }
  return { kind: 'single', message: readMessage(value, wholeText(text, start)), text }
}

/** The same in pieces, for a body that is so long that other requests would wait for it. */
export function* readBodyInPieces(body: Uint8Array | string): Steps<Body> {
  const whole = typeof body === 'string' ? body : yield* decodeTextInPieces(body)
  const { isTooDeep, longSpaces } = yield* scanStructure(whole)
  const text = leaveOut(whole, longSpaces)
  const start = skipWhitespace(text, 0)
  if (start === text.length) return { kind: 'empty' }
  if (isTooDeep) throw new ParseError()
  const value = yield* parseInPieces(text)
  if (Array.isArray(value)) return { kind: 'batch', messages: yield* readBatch(value, text, start) }
  const message = yield* readMessageInPieces(value, wholeText(text, start))
  return { kind: 'single', message, text: whole }
}

function wholeText(text: string, start: number): MessageText {
  return { text, start, length: text.length - start, plain: !text.includes('\\') }
}

function decodeText(body: Uint8Array): string {
  const bytes = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return bytes.toString('utf8')
}

/** Bytes that are decoded at once. */
const PIECE_BYTES = 1024 * 1024

function* decodeTextInPieces(body: Uint8Array): Steps<string> {
  const decoder = new StringDecoder('utf8')
  const pieces: string[] = []
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    const { buffer, byteOffset } = body
    const length = Math.min(PIECE_BYTES, body.length - start)
    pieces.push(decoder.write(Buffer.from(buffer, byteOffset + start, length)))
    yield
  }
  pieces.push(decoder.end())
  return pieces.join('')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ParseError()
  }
}

function* parseInPieces(text: string): Steps<unknown> {
  try {
    return yield* parseJsonInSlices(text)
  } catch {
    throw new ParseError()
  }
}
