import * as z from 'zod'
import type { CassetteState } from '../../cassette/currentCassette.js'
import type { CassetteRules } from '../../cassette/rules.js'
import { type ControlRoute, readBody } from '../route.js'

const upstream = {
  upstream: z.url({ protocol: /^https?$/ }).optional(),
  upstreamWs: z.url({ protocol: /^wss?$/ }).optional(),
  upstreamIpfs: z.url({ protocol: /^https?$/ }).optional(),
  upstreamGateway: z.url({ protocol: /^https?$/ }).optional(),
}

const rules = z.strictObject({
  masks: z.array(z.strictObject({ method: z.string(), path: z.string() })).optional(),
  pinBlockTags: z.boolean().optional(),
})

const bodySchema = z.union([
  z.strictObject({
    record: z.strictObject({ path: z.string().min(1), rules: rules.optional(), ...upstream }),
  }),
  z.strictObject({
    replay: z.strictObject({
      path: z.string().min(1),
      mode: z.enum(['strict', 'once', 'loose']).optional(),
      exhausted: z.enum(['repeat', 'refuse']).optional(),
      delay: z.number().min(0).optional(),
      ...upstream,
    }),
  }),
])

/** Where a provider is that is recorded. What is left out is as the node's options say. */
export interface UpstreamRequest {
  upstream?: string | undefined
  upstreamWs?: string | undefined
  upstreamIpfs?: string | undefined
  upstreamGateway?: string | undefined
}

/** What is recorded. */
export interface RecordRequest extends UpstreamRequest {
  path: string
  rules?: CassetteRules | undefined
}

/** What is replayed, and how. What is left out is as the node's options say. */
export interface ReplayRequest extends UpstreamRequest {
  path: string
  mode?: 'strict' | 'once' | 'loose' | undefined
  exhausted?: 'repeat' | 'refuse' | undefined
  delay?: number | undefined
}

/** Starts, shows and ends the node's cassette. */
export interface CassetteControl {
  describe(): CassetteState
  /** @throws ConfigurationError */
  record(request: RecordRequest): Promise<void>
  /** @throws ConfigurationError */
  replay(request: ReplayRequest): Promise<void>
  /** @returns what was ended */
  stop(): Promise<CassetteState>
}

/** The cassette that requests are recorded on or replayed from. */
export function cassetteRoutes({ cassette }: { cassette: CassetteControl }): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/cassette',
      summary: 'The cassette in use, and who answered how many requests',
      answer: 'State (none, recording or replaying), path, mode and numbers of answers',
      handle: (context) => context.json(cassette.describe()),
    },
    {
      method: 'put',
      path: '/cassette',
      summary: 'Begin to record or to replay; the cassette in use is ended',
      body: bodySchema,
      answer: 'The cassette in use',
      handle: async (context) => {
        const body = await readBody(context, bodySchema)
        if ('record' in body) await cassette.record(body.record)
        else await cassette.replay(body.replay)
        return context.json(cassette.describe())
      },
    },
    {
      method: 'delete',
      path: '/cassette',
      summary: 'End the cassette in use; a recording is sorted and closed',
      answer: 'The cassette that was ended',
      handle: async (context) => context.json(await cassette.stop()),
    },
  ]
}
