import * as z from 'zod'
import { LATEST_TIME, type QuotaClock } from '../../provider/quota/clock.js'
import type { ControlSetup } from '../app.js'
import { type ControlRoute, readBody } from '../route.js'

const bodySchema = z.strictObject({
  /** New time: a date and time (ISO 8601), or milliseconds since 1970. */
  time: z.union([
    z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
    z.int().min(0).max(LATEST_TIME),
  ]),
  /** Whether the clock stands still. */
  frozen: z.boolean().default(false),
})

/** Routes of the clock that quotas use. The chains' clocks are set by JSON-RPC. */
export function clockRoutes({ provider: { clock } }: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/clocks',
      summary: 'Show the time for quotas',
      answer: 'The clocks by name',
      handle: (context) => context.json({ quota: show(clock) }),
    },
    {
      method: 'put',
      path: '/clocks/quota',
      summary: 'Set the time for quotas; does not affect any chain',
      body: bodySchema,
      answer: 'The clock',
      handle: async (context) => {
        const { time, frozen } = await readBody(context, bodySchema)
        clock.set(time, { frozen })
        return context.json(show(clock))
      },
    },
    {
      method: 'delete',
      path: '/clocks/quota',
      summary: 'Return to the system time',
      answer: 'The clock',
      handle: (context) => {
        clock.reset()
        return context.json(show(clock))
      },
    },
  ]
}

function show(clock: QuotaClock): { time: string; frozen: boolean } {
  return { time: new Date(clock.now()).toISOString(), frozen: clock.frozen }
}
