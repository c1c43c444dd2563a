import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import { JsonLimitError, type JsonLimits, parseJsonInSteps } from '../encoding/json.js'
import { keysOf } from '../encoding/jsonKeys.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import { ConfigurationError, checkConfiguration } from '../provider/configuration.js'
import { scanStructure } from '../rpc/envelope/scan.js'

/** One operation of the control API; source of both the router and the API's description. */
export interface ControlRoute {
  method: 'get' | 'put' | 'post' | 'delete'
  /** Path below `/_standin`, with `:name` for a variable segment. */
  path: string
  summary: string
  /** Descriptions of query parameters by name. */
  query?: Readonly<Record<string, string>>
  /** Schema of the body. */
  body?: z.ZodType
  /** Description of a successful answer. */
  answer: string
  /** Schema of a successful answer. */
  answerSchema?: z.ZodType
  handle: (context: Context) => Awaitable<Response>
}

/** Mounts routes on an app. */
export function mount(app: Hono, routes: readonly ControlRoute[]): void {
  for (const { method, path, handle } of routes) app.on(method.toUpperCase(), path, handle)
}

/**
 * Reads and checks the body of a request.
 *
 * @throws ConfigurationError naming the path to the invalid value
 */
export async function readBody<Output>(context: Context, schema: z.ZodType<Output>): Promise<Output> {
  return checkConfiguration(schema, await readJson(context), 'the body')
}

/** Maximum body of a control request in bytes. */
const MAX_BODY = 2 * 1024 * 1024

/** Maximum elements and members in a body, because schemas check all of them in one step. */
const MAX_VALUES = 20_000
/** A body with more in one place is not even parsed. */
const limits: JsonLimits = {
  elements: MAX_VALUES,
  members: MAX_VALUES,
  containers: 1 + MAX_VALUES,
  characters: Infinity,
}

/** Maximum levels of nesting in a body, because schemas descend by recursion. */
const MAX_DEPTH = 100

/**
 * Parses the body of a request as JSON. Returns undefined, which every schema refuses, if it is not JSON.
 *
 * @throws ConfigurationError if it is too long, has too many values or is nested too deeply
 */
export async function readJson(context: Context): Promise<unknown> {
  const bytes = await readBytes(context.req.raw.body)
  const value = await parsed(bytes.toString('utf8'))
  checkSize(value)
  return value
}

async function parsed(text: string): Promise<unknown> {
  try {
    return await runInSlices(parse(text), new TimeSlice())
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues()
    return undefined
  }
}

function tooManyValues(): ConfigurationError {
  return new ConfigurationError(`the body: expected at most ${MAX_VALUES} elements and members`)
}

/** @throws ConfigurationError if arrays and objects have too many elements and members, or levels */
function checkSize(body: unknown): void {
  let count = 0
  let level = [body]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new ConfigurationError(`the body: expected at most ${MAX_DEPTH} levels`)
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      count += Array.isArray(value) ? value.length : keysOf(value).length
      if (count > MAX_VALUES) throw tooManyValues()
      for (const inner of Object.values(value)) below.push(inner)
    }
    level = below
  }
}

/** @throws ConfigurationError if the body is too long */
async function readBytes(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    length += chunk.length
    if (length > MAX_BODY) break
    chunks.push(chunk)
  }
  if (length <= MAX_BODY) return Buffer.concat(chunks)
  // The connection's next request follows the rest.
  body?.pipeTo(new WritableStream()).catch(ignore)
  throw new ConfigurationError(`the body: expected at most ${MAX_BODY} bytes`)
}

function ignore(): void {
  // The client has gone.
}

/** Parses JSON; undefined if it is nested too deeply. @throws SyntaxError if it is not JSON */
function* parse(text: string): Steps<unknown> {
  const { isTooDeep } = yield* scanStructure(text)
  return isTooDeep ? undefined : yield* parseJsonInSteps(text, { limits })
}
