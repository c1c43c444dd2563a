import * as z from 'zod'
import type { ControlRoute } from './route.js'

/** Describes the control API by OpenAPI 3.1, from the routes themselves. */
export function describeApi(routes: readonly ControlRoute[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {
    '/health': { get: describe('Whether the node is ready', 'Ready (200) or not yet (503)') },
    '/rpc': {
      post: describe("JSON-RPC 2.0 with every method, the devnet's controls among them", 'The answer'),
    },
  }
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Standin controls', version },
    servers: [{ url: '/_standin' }],
    paths,
  }
}

function describeRoute({ path, summary, answer, query = {}, body }: ControlRoute): Record<string, unknown> {
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
  if (inPath.length + inQuery.length > 0) described['parameters'] = [...inPath, ...inQuery]
  if (body !== undefined) {
    const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
    described['requestBody'] = { required: true, content: { 'application/json': { schema } } }
    described['responses'] = {
      '2XX': { description: answer },
      '400': { description: 'What is wrong with the body: `{"error"}` with the path to the value' },
    }
  }
  return described
}

function describe(summary: string, answer: string): Record<string, unknown> {
  return { summary, responses: { '2XX': { description: answer } } }
}
