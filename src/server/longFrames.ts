import type { WebSocket } from 'ws'
import type { IncomingMemory } from './incomingMemory.js'

/** Frames with payloads longer than this, in bytes, are assembled here. */
const LONG_PAYLOAD = 64 * 1024
const NO_MASK = Buffer.alloc(4)

/** The members used of ws's frame receiver, which the package does not export. */
interface Receiver {
  /** Received and unread bytes. */
  _buffers: Uint8Array[]
  _bufferedBytes: number
  /** Mask of the frame whose payload is awaited; otherwise undefined. */
  _mask: Uint8Array | undefined
  _payloadLength: number
  /** Bytes of the fragments of the unfinished message. */
  _messageLength: number
  _write(chunk: Uint8Array, encoding: string, done: (error?: Error) => void): void
}

const usedMembers = ['_buffers', '_bufferedBytes', '_mask', '_payloadLength', '_messageLength', '_write']

/**
 * Assembles and unmasks long frames (RFC 6455, section 5.3) chunk by chunk as they arrive. ws does both at once when a
 * frame is complete, which blocks all other connections: a tenth of a second for 30 megabytes. The sender of long
 * frames, or of many fragments of a message, waits while others hold too much memory.
 *
 * @throws Error if ws lacks the expected members
 */
export function takeLongFramesInPieces(socket: WebSocket, memory: IncomingMemory): void {
  const receiver = receiverOf(socket)
  const readFrames = receiver._write.bind(receiver)
  let payload: LongPayload | undefined
  /** Bytes of the unfinished message that are counted. */
  let counted = 0
  const proceed = (granted: Promise<void> | undefined, done: () => void): void => {
    if (granted === undefined) done()
    else void granted.then(() => done())
  }
  const write: Receiver['_write'] = (chunk, encoding, done) => {
    readFrames(chunk, encoding, (error) => {
      const length = receiver._messageLength
      // Fewer bytes are those of another message.
      const growth = length < counted ? length : length - counted
      counted = length
      if (error !== undefined || growth === 0) done(error)
      else proceed(memory.receive(growth), done)
    })
  }
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
    const granted = memory.receive(chunk.length - rest.length)
    if (payload.taken < payload.length) {
      proceed(granted, done)
      return
    }
    counted += payload.length
    receiver._buffers = [payload.bytes]
    receiver._mask = NO_MASK
    payload = undefined
    write(rest, encoding, done)
  }
}

/** A partially received payload of a frame. */
class LongPayload {
  readonly length: number
  /** Grows with the input: a header alone allocates nothing for the length it declares. */
  bytes = Buffer.allocUnsafeSlow(LONG_PAYLOAD)
  readonly #mask: Uint8Array
  /** Bytes received. */
  taken = 0

  constructor(length: number, mask: Uint8Array) {
    this.length = length
    this.#mask = Uint8Array.from(mask)
  }

  /** Consumes bytes of the payload and returns the rest. */
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
  if (!isKnown)
    throw new Error('this version of ws reads frames in a way that breaks the handling of long ones')
  return receiver as Receiver
}
