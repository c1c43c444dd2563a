import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { verifyData } from '../../src/node/verifyData.js'
import { buildCommand } from '../support/command.js'
import { surviveKills } from './acknowledged.js'
import { ChainClient } from './chainClient.js'
import { FileClient } from './fileClient.js'
import { until } from '../support/until.js'
import { startTorturedNode, type TorturedNode } from './node.js'
import { isFull, randomNumbers, rounds, seed } from './settings.js'

const KILLS = rounds(12, 1000)
const TIME_LIMIT = isFull ? 4 * 3_600_000 : 900_000

beforeAll(buildCommand, 120_000)

it('keeps payments and uploads of many clients through kills', () => surviveKills(KILLS), TIME_LIMIT)

it.each([
  ['buffered writes', []],
  ['--sync', ['--sync']],
] as const)(
  'keeps mining, snapshots, reverts, reorganisations, pins and MFS through kills: %s',
  async (_, options) => {
    const random = randomNumbers(seed)
    const dataDir = await mkdtemp(join(tmpdir(), 'standin-kills-'))
    const chain = new ChainClient(random)
    const files = ['a', 'b'].map((name, index) => new FileClient(name, randomNumbers(seed + index + 1)))
    for (let round = 0; round < KILLS; round++) {
      const node = await startTorturedNode(options, { dataDir })
      if (round === 0) await chain.begin(node.ready.url)
      else await chain.check(node.ready.url)
      if (round % 5 === 0) for (const client of files) await client.check(node)
      if (round % 10 === 9) await chain.revertToOldest(node.ready.url)
      let steps = 0
      const work = [
        untilKilled(node, () => chain.step(node.ready.url).then(() => void steps++)),
        ...files.map((client) => untilKilled(node, () => client.step(node).then(() => void steps++))),
      ]
      const last = random() * 60
      await Promise.race([until(() => steps >= last), Promise.all(work)])
      await sleep(random() * 20)
      await node.stop('SIGKILL')
      await Promise.all(work)
      expect(node.stderr()).toBe('')
      if (round % 100 === 99) {
        await expectIntact(dataDir)
        console.log(`${round + 1} kills`)
      }
    }
    const node = await startTorturedNode(options, { dataDir })
    await chain.check(node.ready.url)
    for (const client of files) await client.checkAll(node)
    await chain.revertToAll(node.ready.url)
    expect(await node.stop()).toBe(0)
    await expectIntact(dataDir)
    await rm(dataDir, { recursive: true, force: true })
    console.log(`${KILLS} kills`, chain.acknowledged, ...files.map(({ acknowledged }) => acknowledged))
  },
  TIME_LIMIT,
)

/** Reads every block, state and file of the data directory. */
async function expectIntact(dataDir: string): Promise<void> {
  const problems: string[] = []
  await verifyData(dataDir, (line) => problems.push(line))
  expect(problems).toEqual([])
}

/** Repeats a step until the node is killed. Any error before that is a failure. */
async function untilKilled({ child }: TorturedNode, step: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await step()
    } catch (error) {
      // fetch reports a lost connection as a TypeError, in headers and body alike.
      if (child.killed && (error instanceof TypeError || error instanceof SyntaxError)) return
      throw error
    }
  }
}
