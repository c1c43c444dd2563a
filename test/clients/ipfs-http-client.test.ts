import { type IPFSHTTPClient, create } from 'ipfs-http-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StandinNode, createNode } from '../../src/index.js'

/** The used parts of the client's answers. Its own types depend on packages without types here. */
interface AddResult {
  path: string
  cid: { toString(): string }
}
interface PinLsResult {
  type: string
}

const key = 'a1b2c3'
const secret = 'hush'
let node: StandinNode
let client: IPFSHTTPClient

beforeAll(async () => {
  node = await createNode({ port: 0, key: [`${key}:${secret}`] })
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  client = create({ url: node.ipfsUrl, headers: { authorization } })
})

afterAll(() => node.stop())

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

async function read(path: string, options = {}): Promise<string> {
  return Buffer.concat(await all(client.cat(path, options))).toString()
}

test('adds a file and reads it, whole and in part', async () => {
  const { cid, size } = await client.add('hello world\n')
  // The well-known CID of these twelve bytes, as `ipfs add` prints it.
  expect(cid.toString()).toBe('QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o')
  expect(size).toBe(20)
  expect(await read(cid.toString())).toBe('hello world\n')
  expect(await read(cid.toString(), { offset: 6, length: 5 })).toBe('world')
})

test('adds a directory with a wrapping directory', async () => {
  const files = [
    { path: 'd/a', content: 'A' },
    { path: 'd/b/c', content: 'C' },
  ]
  const added = await all<AddResult>(client.addAll(files, { wrapWithDirectory: true, cidVersion: 1 }))
  expect(added.map(({ path }) => path)).toEqual(['d/a', 'd/b/c', 'd/b', 'd', ''])
  expect(await read(`${added.at(-1)?.cid.toString()}/d/b/c`)).toBe('C')
})

test('pins and unpins', async () => {
  const { cid } = await client.add('pinned by the older client', { pin: false })
  const ask = () => all<PinLsResult>(client.pin.ls({ paths: cid.toString() }))
  await expect(ask()).rejects.toThrow('is not pinned')
  expect((await client.pin.add(cid.toString())).toString()).toBe(cid.toString())
  expect((await ask())[0]?.type).toBe('recursive')
  expect((await client.pin.rm(cid.toString())).toString()).toBe(cid.toString())
  await expect(ask()).rejects.toThrow('is not pinned')
})

test('is refused without credentials', async () => {
  await expect(create({ url: node.ipfsUrl }).add('nothing')).rejects.toThrow('project id required')
})
