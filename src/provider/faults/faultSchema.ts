import * as z from 'zod'
import { TIMEOUT_MAX } from '../../encoding/timeSlice.js'

const milliseconds = z.int().min(0).max(TIMEOUT_MAX)
/** Maximum number of alternatives, because each request is compared with all of them. */
const MAX_ALTERNATIVES = 64
const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.union([item, z.array(item).min(1).max(MAX_ALTERNATIVES)])

/** See its description. */
export const faultMatchSchema = z
  .strictObject({
    network: oneOrMore(z.string()).optional(),
    key: oneOrMore(z.string()).optional().describe('The key itself, not its masked form'),
    transport: oneOrMore(z.enum(['http', 'websocket', 'upgrade', 'files'])).optional(),
    method: oneOrMore(z.string()).optional().describe('JSON-RPC methods; a trailing `*` matches anything'),
    operation: oneOrMore(z.string())
      .optional()
      .describe('File network operations, such as `pin/add`; a trailing `*` matches anything'),
    nth: oneOrMore(z.int().min(1)).optional().describe('Only the nth matching request, counted from 1'),
    every: z.int().min(1).optional().describe('Every nth matching request'),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Share of the matching requests, drawn at random from the seed'),
    from: milliseconds.optional().describe('Start, in milliseconds after the fault was set'),
    until: milliseconds.optional().describe('End, in milliseconds after the fault was set'),
  })
  .meta({ id: 'FaultMatch', description: 'The requests that a fault affects: those that match every member' })

/** Close codes that a peer may send (RFC 6455, section 7.4). */
function isCloseCode(code: number): boolean {
  return (code <= 1014 && (code < 1004 || code > 1006)) || code >= 3000
}

/** Longest reason of a close frame in bytes (RFC 6455, section 5.5). */
const MAX_REASON_LENGTH = 123

const delay = z.union([
  milliseconds,
  z
    .strictObject({ minimum: milliseconds, maximum: milliseconds })
    .refine(({ minimum, maximum }) => minimum <= maximum, 'expected a minimum no greater than the maximum'),
])

const actionSchemas = [
  /** Answers the whole request with an HTTP status. */
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(400).max(599),
    body: z.string().default(''),
    contentType: z
      .string()
      .regex(/^[\t\x20-\x7e]+$/, 'expected a media type')
      .default('text/plain; charset=utf-8'),
  }),
  /** Answers with a JSON-RPC error. */
  z.strictObject({
    type: z.literal('error'),
    code: z.int(),
    message: z.string(),
    data: z.json().optional(),
  }),
  /** Answers as if the day's or second's credits were spent, with the messages of the quota profile. */
  z.strictObject({ type: z.literal('quota'), span: z.enum(['day', 'second']) }),
  /** Delays the answer. */
  z.strictObject({ type: z.literal('delay'), milliseconds: delay }),
  /** Throttles the answer. */
  z.strictObject({ type: z.literal('throttle'), bytesPerSecond: z.int().min(1) }),
  /** Sends only the first bytes of the body and closes the connection. */
  z.strictObject({ type: z.literal('cut'), bytes: z.int().min(0) }),
  /** Closes the connection instead of answering. */
  z.strictObject({ type: z.literal('close') }),
  /** Never answers. */
  z.strictObject({ type: z.literal('hang') }),
  /** Closes the WebSocket, with or without a close frame. */
  z.strictObject({
    type: z.literal('close-websocket'),
    frame: z.boolean().default(true),
    code: z
      .int()
      .min(1000)
      .max(4999)
      .refine(isCloseCode, 'expected a close code that may be sent: not 1004 to 1006, nor 1015 to 2999')
      .default(1011),
    reason: z
      .string()
      .max(120)
      .refine(
        (text) => Buffer.byteLength(text) <= MAX_REASON_LENGTH,
        `expected at most ${MAX_REASON_LENGTH} bytes in UTF-8`,
      )
      .default(''),
  }),
  /** Closes the WebSocket once the caller has been silent for this long, like a load balancer. */
  z.strictObject({ type: z.literal('idle-close'), milliseconds: z.int().min(1).max(TIMEOUT_MAX) }),
  /** Discards what subscriptions push. */
  z.strictObject({ type: z.literal('drop-events') }),
  /** Shows the chain as of this many blocks ago. */
  z.strictObject({ type: z.literal('lag'), blocks: z.int().min(1) }),
  /** Lacks the state of blocks older than this many. */
  z.strictObject({ type: z.literal('missing-history'), blocks: z.int().min(0).default(128) }),
  /** The primary is down: answers 503, or with the partner if the plan has failover. */
  z.strictObject({ type: z.literal('outage') }),
] as const

/** See its description. */
export const faultActionSchema = z
  .discriminatedUnion('type', actionSchemas, {
    error: (issue) => {
      if (issue.code !== 'invalid_union') return undefined
      return `expected one of ${actionSchemas.map(({ shape }) => shape.type.value).join(', ')}`
    },
  })
  .meta({ id: 'FaultAction', description: 'What a fault does to a request' })

/** A fault: which requests it hits, and what it does to them. */
export const faultSchema = z
  .strictObject({
    id: z.string().min(1).optional(),
    match: faultMatchSchema.default({}),
    action: faultActionSchema,
  })
  .meta({ id: 'Fault', description: 'The requests to affect, and what happens to them' })

/** The `--faults` file. */
export const faultsFileSchema = z.strictObject({ faults: z.array(faultSchema) })

/** A fault as input. */
export type FaultInput = z.input<typeof faultSchema>
/** See {@link faultMatchSchema}. */
export type FaultMatch = z.output<typeof faultMatchSchema>
/** See {@link faultActionSchema}. */
export type FaultAction = z.output<typeof faultActionSchema>
