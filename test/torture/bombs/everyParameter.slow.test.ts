import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommand } from '../../support/command.js'
import { startTorturedNode, untilIdle, type TorturedNode } from '../node.js'
import { call, callRaw } from '../requests.js'
import { ATTEMPTS, MAX_STOP, randomNumbers, rounds, seed } from '../settings.js'
import { pick, valueOf, type Random, type Schema } from '../values.js'
import { address, hash, many } from './bomb.js'

const REQUESTS = rounds(6000, 6000)
/** The client gives up a request after this time; the node must continue. */
const REQUEST_MILLISECONDS = 5000
const REST_MILLISECONDS = 60_000
/** Number of the longest stops that are printed. */
const SHOWN = 20
const TIME_LIMIT = 4 * 3_600_000

let node: TorturedNode
beforeAll(async () => {
  await buildCommand()
  node = await startTorturedNode()
}, 300_000)

afterAll(async () => {
  expect(await node.stop()).toBe(0)
})

interface Description {
  methods: { name: string; params: { name: string; schema: Schema }[] }[]
}

/** Methods that end the node, replace its chain, or keep mining for as long as their arguments say. */
const unbounded = /mine|interval|reset|stop|reorg|setChainId|setAutomine|time|admin_/i

/** A place for a value within a parameter. */
interface Place {
  path: string
  schema: Schema
  /** Returns a parameter with the given value in this place. */
  fill(random: Random, large: unknown): unknown
}

/** Levels of lists and objects that are searched for places. */
const MAX_DEPTH = 4

/** Lists the places of a parameter: itself, and what its schema says of members and elements. */
function placesOf(schema: Schema, path: string, depth = 0): Place[] {
  const whole: Place = { path, schema, fill: (_random, large) => large }
  const { properties = {}, prefixItems = [], items, additionalProperties } = schema
  const inner = (
    name: string,
    part: Schema | boolean | undefined,
    wrap: (random: Random, value: unknown) => unknown,
  ) =>
    typeof part !== 'object' || depth >= MAX_DEPTH
      ? []
      : placesOf(part, `${path}${name}`, depth + 1).map((place) => ({
          ...place,
          fill: (random: Random, large: unknown) => wrap(random, place.fill(random, large)),
        }))
  return [
    whole,
    ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((choice) =>
      placesOf(choice, path, depth + 1),
    ),
    ...Object.entries(properties).flatMap(([name, part]) =>
      inner(`.${name}`, part, (random, value) => ({ ...Object(valueOf(random, schema)), [name]: value })),
    ),
    ...inner('[key]', additionalProperties, (_random, value) => ({ [address(1)]: value })),
    ...inner('[0]', items, (_random, value) => [value]),
    ...prefixItems.flatMap((part, index) =>
      inner(`[${index}]`, part, (random, value) =>
        prefixItems.map((other, at) => (at === index ? value : valueOf(random, other))),
      ),
    ),
  ]
}

const text = (value: unknown): string => JSON.stringify(value)

/** Makes JSON of about the given number of bytes, whatever a schema says, by what it consists of. */
function largeValues(bytes: number): Record<string, string> {
  return {
    hex: text(`0x${'ab'.repeat(bytes / 2)}`),
    zeros: text(`0x${'0'.repeat(bytes)}`),
    digits: '7'.repeat(bytes),
    'digits as text': text('7'.repeat(bytes)),
    words: text('word '.repeat(bytes / 5)),
    'letters outside Latin 1': text('\u0436'.repeat(bytes / 2)),
    'control characters': text('\u0001'.repeat(bytes / 6)),
    numbers: text(many(bytes / 8, () => 1_000_000)),
    hashes: text(many(bytes / 70, hash)),
    lists: text(many(bytes / 6, () => [[]])),
    addresses: text(Object.fromEntries(many(bytes / 150, (index) => [address(index), {}]))),
    names: text(Object.fromEntries(many(bytes / 150, (index) => [`name ${index}`, null]))),
    'a long name': text({ ['n'.repeat(bytes / 2)]: 1 }),
    'nine thousand brackets': '['.repeat(9000) + ']'.repeat(9000),
  }
}

/** Stands for the large value in a request. */
const MARKER = 'large value'

/** Most elements or members of a value that follows its schema. */
const MANY = 50_000

/**
 * Makes JSON of about the given number of bytes, or of {@link MANY} elements or members that a list or object may have
 * by its schema; undefined if the schema is neither.
 */
function manyOf(
  random: Random,
  { items, properties, additionalProperties }: Schema,
  bytes: number,
): string | undefined {
  if (typeof items === 'object') return `[${textsOf(random, items, bytes).join()}]`
  if (properties !== undefined || typeof additionalProperties !== 'object') return undefined
  const members = textsOf(random, additionalProperties, bytes)
  return `{${members.map((member, index) => `${text(address(index))}:${member}`).join()}}`
}

