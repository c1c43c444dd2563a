import type { CommandReply } from '../request/reply.js'

/** The answer to a client that has the content already. */
export function notModified(headers: Record<string, string>): CommandReply {
  return { status: 304, headers, body: new Uint8Array() }
}
