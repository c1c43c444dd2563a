import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestNode } from '../fixture/nodeClient.js'

/** Where the cassettes of tests lie, one for each, named after it. */
export interface CassetteOptions {
  /** Folder of the cassettes; made where it does not exist. */
  cassettes: string
}

/** Set to anything, tests record anew what they have a cassette of. */
const recordVariable = 'STANDIN_RECORD'
/** Characters of a test's name in the name of its file. */
const nameLength = 80

/** The file of a test: its name in letters and digits, and a hash that tells it from others that look alike. */
export function cassettePath(folder: string, testName: string): string {
  const readable = testName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, nameLength)
  const hash = createHash('sha256').update(testName).digest('hex').slice(0, 8)
  return join(resolve(folder), `${readable}-${hash}.ndjson`)
}

/**
 * Lets a node answer from the cassette of a test; without one, the test is recorded from the node's `upstream`.
 *
 * @returns ends it; a recording is closed then
 * @throws Error with what the node says where it can neither replay nor record
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