function textsOf(random: Random, schema: Schema, bytes: number): string[] {
  const texts: string[] = []
  for (let length = 0; texts.length < MANY && length < bytes;) {
    const one = text(valueOf(random, schema) ?? null)
    texts.push(one)
    length += one.length
  }
  return texts
}

/** A place of a request's body, and what sends that body. */
interface Target {
  name: string
  schema: Schema
  fill: Place['fill']
  send(body: string): Promise<unknown>
}

/**
 * Sends a large value in one place after another.
 *
 * @param targets - places by the name of a method or route, each of which is as likely as the others
 */
async function sweep(targets: ReadonlyMap<string, readonly Target[]>, bytes: number): Promise<void> {
  const random = randomNumbers(seed)
  const large = largeValues(bytes)
  const stops: { stop: number; name: string; stacks: string[] }[] = []
  for (let sent = 0; sent < REQUESTS; sent++) {
    const target = pick(random, pick(random, [...targets.values()]))
    const followsSchema = random() < 0.3 ? manyOf(random, target.schema, bytes) : undefined
    const kind = pick(random, Object.keys(large))
    const value = followsSchema ?? large[kind]!
    const body = text(target.fill(random, MARKER)).replace(text(MARKER), () => value)
    const name = `${target.name}, ${followsSchema === undefined ? kind : 'as many as it may have'}`
    let least = Infinity
    let stacks: string[] = []
    for (let attempt = 0; attempt < ATTEMPTS && least > MAX_STOP; attempt++) {
      if (attempt > 0) await untilIdle(node, REST_MILLISECONDS)
      await target.send(body).catch(ignoreTimeout)
      const measured = await node.measure()
      if (measured.longest < least) stacks = measured.stacks
      least = Math.min(least, measured.longest)
    }
    expect(node.isAlive(), `alive after ${name}: ${node.stderr()}`).toBe(true)
    stops.push({ stop: least, name, stacks })
  }
  stops.sort((a, b) => b.stop - a.stop)
  for (const { stop, name, stacks } of stops.slice(0, SHOWN)) {
    console.log(`${stop.toFixed(0).padStart(6)} ms stop  ${name}`)
    for (const stack of stacks) console.log(`         ${stack}`)
  }
  expect(stops.filter(({ stop }) => stop > MAX_STOP).map(({ name }) => name)).toEqual([])
}

/** Leaves some of what a body may take for the rest of the request. */
const BODY_BYTES = 1.5e7
const CONTROL_BYTES = 1.9e6

it(
  'no other request waits for a large value in any place of any parameter',
  { timeout: TIME_LIMIT },
  async () => {
    const { result } = JSON.parse(await call(node, 'rpc.discover', [])) as { result: Description }
    const targets = new Map<string, Target[]>()
    for (const { name: method, params } of result.methods) {
      if (unbounded.test(method) || params.length === 0) continue
      const ofMethod = params.flatMap((param, index) =>
        placesOf(param.schema, param.name).map(({ path, schema, fill }): Target => ({
          name: `${method}: ${path}`,
          schema,
          fill: (random, large) => ({
            jsonrpc: '2.0',
            id: 1,
            method,
            params: params
              .slice(0, index + 1)
              .map((other, at) => (at === index ? fill(random, large) : valueOf(random, other.schema))),
          }),
          send: (body) => callRaw(node, body, AbortSignal.timeout(REQUEST_MILLISECONDS)),
        })),
      )
      targets.set(method, ofMethod)
    }
    expect(targets.size).toBeGreaterThan(100)
    await sweep(targets, BODY_BYTES)
  },
)

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>
}

it(
  'no other request waits for a large value in any place of the body of a control',
  { timeout: TIME_LIMIT },
  async () => {
    const controls = new URL('/_standin', node.ready.url).href
    const { paths } = (await (await fetch(`${controls}/openapi.json`)).json()) as OpenApi
    const targets = new Map<string, Target[]>()
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        const schema = Object.values(requestBody?.content ?? {})[0]?.schema
        if (schema === undefined || /stop|clock/.test(path)) continue
        const send = async (body: string): Promise<unknown> => {
          const response = await fetch(`${controls}${path.replace(/\{\w+\}/g, 'name')}`, {
            method: method.toUpperCase(),
            headers: { 'content-type': 'application/json' },
            body,
            signal: AbortSignal.timeout(REQUEST_MILLISECONDS),
          })
          return response.arrayBuffer()
        }
        const places = placesOf(schema, '')
        targets.set(
          `${method} ${path}`,
          places.map((place) => ({ ...place, name: `${method} ${path}: body${place.path}`, send })),
        )
      }
    }
    expect(targets.size).toBeGreaterThan(3)
    await sweep(targets, CONTROL_BYTES)
  },
)

function ignoreTimeout(error: unknown): void {
  if (error instanceof Error && error.name === 'TimeoutError') return
  throw error
}
