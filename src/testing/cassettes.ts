import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestNode } from '../fixture/nodeClient.js'

/** Location of tests' cassettes, one per test and named after it. */
export interface CassetteOptions {
  /** Directory of the cassettes; created if missing. */
  cassettes: string
}

/** If set to anything, tests that have a cassette are recorded again. */
const recordVariable = 'STANDIN_RECORD'
/** Maximum characters of a test's name in its file name. */
const NAME_LENGTH = 80

/** Returns the file of a test: its name in letters and digits, and a hash to distinguish similar names. */
export function cassettePath(directory: string, testName: string): string {
  const readable = testName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, NAME_LENGTH)
  const hash = createHash('sha256').update(testName).digest('hex').slice(0, 8)
  return join(resolve(directory), `${readable}-${hash}.ndjson`)
}

/**
 * Makes a node answer from a test's cassette. Without one, the test is recorded from the node's `upstream`.
 *
 * @returns a function that ends the cassette and closes a recording
 * @throws Error with the node's message if it can neither replay nor record
 */
export async function beginCassette(
  { controlUrl }: Pick<TestNode, 'controlUrl'>,
  { cassettes }: CassetteOptions,
  testName: string,
): Promise<() => Promise<void>> {
  const path = cassettePath(cassettes, testName)
  const isReplay = existsSync(path) && !process.env[recordVariable]
  const place = `${controlUrl}/cassette`
  await send(place, 'PUT', isReplay ? { replay: { path } } : { record: { path } })
  return () => send(place, 'DELETE')
}

async function send(place: string, method: string, body?: object): Promise<void> {
  const answer = await fetch(place, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`the cassette: ${await answer.text()}`)
}
