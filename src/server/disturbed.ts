import type { ServerResponse } from 'node:http'
import type { Caller } from '../provider/caller.js'
import type { TransportEffects } from '../provider/faults/effects.js'
import type { Reply } from '../rpc/reply.js'
import { openToPages } from './cors.js'
import { disturb } from './disturb.js'
import { written } from './stream.js'

/** Who answered, where an outage may make a difference. */
const answeredByHeader = 'x-standin-answered-by'

/** Writes a reply with what faults do to it, and the header that tells who answered. */
export function sendDisturbed(response: ServerResponse, reply: Reply | undefined, caller: Caller): void {
  const { effects = {}, failover, answeredBy = 'primary' } = caller
  if (effects.close) {
    response.destroy()
    return
  }
  response.writeHead(reply?.status ?? 200, {
    ...(reply && { 'content-type': reply.contentType }),
    'content-length': reply?.byteLength ?? 0,
    ...openToPages,
    ...(failover && { [answeredByHeader]: answeredBy }),
  })
  response.flushHeaders()
  writeDisturbed(response, reply?.pieces ?? [], effects).catch(() => response.destroy())
}

async function writeDisturbed(
  response: ServerResponse,
  pieces: readonly Uint8Array[],
  effects: TransportEffects,
): Promise<void> {
  for await (const part of disturb(pieces, effects)) {
    await written(response, part)
  }
  response.end()
}
