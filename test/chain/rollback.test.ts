import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Chain } from '../../src/chain/chain.js'
import { openDatabase, type Database } from '../../src/storage/database.js'
import { openTestChain, osakaChain } from '../support/testChain.js'

let directory: string
let database: Database
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-way-back-'))
  database = await openDatabase({ directory, sync: false })
})
afterAll(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

function open(network: number): Promise<Chain> {
  return openTestChain({ database, network, ...osakaChain })
}

async function mine(chain: Chain, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await chain.exclusively(() => chain.mine())
}

function goTo(chain: Chain, number: bigint) {
  return chain.exclusively(() => {
    const block = chain.view.blockByNumber(number)
    if (block === undefined) throw new Error(`there is no block ${number}`)
    return chain.moveHead({ block, workingRoot: block.header.stateRoot })
  })
}

test('going back a hundred blocks writes as much as going back one', async () => {
  const chain = await open(0)
  await mine(chain, 101)
  const write = vi.spyOn(database, 'write')
  await goTo(chain, 100n)
  await goTo(chain, 0n)
  const sizes = write.mock.calls.map(([batch]) => batch.operations.length)
  write.mockRestore()
  expect(sizes).toHaveLength(2)
  expect(sizes[1]).toBe(sizes[0])
})

test('blocks above the head are not canonical, even after reopening the chain', async () => {
  const chain = await open(1)
  await mine(chain, 5)
  const [third, fifth] = [chain.view.blockByNumber(3n), chain.view.blockByNumber(5n)]
  if (third === undefined || fifth === undefined) throw new Error('five blocks were mined')
  await goTo(chain, 2n)
  for (const seen of [chain, await open(1)]) {
    expect(seen.head.block.header.number).toBe(2n)
    expect(seen.view.isCanonical(third)).toBe(false)
    expect(seen.view.isCanonical(fifth)).toBe(false)
    expect(seen.view.blockByNumber(3n)).toBeUndefined()
    expect(seen.stores.blocks.canonicalOrdinal(5n)).toBeUndefined()
  }
})

test('blocks mined over an abandoned branch are canonical, and the branch returns only as a whole', async () => {
  const chain = await open(2)
  await mine(chain, 4)
  const left = [1n, 2n, 3n, 4n].map((number) => chain.view.blockByNumber(number))
  await goTo(chain, 1n)
  chain.settings.coinbase = new Uint8Array(20).fill(0x44)
  await mine(chain, 1)
  const other = chain.head.block
  expect(left.map((block) => block && chain.view.isCanonical(block))).toEqual([true, false, false, false])

  const tip = left[3]
  if (tip === undefined) throw new Error('four blocks were mined')
  const move = await chain.exclusively(async () => {
    const planned = await chain.planMove(tip)
    chain.moveHead({ block: tip, workingRoot: tip.header.stateRoot }, { planned })
    return planned
  })
  expect(move.base?.header.number).toBe(1n)
  expect(move.added.map(({ header }) => header.number)).toEqual([2n, 3n, 4n])
  expect(left.map((block) => block && chain.view.isCanonical(block))).toEqual([true, true, true, true])
  expect(chain.view.isCanonical(other)).toBe(false)
  expect(chain.view.blockByNumber(2n)?.hash).toEqual(left[1]?.hash)
})
