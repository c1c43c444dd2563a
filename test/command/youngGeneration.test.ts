import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildCommand, type Ready } from '../support/command.js'
import { callRpc } from '../support/rpc.js'

/** What the node's process does in addition: answers each message with the size of its young generation. */
const reporter = `
import { getHeapSpaceStatistics } from 'node:v8'
process.on('message', () => {
  const { space_size: size } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  process.send(size)
})
process.channel.unref()`

beforeAll(buildCommand, 300_000)

test('the young generation stays small enough to be copied in one step', { timeout: 60_000 }, async () => {
  const child = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(reporter)}`],
      ...['bin/standin.js', '--json', '--port', '0', '--ipfs-port', '0'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  onTestFinished(() => void child.kill())
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString()) as Ready
  const values = Array.from({ length: 400_000 }, () => ({}))
  let largest = 0
  // More than half of the objects are in use at each collection, after which V8 doubles the space for new ones.
  for (let round = 0; round < 8; round++) {
    await expect(callRpc(url, 'eth_call', values)).rejects.toThrow()
    child.send('size')
    const [size] = (await once(child, 'message')) as [number]
    largest = Math.max(largest, size)
  }
  expect(largest).toBeGreaterThan(2 ** 22)
  expect(largest).toBeLessThanOrEqual(2 ** 24)
})
