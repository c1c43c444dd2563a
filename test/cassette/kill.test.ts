import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createNode } from '../../src/index.js'
import { buildCommand, startCommand } from '../support/command.js'

test('a kill -9 while recording loses no answered request', async () => {
  await buildCommand()
  const directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  const path = join(directory, 'run.ndjson')
  const provider = await createNode()
  const request = async (url: string, index: number): Promise<unknown> => {
    const params = [`0x${index.toString(16).padStart(40, '0')}`, 'latest']
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: index, method: 'eth_getBalance', params }),
      headers: { 'content-type': 'application/json' },
    })
    return ((await response.json()) as { result?: unknown }).result
  }
  const answered = new Map<number, unknown>()
  try {
    const command = await startCommand(['--record', path, '--upstream', provider.url])
    let next = 0
    const client = async (): Promise<void> => {
      for (;;) {
        const index = ++next
        const result = await request(command.ready.url, index)
        answered.set(index, result)
        if (answered.size === 300) command.child.kill('SIGKILL')
      }
    }
    await Promise.allSettled(Array.from({ length: 8 }, client))
    expect(await command.ended).toBe('SIGKILL')
  } finally {
    await provider.stop()
  }
  expect(answered.size).toBeGreaterThanOrEqual(300)
  const replaying = await createNode({ replay: path })
  try {
    for (const [index, result] of answered) expect(await request(replaying.url, index)).toBe(result)
  } finally {
    await replaying.stop()
    rmSync(directory, { recursive: true })
  }
})
