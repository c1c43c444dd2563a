import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bench, describe } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { WriteBatch, openDatabase } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { type LogCriterion, logRows } from '../block/indexRecord.js'
import { allOf, anyOf } from './join.js'
import { openPostings } from './postings.js'

const BLOCKS = 50_000
/** One block in this many has a log of the rare contract. */
const RARE = 10_000
const filled = (length: number, value: number) => new Uint8Array(length).fill(value)
const [common, rare, topic] = [filled(20, 1), filled(20, 2), filled(32, 3)]

const directory = mkdtempSync(join(tmpdir(), 'standin-bench-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
const database = await openDatabase({ directory, sync: false })
const keys = keyspaceOf(0)
const source = { database, keys, singleBlock: () => undefined }
const logsOf = (ordinal: number) =>
  [common, ...(ordinal % RARE === 0 ? [rare] : [])].map((address) => ({
    address,
    topics: [topic],
    data: new Uint8Array(32),
  }))

for (let ordinal = 0; ordinal < BLOCKS; ordinal++) {
  const batch = new WriteBatch()
  for (const { criterion, posting } of runToCompletion(logRows(logsOf(ordinal)))) {
    if (criterion.kind === 'any') batch.put(keys.log('any', new Uint8Array(0), ordinal), posting)
    else if (criterion.kind === 'address') batch.put(keys.log('address', criterion.address, ordinal), posting)
    else batch.put(keys.log(criterion.position, criterion.topic, ordinal), posting)
  }
  database.write(batch)
  if (ordinal % 1000 === 999) await database.flush()
}

/**
 * @returns the number of blocks with a match
 */
async function search(addresses: readonly Uint8Array[], to: number): Promise<number> {
  const open = (criterion: LogCriterion) => openPostings(source, criterion, { from: 0, to })
  const found = allOf(
    [
      anyOf(addresses.map((address) => open({ kind: 'address', address }))),
      open({ kind: 'topic', position: 0, topic }),
    ],
    0,
  )
  let matches = 0
  while (!(await found.next()).done) matches++
  return matches
}

// A rare value must not cost more on a longer chain with equally many matches.
describe(`a search through ${BLOCKS} blocks`, () => {
  bench('for what is in five of them', async () => void (await search([rare], BLOCKS - 1)), {
    iterations: 20,
    time: 1000,
  })
  bench('for what is in each, through 1,000 of them', async () => void (await search([common], 999)), {
    iterations: 20,
    time: 1000,
  })
})

describe('the rows of a block', () => {
  const logs = Array.from({ length: 500 }, (_, i) => logsOf(i)).flat()
  bench('with 500 logs', () => void runToCompletion(logRows(logs)))
})
