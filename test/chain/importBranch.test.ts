import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../../src/chain/chain.js'
import type { StoredBlock } from '../../src/chain/block/record.js'
import { decodeBlock } from '../../src/chain/import/blockParts.js'
import { encodeString } from '../../src/chain/rlp.js'
import { bytesToHex } from '../../src/encoding/hex.js'
import { openDatabase, type Database } from '../../src/storage/database.js'
import { openTestChain, osakaChain } from '../support/testChain.js'

let directory: string
let database: Database
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-branch-'))
  database = await openDatabase({ directory, sync: false })
})
afterAll(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

function openNumber(network: number): Promise<Chain> {
  return openTestChain({ database, network, ...osakaChain })
}

/** Mines blocks that differ from those of the other branch by their coinbase. */
async function mine(chain: Chain, count: number, coinbase: number): Promise<Uint8Array[]> {
  chain.settings.coinbase = new Uint8Array(20).fill(coinbase)
  const blocks: Uint8Array[] = []
  for (let i = 0; i < count; i++) {
    await chain.exclusively(() => chain.mine())
    blocks.push(chain.stores.blocks.blockRlp(chain.head.block))
  }
  return blocks
}

async function importAll(chain: Chain, blocks: readonly Uint8Array[]): Promise<StoredBlock[]> {
  const stored: StoredBlock[] = []
  for (const block of blocks) {
    stored.push(await chain.exclusively(() => chain.importBlock(decodeBlock(block))))
  }
  return stored
}

test('a competing branch is stored until the head moves to it', async () => {
  const [chain, elsewhere] = [await openNumber(0), await openNumber(1)]
  await mine(chain, 2, 0x11)
  const head = chain.head.block
  const branch = await importAll(chain, await mine(elsewhere, 3, 0x22))

  expect(chain.head.block.hash).toEqual(head.hash)
  expect(branch.map(({ header }) => header.number)).toEqual([1n, 2n, 3n])
  for (const block of branch) {
    expect(chain.view.blockByHash(block.hash)?.header.coinbase).toEqual(new Uint8Array(20).fill(0x22))
    expect(chain.view.isCanonical(block)).toBe(false)
  }

  const tip = branch[2]
  if (tip === undefined) throw new Error('the branch has three blocks')
  const move = await chain.exclusively(async () => {
    const planned = await chain.planMove(tip)
    chain.moveHead({ block: tip, workingRoot: tip.header.stateRoot }, { planned })
    return planned
  })
  expect(move.base?.header.number).toBe(0n)
  expect(move.added.map(({ hash }) => bytesToHex(hash))).toEqual(branch.map(({ hash }) => bytesToHex(hash)))
  expect(chain.view.isCanonical(head)).toBe(false)
  expect(chain.view.blockByNumber(2n)?.hash).toEqual(branch[1]?.hash)
})

test('a block on the head becomes the head, and one without a parent is refused', async () => {
  const [chain, elsewhere] = [await openNumber(2), await openNumber(3)]
  const [first, second] = await mine(elsewhere, 2, 0x33)
  if (first === undefined || second === undefined) throw new Error('two blocks were mined')
  await expect(importAll(chain, [second])).rejects.toThrow('block 2: parentHash: the parent is unknown')
  await importAll(chain, [first, second])
  expect(chain.head.block.hash).toEqual(elsewhere.head.block.hash)
})

test.each([
  ['bytes', { networks: [4, 5], raw: encodeString(new Uint8Array(3_100_000)) }],
  ['items', { networks: [6, 7], raw: new Uint8Array(45_000).fill(0x80) }],
])('a transaction with more %s than its gas pays for is not decoded', async (_, { networks, raw }) => {
  const [chain, elsewhere] = await Promise.all(networks.map(openNumber))
  if (chain === undefined || elsewhere === undefined) throw new Error('there are two networks')
  const [mined] = await mine(elsewhere, 1, 0x44)
  if (mined === undefined) throw new Error('a block was mined')
  const block = { ...decodeBlock(mined), transactions: [raw] }
  await expect(chain.exclusively(() => chain.importBlock(block))).rejects.toThrow(
    'block 1: transaction 0: its gas does not pay for its bytes and lists',
  )
})
