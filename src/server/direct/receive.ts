import type { Duplex } from 'node:stream'

/** Bytes that one read of a socket gives at most, as libuv suggests it. */
const roomForRead = 65_536

/** What all sockets are read into: whoever is handed a part of it is done with that before the next read. */
const room = Buffer.allocUnsafeSlow(roomForRead)

/**
 * What `onread` sets on a socket that connects (`lib/net.js`). Sockets that a server accepts have the same members, but
 * no option for them.
 */
interface Members {
  buffer: symbol
  callback: symbol
}

/**
 * Hands over each part of what comes from a socket that was just accepted, in memory that is written again with the next
 * part that any socket receives. Listeners of `data` cost 64 KiB of new memory for each read, and the way through the
 * stream.
 *
 * Where Node has other members than are known here the parts come by `data`. So they do on Windows, whose sockets hold
 * the memory of their next read while they wait for it.
 *
 * @returns what ends it: from then on the socket is a stream like any other
 */
export function receive(socket: Duplex, take: (part: Buffer) => void): () => void {
  const members = membersOf(socket)
  if (members === undefined || process.platform === 'win32') {
    socket.on('data', take)
    return () => socket.off('data', take)
  }
  let isStream = false
  const accepted = socket as AcceptedSocket
  accepted[members.buffer] = room
  accepted[members.callback] = (length: number): boolean => {
    const part = room.subarray(0, length)
    if (isStream) return socket.push(Buffer.from(part))
    take(part)
    return true
  }
  accepted._handle?.useUserBuffer?.(room)
  return () => {
    isStream = true
  }
}

interface AcceptedSocket extends Duplex {
  _handle?: { useUserBuffer?: (buffer: Buffer) => void }
  [member: symbol]: unknown
}

function membersOf(socket: Duplex): Members | undefined {
  if ((socket as AcceptedSocket)._handle?.useUserBuffer === undefined) return undefined
  const symbols = Object.getOwnPropertySymbols(socket)
  const [buffer, callback] = ['kBuffer', 'kBufferCb'].map((name) =>
    symbols.find(({ description }) => description === name),
  )
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback }
}
