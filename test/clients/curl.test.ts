import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StandinNode, createNode } from '../../src/index.js'

const execute = promisify(execFile)
let node: StandinNode
let directory: string

beforeAll(async () => {
  node = await createNode({ port: 0 })
  directory = await mkdtemp(join(tmpdir(), 'standin-curl-'))
})

afterAll(async () => {
  await node.stop()
  await rm(directory, { recursive: true })
})

/** Runs curl. @returns its output: head, raw body, trailers. */
async function curl(path: string, ...options: string[]): Promise<string> {
  const { stdout } = await execute('curl', ['-sS', '-i', ...options, `${node.ipfsUrl}${path}`])
  return stdout
}

const hasCurl = await execute('curl', ['--version']).then(
  () => true,
  () => false,
)

test.skipIf(!hasCurl)('uploads with -F and gets a line with its CID', async () => {
  const file = join(directory, 'hello.txt')
  await writeFile(file, 'hello world\n')
  const printed = await curl('/api/v0/add', '-F', `file=@${file}`)
  expect(printed).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(printed).toMatch(/^X-Chunked-Output: 1\r$/m)
  expect(printed).toMatch(/^Trailer: X-Stream-Error\r$/m)
  expect(printed.split('\r\n\r\n').at(-1)).toBe(
    '{"Name":"hello.txt","Hash":"QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o","Size":"20"}\n',
  )
})

/** Messages of Kubo 0.42. */
test.skipIf(!hasCurl)('sees a failure after the first output as a trailer', async () => {
  const leaf = { Data: { '/': { bytes: 'CAIYBSAF' } } }
  const file = join(directory, 'node.json')
  const missing = { '/': 'QmVLnbf4rNwkTTgSzHcQFGtSSBrDMCH4x1wEUEPvVwHbuc' }
  // A UnixFS file of five bytes whose only leaf is missing.
  await writeFile(file, JSON.stringify({ ...leaf, Links: [{ Hash: missing, Name: '', Tsize: 5 }] }))
  const stored = await curl('/api/v0/dag/put?store-codec=dag-pb', '-F', `file=@${file}`)
  const cid = /bafybei\w+/.exec(stored)?.[0] ?? ''
  const printed = await curl(`/api/v0/refs?arg=${cid}&recursive=true`, '-X', 'POST')
  expect(printed).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(printed).toContain('{"Ref":"","Err":"failed to fetch all nodes"}')
  const cut = await curl(`/api/v0/dag/export?arg=${cid}`, '-X', 'POST', '--raw', '--output', '-')
  expect(cut).toMatch(
    /^X-Stream-Error: walk failed: error traversing node at "Links\/0\/Hash": could not load link "Qm/m,
  )
})

test.skipIf(!hasCurl)('reads a range of a file from the gateway', async () => {
  const printed = await curl('/ipfs/QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o', '-r', '6-10')
  expect(printed).toMatch(/^HTTP\/1\.1 206 Partial Content\r\n/)
  expect(printed).toMatch(/^Content-Range: bytes 6-10\/12\r$/m)
  expect(printed.split('\r\n\r\n').at(-1)).toBe('world')
})
