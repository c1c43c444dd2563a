import * as z from 'zod'
import { faultActionSchema, faultMatchSchema } from '../provider/faults/faultSchema.js'
import type { JournalEntry } from '../provider/journal/journal.js'

/** A fault as listed by `GET /faults`. */
export const faultReportSchema = z
  .object({
    id: z.string(),
    match: faultMatchSchema,
    action: faultActionSchema,
    seen: z.int().describe('Number of requests that matched'),
    hits: z.int().describe('Number of requests that it was injected into'),
  })
  .meta({ id: 'FaultReport', description: 'An active fault, with its match and hit counts' })

/** An entry as listed by `GET /requests`. */
export const journalEntrySchema = z
  .object({
    id: z.int().describe('Increases with every request'),
    time: z.number().describe('Milliseconds since 1970'),
    network: z.string(),
    key: z.string().optional().describe('Masked; absent if no key was used'),
    transport: z.enum(['http', 'websocket', 'upgrade', 'ipc', 'in-process', 'files']),
    method: z
      .string()
      .optional()
      .describe('JSON-RPC method or file operation; absent if the request was refused before it was read'),
    params: z.unknown().optional().describe('As received; a string if they were too large to keep'),
    preview: z.string().optional().describe('With `summary`: the first characters of the parameters'),
    batched: z.boolean().optional().describe('Whether the call was part of a batch'),
    status: z.int().describe('HTTP status'),
    error: z
      .object({ code: z.int(), message: z.string() })
      .meta({ id: 'CallError', description: 'The error object of an answer, without its data' })
      .optional(),
    milliseconds: z.number(),
    credits: z.number(),
    bytes: z.int().describe('Size of the result, the error object or the reply'),
    faults: z.array(z.string()).readonly().optional().describe('Ids of the injected faults'),
    answeredBy: z
      .enum(['admission', 'policy', 'partner'])
      .optional()
      .describe("Who answered, if not this node's own chain or file network"),
  })
  .meta({
    id: 'JournalEntry',
    description: 'A request in the journal',
  }) satisfies z.ZodType<JournalEntry>
