import * as z from 'zod'
import type { CassetteState } from '../../cassette/currentCassette.js'
import type { EntryPage, EntryQuery } from '../../cassette/entryList.js'
import type { CassetteRules } from '../../cassette/rules.js'
import { checkConfiguration } from '../../provider/configuration.js'
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

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a whole number')
  .transform(Number)

const entriesQuerySchema = z.strictObject({
  method: z.string().default('*'),
  from: wholeNumber.default(0),
  limit: wholeNumber.pipe(z.int().min(1).max(500)).default(50),
})

/** A page of entries as answered by `GET /cassette/entries`. */
export const entryPageSchema = z.object({
  entries: z.array(
    z.object({
      network: z.string().optional().describe('Absent for a request to the file network'),
      method: z.string().describe('JSON-RPC method or file operation'),
      params: z.string().describe('Parameters as JSON, or the request to the file network; truncated'),
      answer: z.string().optional().describe('The result, truncated'),
      error: z.string().optional().describe('The error, truncated'),
      times: z.int().describe('Number of times in a row that the answer was recorded'),
      used: z.int().optional().describe('Number of times that it was replayed; absent while recording'),
    }),
  ),
  next: z.int().optional().describe('`from` of the next page; absent on the last one'),
}) satisfies z.ZodType<EntryPage>

/** Addresses of the provider to record. Members left out default to the node's options. */
export interface UpstreamRequest {
  upstream?: string | undefined
  upstreamWs?: string | undefined
  upstreamIpfs?: string | undefined
  upstreamGateway?: string | undefined
}

/** Body of a request to record. */
export interface RecordRequest extends UpstreamRequest {
  path: string
  rules?: CassetteRules | undefined
}

/** Body of a request to replay. Members left out default to the node's options. */
export interface ReplayRequest extends UpstreamRequest {
  path: string
  mode?: 'strict' | 'once' | 'loose' | undefined
  exhausted?: 'repeat' | 'refuse' | undefined
  delay?: number | undefined
}

/** Starts, shows and ends the node's cassette. */
export interface CassetteControl {
  describe(): CassetteState
  list(query: EntryQuery): Promise<EntryPage>
  /** @throws ConfigurationError */
  record(request: RecordRequest): Promise<void>
  /** @throws ConfigurationError */
  replay(request: ReplayRequest): Promise<void>
  /** @returns the state of the cassette that was ended */
  stop(): Promise<CassetteState>
}

/** Routes of the cassette that requests are recorded to or replayed from. */
export function cassetteRoutes({ cassette }: { cassette: CassetteControl }): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/cassette',
      summary: 'Show the cassette in use, and how many requests each source answered',
      answer: 'State (none, recording or replaying), path, mode, answer counts and what is known of the file',
      handle: (context) => context.json(cassette.describe()),
    },
    {
      method: 'get',
      path: '/cassette/entries',
      summary: 'List the entries of the cassette in use, in file order',
      query: {
        method: 'JSON-RPC method or file operation; a trailing * matches anything',
        from: '`next` of the previous page',
        limit: 'maximum number of entries, up to 500; defaults to 50',
      },
      answer: 'A page of entries with truncated parameters and answers',
      answerSchema: entryPageSchema,
      handle: async (context) => {
        const query = checkConfiguration(entriesQuerySchema, context.req.query(), 'the query')
        return context.json(await cassette.list(query))
      },
    },
    {
      method: 'put',
      path: '/cassette',
      summary: 'Start recording or replaying; ends the cassette in use',
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
      summary: 'End the cassette in use; sorts and closes a recording',
      answer: 'The cassette that was ended',
      handle: async (context) => context.json(await cassette.stop()),
    },
  ]
}
