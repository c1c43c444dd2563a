import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ForkCaches } from './stateCache.js'

const subject = { chainId: 1n, number: 2n, hash: new Uint8Array(32).fill(3) }
const address = new Uint8Array(20).fill(4)
const slot = new Uint8Array(32).fill(5)

function directory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('a directory that cannot be created causes one warning, and fetched state stays in memory', async () => {
  const file = join(directory(), 'file')
  writeFileSync(file, '')
  const forkCache = join(file, 'cache')
  const warnings: string[] = []
  const caches = new ForkCaches({ forkCache, noForkCache: false }, (message) => warnings.push(message))
  for (let fork = 0; fork < 2; fork++) {
    const cache = await caches.open('https://remote.example', subject)
    cache.putSlot(address, slot, Uint8Array.of(6))
    expect(cache.slot(address, slot)).toEqual(Uint8Array.of(6))
    cache.close()
  }
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(forkCache)
  expect(warnings[0]).toContain('ENOTDIR')
})
