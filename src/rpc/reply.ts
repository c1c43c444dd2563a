import type { RpcError } from './errors.js'
import { printJson } from './json.js'
import { countBytes, joinPieces, type WirePiece } from './wire.js'

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
  const byteLength = countBytes(pieces)
  const bytes =
    byteLength < joinBelow
      ? [pieces.length === 1 && typeof pieces[0] === 'string' ? Buffer.from(pieces[0]) : joinPieces(pieces)]
      : joinStrings(pieces)
  return { status, contentType, pieces: bytes, byteLength, malformed }
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
