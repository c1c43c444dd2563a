import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import { parseJsonInSlices } from '../encoding/json.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import { ConfigurationError, checkConfiguration } from '../provider/configuration.js'

/** One operation of the control API: what the router and the API's description both come from. */
export interface ControlRoute {
  method: 'get' | 'put' | 'post' | 'delete'
  /** Below `/_standin`, with `:name` for a part that varies. */
  path: string
  summary: string
  /** Query parameters by name, with what they mean. */
  query?: Readonly<Record<string, string>>
  /** What the body must be. */
  body?: z.ZodType
  /** What a successful answer is, in words. */
  answer: string
  /** The same as a schema. */
  answerSchema?: z.ZodType
  handle: (context: Context) => Response | Promise<Response>
}

/** Mounts routes on an app. */
export function mount(app: Hono, routes: readonly ControlRoute[]): void {
  for (const { method, path, handle } of routes) app.on(method.toUpperCase(), path, handle)
}

/**
 * The body of a request, checked.
 *
 * @throws ConfigurationError that names the path to what is wrong.
 */
export async function readBody<Output>(context: Context, schema: z.ZodType<Output>): Promise<Output> {
  return checkConfiguration(schema, await readJson(context), 'the body')
}

/** Longest body of a control request, in bytes. */
const maxBody = 2 * 1024 * 1024

/**
 * The body of a request as JSON; a text that is none is checked, and refused, as undefined.
 *
 * @throws ConfigurationError if it is too long.
 */
export async function readJson(context: Context): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of context.req.raw.body ?? []) {
    length += chunk.length
    if (length > maxBody) throw new ConfigurationError(`the body: expected at most ${maxBody} bytes`)
    chunks.push(chunk)
  }
  try {
    const text = Buffer.concat(chunks).toString('utf8')
    return await runInSlices(parseJsonInSlices(text), new TimeSlice())
  } catch {
    return undefined
  }
}
