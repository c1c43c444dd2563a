import type { RpcError } from './errors.js'
import { printJson } from './json.js'
import { joinPieces, type WirePiece } from './wire.js'

/** The answer to a body: what a transport writes. */
export interface Reply {
  /** HTTP status; 200 unless the provider refuses the whole request. */
  status: number
  contentType: string
  /** Written one after another. */
  pieces: readonly Uint8Array[]
  byteLength: number
  /** Whether the body was no JSON, upon which a WebSocket is closed. */
  malformed: boolean
}

/** Pieces that together stay below this many bytes are joined into one. */
const joinBelow = 65_536

/** A reply of these pieces. */
export function createReply(
  pieces: readonly WirePiece[],
  { status = 200, contentType = 'application/json', malformed = false } = {},
): Reply {
  const written = writtenPieces(pieces)
  const byteLength = written.reduce((sum, { length }) => sum + length, 0)
  return { status, contentType, pieces: written, byteLength, malformed }
}

function writtenPieces(pieces: readonly WirePiece[]): Uint8Array[] {
  if (pieces.every((piece) => typeof piece === 'string')) return [Buffer.from(pieces.join(''))]
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return length < joinBelow ? [joinPieces(pieces)] : joinStrings(pieces)
}

/** Large byte pieces stay as they are; runs of small text between them become bytes. */
function joinStrings(pieces: readonly WirePiece[]): Uint8Array[] {
  const joined: Uint8Array[] = []
  let run: WirePiece[] = []
  for (const piece of pieces) {
    if (piece.length < joinBelow) {
      run.push(piece)
      continue
    }
    if (run.length > 0) joined.push(joinPieces(run))
    run = []
    joined.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }
  if (run.length > 0) joined.push(joinPieces(run))
  return joined
}

/** The pieces of one answer; `id` is JSON text. */
export function successPieces(id: string, result: readonly WirePiece[]): WirePiece[] {
  return [`{"jsonrpc":"2.0","id":${id},"result":`, ...result, '}']
}

/** The text of one answer that is an error; `id` is JSON text. */
export function errorText(id: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${printJson(error.toObject())}}`
}
