import * as z from 'zod'
import type { Steps } from '../encoding/timeSlice.js'
import { faultSchema } from '../provider/faults/faultSchema.js'
import type { ControlRoute } from './route.js'
import { faultReportSchema, journalEntrySchema } from './schemas.js'

/** Describes the control API in OpenAPI 3.1, generated from its routes. */
export function* describeApi(
  routes: readonly ControlRoute[],
  version: string,
): Steps<Record<string, unknown>> {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {
    '/health': { get: describe('Report whether the node is ready', 'Ready (200) or not yet (503)') },
    '/rpc': {
      post: describe("Call any JSON-RPC 2.0 method, including the devnet's controls", 'The answer'),
    },
  }
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: describeRoute(route, schemas) }
    yield
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Standin controls', version },
    servers: [{ url: '/_standin' }],
    paths,
    components: { schemas },
  }
}

function describeRoute(route: ControlRoute, schemas: Record<string, unknown>): Record<string, unknown> {
  const { path, summary, answer, answerSchema, query = {}, body } = route
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }))
  const described = describe(summary, answer)
  const responses: Record<string, unknown> = {
    '2XX': {
      description: answer,
      ...(answerSchema && content(describeSchema(answerSchema, schemas))),
    },
  }
  described['responses'] = responses
  if (inPath.length + inQuery.length > 0) described['parameters'] = [...inPath, ...inQuery]
  if (body !== undefined) {
    described['requestBody'] = { required: true, ...content(describeSchema(body, schemas)) }
    responses['400'] = {
      description: 'The body is invalid: `{"error"}` with the path to the invalid value',
    }
  }
  return described
}

function content(schema: Record<string, unknown>): Record<string, unknown> {
  return { content: { 'application/json': { schema } } }
}

function describe(summary: string, answer: string): Record<string, unknown> {
  return { summary, responses: { '2XX': { description: answer } } }
}

/** Returns the named schemas for which clients in other languages have types. */
export function describeClientSchemas(): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  for (const schema of [faultSchema, faultReportSchema, journalEntrySchema]) describeSchema(schema, schemas)
  return schemas
}

/**
 * Converts a schema to its OpenAPI 3.1 form as input; schemas used for answers too share it.
 *
 * @param named - receives the named schemas that it refers to
 */
function describeSchema(schema: z.ZodType, named: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  const {
    $schema: _,
    $defs = {},
    id,
    ...described
  } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Record<string, unknown>
  Object.assign(named, $defs)
  if (typeof id !== 'string') return described
  named[id] = described
  return { $ref: `#/components/schemas/${id}` }
}
