import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerResponse } from 'node:http'
import type { Caller } from '../provider/caller.js'
import type { TransportEffects } from '../provider/faults/effects.js'
import type { Reply } from '../rpc/reply.js'
import { openToPages } from './cors.js'

/** A fault ends the answer here. */
export class CutError extends Error {
  override readonly name = 'CutError'
}

/** Who answered, where an outage may make a difference. */
const answeredByHeader = 'x-standin-answered-by'

/** Parts of a second in which a slowed answer is sent. */
const ticksPerSecond = 10

/**
 * A body as faults let it through: slowed down, or cut.
 *
 * @throws CutError where it is cut.
 */
export async function* disturb(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  effects: TransportEffects,
): AsyncGenerator<Uint8Array> {
  let left = effects.cutAfter ?? Infinity
  const step =
    effects.bytesPerSecond === undefined ? Infinity : Math.ceil(effects.bytesPerSecond / ticksPerSecond)
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += step) {
      const part = chunk.subarray(start, Math.min(start + step, start + left))
      if (part.length > 0) yield part
      left -= part.length
      if (left <= 0) throw new CutError('the answer is cut here')
      if (step !== Infinity) await sleep(1000 / ticksPerSecond)
    }
  }
}

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
    // A part that is on its way is not lost when the connection is cut behind it.
    await new Promise((resolve) => response.write(part, resolve))
  }
  response.end()
}
