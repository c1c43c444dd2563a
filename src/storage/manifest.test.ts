import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DataDirectoryError } from './errors.js'
import { FORMAT_VERSION, type Manifest, admitNetwork, readManifest, writeManifest } from './manifest.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-manifest-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const identity = {
  index: 0,
  chainId: '31337',
  genesisHash: `0x${'12'.repeat(32)}`,
  forks: [{ fork: 'osaka', timestamp: '0' }],
}
const empty = (): Manifest => ({ formatVersion: FORMAT_VERSION, networks: {} })

it('round-trips, and returns nothing if there is none', () => {
  expect(readManifest(directory)).toBeUndefined()
  const manifest = empty()
  admitNetwork(manifest, 'local', identity).clockOffsetSeconds = 60
  writeManifest(directory, manifest, { durable: true })
  expect(readManifest(directory)).toEqual(manifest)
  expect(readdirSync(directory)).toEqual(['manifest.json'])
})

it.skipIf(platform() === 'win32')('is readable only by its owner', () => {
  writeManifest(directory, empty(), { durable: true })
  expect(statSync(join(directory, 'manifest.json')).mode & 0o777).toBe(0o600)
})

it('leaves no file behind if it cannot replace the old one', () => {
  mkdirSync(join(directory, 'manifest.json'))
  expect(() => writeManifest(directory, empty(), { durable: true })).toThrow('EISDIR')
  expect(readdirSync(directory)).toEqual(['manifest.json'])
})

it('has an entry per name, and keeps its number', () => {
  const manifest = empty()
  const admit = (name: string, index: number) => admitNetwork(manifest, name, { ...identity, index }).index
  expect([admit('a', 0), admit('toString', 1), admit('a', 2)]).toEqual([0, 1, 0])
})

it.each([
  ['chain id 31337, not 1', { chainId: '1' }],
  ['genesis hash 0x12', { genesisHash: `0x${'34'.repeat(32)}` }],
  ['the fork schedule osaka@time 0, not none', { forks: [] }],
  ['the fork schedule osaka@time 0, not osaka@5', { forks: [{ fork: 'osaka', block: '5' }] }],
])('refuses another network of the same name: %s', (words, change) => {
  const manifest = empty()
  admitNetwork(manifest, 'local', identity)
  expect(() => admitNetwork(manifest, 'local', { ...identity, ...change })).toThrow(words)
})

it.each([
  ['', 'is damaged'],
  ['null', 'is damaged'],
  [`{"formatVersion":${FORMAT_VERSION}}`, 'is damaged'],
  [`{"formatVersion":${FORMAT_VERSION},"networks":{"local":{"index":0}}}`, 'is damaged'],
  [`{"formatVersion":${FORMAT_VERSION},"checksum":"0","networks":{}}`, 'is damaged'],
  ['{"formatVersion":1,"networks":[]}', `has format version 1, and this program reads ${FORMAT_VERSION}`],
  ['{"formatVersion":3,"networks":{}}', 'standin export --data-dir DIR chain.rlp'],
  ['{"formatVersion":4,"networks":{}}', 'standin export --data-dir DIR chain.rlp'],
])('refuses %j', (text, words) => {
  writeFileSync(join(directory, 'manifest.json'), text)
  expect(() => readManifest(directory)).toThrow(words)
  expect(() => readManifest(directory)).toThrow(DataDirectoryError)
})
