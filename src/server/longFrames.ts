import type { WebSocket } from 'ws'

/** Frames with longer payloads, in bytes, are put together here. */
const LONG_PAYLOAD = 64 * 1024
const NO_MASK = Buffer.alloc(4)

/** What this file uses of the object of ws that reads frames, which the package does not export. */
interface Receiver {
  /** What has come and is not read yet. */
  _buffers: Uint8Array[]
  _bufferedBytes: number
  /** Of the frame whose payload is awaited, otherwise undefined. */
  _mask: Uint8Array | undefined
  _payloadLength: number
  _write(chunk: Uint8Array, encoding: string, done: (error?: Error) => void): void
}

const usedMembers = ['_buffers', '_bufferedBytes', '_mask', '_payloadLength', '_write']

/**
 * Puts long frames together and unmasks them (RFC 6455, section 5.3) chunk by chunk, as they come. ws does both in one piece
 * when a frame is there as a whole, for which all other connections would wait: a tenth of a second for 30 megabytes.
 *
 * @throws Error if ws no longer has what this takes
 */
export function takeLongFramesInPieces(socket: WebSocket): void {
  const receiver = receiverOf(socket)
  const write = receiver._write.bind(receiver)
  let payload: LongPayload | undefined
  receiver._write = (chunk, encoding, done) => {
    if (payload === undefined) {
      const { _mask: mask, _payloadLength: length } = receiver
      if (mask === undefined || length <= LONG_PAYLOAD) {
        write(chunk, encoding, done)
        return
      }
      payload = new LongPayload(length, mask)
      for (const part of receiver._buffers) payload.take(part)
      receiver._buffers = []
    }
    const rest = payload.take(chunk)
    receiver._bufferedBytes = payload.taken
    if (payload.taken < payload.length) {
      done()
      return
    }
    receiver._buffers = [payload.bytes]
    receiver._mask = NO_MASK
    payload = undefined
    write(rest, encoding, done)
  }
}

/** The payload of a frame of which a part has come. */
class LongPayload {
  readonly length: number
  /** Grows with what comes: a header alone takes no memory for what it announces. */
  bytes = Buffer.allocUnsafeSlow(LONG_PAYLOAD)
  readonly #mask: Uint8Array
  /** How many bytes have come. */
  taken = 0

  constructor(length: number, mask: Uint8Array) {
    this.length = length
    this.#mask = Uint8Array.from(mask)
  }

  /** Takes what belongs to the payload, and returns what stands behind. */
  take(chunk: Uint8Array): Uint8Array {
    const start = this.taken
    const count = Math.min(chunk.length, this.length - start)
    if (start + count > this.bytes.length) {
      const known = this.bytes
      this.bytes = Buffer.allocUnsafeSlow(Math.min(this.length, Math.max(2 * known.length, start + count)))
      known.copy(this.bytes, 0, 0, start)
    }
    const { bytes } = this
    for (let i = 0; i < count; i++) {
      bytes[start + i] = (chunk[i] as number) ^ (this.#mask[(start + i) & 3] as number)
    }
    this.taken = start + count
    return chunk.subarray(count)
  }
}

function receiverOf(socket: WebSocket): Receiver {
  const receiver: unknown = Reflect.get(socket, '_receiver')
  const isKnown =
    typeof receiver === 'object' && receiver !== null && usedMembers.every((name) => name in receiver)
  if (!isKnown) throw new Error('ws no longer reads frames in the way that long ones are taken here')
  return receiver as Receiver
}
