import * as z from 'zod'
import { faultActionSchema, faultMatchSchema } from '../provider/faults/faultSchema.js'
import type { JournalEntry } from '../provider/journal/journal.js'

/** A fault as listed by `GET /faults`. */
export const faultReportSchema = z
  .object({
    id: z.string(),
    match: faultMatchSchema,
    action: faultActionSchema,
    seen: z.int().describe('How many requests fitted'),
    hits: z.int().describe('To how many it happened'),
  })
  .meta({ id: 'FaultReport', description: 'A fault that is set, with how often it fitted and happened' })

/** An entry as listed by `GET /requests`. */
export const journalEntrySchema = z
  .object({
    id: z.int().describe('Grows with every request'),
    time: z.number().describe('Milliseconds since 1970'),
    network: z.string(),
    key: z.string().optional().describe('Masked; absent where no key counted'),
    transport: z.enum(['http', 'websocket', 'upgrade', 'ipc', 'in-process', 'files']),
    method: z
      .string()
      .optional()
      .describe('JSON-RPC method or file operation; absent if the request was refused before it was read'),
    params: z.unknown().optional().describe('As they came; a text if they were too large to keep'),
    preview: z.string().optional().describe('With `summary`: the first characters of the parameters'),
    batched: z.boolean().optional().describe('Whether the call stood in a batch'),
    status: z.int().describe('HTTP status'),
    error: z
      .object({ code: z.int(), message: z.string() })
      .meta({ id: 'CallError', description: 'The error object of an answer, without its data' })
      .optional(),
    milliseconds: z.number(),
    credits: z.number(),
    bytes: z.int().describe('Of the result, of the error object or of the reply'),
    faults: z.array(z.string()).readonly().optional().describe('Ids of the faults that were injected'),
    answeredBy: z
      .enum(['admission', 'policy', 'partner'])
      .optional()
      .describe("Who answered, where it was not this node's own chain or file network"),
  })
  .meta({
    id: 'JournalEntry',
    description: 'A request as the journal remembers it',
  }) satisfies z.ZodType<JournalEntry>
