import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NodeOptions, createNode } from '../../src/index.js'

let directory: string
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'cassette-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const holder = '0x00000000000000000000000000000000000c0ffe'

async function forkedRun(options: NodeOptions): Promise<unknown[]> {
  const node = await createNode(options)
  try {
    const [from] = node.accounts
    const answers = [await node.request('eth_getBalance', [holder, 'latest'])]
    await node.request('eth_sendTransaction', [{ from: from!.address, to: holder, value: '0x5' }])
    answers.push(await node.request('eth_getBalance', [holder, 'latest']))
    answers.push(await node.request('eth_blockNumber'))
    return answers
  } finally {
    await node.stop()
  }
}

test('a fork replays the recording of its remote without the remote', async () => {
  const path = join(directory, 'fork.ndjson')
  const remote = await createNode()
  await remote.request('anvil_setBalance', [holder, '0x64'])
  await remote.mine(3)
  const forkUrl = remote.url
  const recorded = await forkedRun({ forkUrl, record: path })
  await remote.stop()
  expect(recorded).toEqual(['0x64', '0x69', '0x4'])
  const replay = { forkUrl, forkRetries: 0, replay: path, replayMode: 'loose' } as const
  expect(await forkedRun(replay)).toEqual(recorded)
  const node = await createNode(replay)
  try {
    const unread = `0x${'77'.repeat(20)}`
    await expect(node.request('eth_getBalance', [unread, '0x2'])).rejects.toThrow(
      'the cassette has no answer',
    )
  } finally {
    await node.stop()
  }
})
