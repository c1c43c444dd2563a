import { setTimeout as sleep } from 'node:timers/promises'
import type { TransportEffects } from '../provider/faults/effects.js'

/** A fault ends the answer here. */
export class CutError extends Error {
  override readonly name = 'CutError'
}

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
