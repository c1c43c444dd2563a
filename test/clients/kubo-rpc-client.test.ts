import { createHash } from 'node:crypto'
import { create } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'

const key = 'test-key'
const secret = 'test-secret'
const encoder = new TextEncoder()
const decoder = new TextDecoder()

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text
}

/** 200 MB that neither compression nor deduplication reduces. */
async function* streamOf(chunkCount: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < chunkCount; index++) {
    const chunk = new Uint8Array(1_000_000)
    const view = new DataView(chunk.buffer)
    let state = index + 1
    for (let offset = 0; offset < chunk.length; offset += 4) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      view.setUint32(offset, state)
    }
    yield chunk
  }
}

async function digest(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

describe.each(['without', 'with'] as const)('kubo-rpc-client %s credentials', (credentials) => {
  let node: Awaited<ReturnType<typeof createNode>>
  let client: ReturnType<typeof create>

  beforeAll(async () => {
    node = await createNode({
      port: 0,
      ipfsPort: 0,
      ...(credentials === 'with' && { key: [`${key}:${secret}`] }),
    })
    const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
    client = create({ url: node.ipfsUrl, ...(credentials === 'with' && { headers: { authorization } }) })
  })

  afterAll(() => node.stop())

  it('adds a file and reads it back', async () => {
    const { cid, size } = await client.add('hello world\n')
    // The well-known CID of these twelve bytes, as `ipfs add` prints it.
    expect(cid.toString()).toBe('QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o')
    expect(size).toBe(20)
    expect(await collect(client.cat(cid))).toBe('hello world\n')
    expect(await collect(client.cat(cid, { offset: 6, length: 5 }))).toBe('world')
  })

  it('adds a file as CIDv1 with a raw leaf', async () => {
    const { cid } = await client.add(encoder.encode('hello world'), { cidVersion: 1, rawLeaves: true })
    expect(cid.toString()).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  })

  it('adds a directory and reads its files by their paths', async () => {
    const entries = new Map<string, string>()
    const files = [
      { path: 'site/index.html', content: '<p>hello</p>' },
      { path: 'site/deep/a.txt', content: 'a' },
      { path: 'site/deep/b.txt', content: 'b' },
    ]
    for await (const { path, cid } of client.addAll(files)) entries.set(path, cid.toString())
    expect([...entries.keys()].sort()).toEqual(
      ['site', 'site/deep', 'site/deep/a.txt', 'site/deep/b.txt', 'site/index.html'].sort(),
    )
    expect(await collect(client.cat(`/ipfs/${entries.get('site')}/deep/b.txt`))).toBe('b')
    await expect(collect(client.cat(entries.get('site') ?? ''))).rejects.toThrow(
      'this dag node is a directory',
    )
  })

  it('adds a stream of 200 MB and reads it back', async () => {
    const { cid } = await client.add(streamOf(200))
    expect(await digest(client.cat(cid))).toBe(await digest(streamOf(200)))
  })

  it('pins and unpins', async () => {
    const { cid } = await client.add(`pinned ${credentials}`, { pin: false })
    const pinned = async () => {
      const cids: string[] = []
      for await (const pin of client.pin.ls({ type: 'recursive' })) cids.push(pin.cid.toString())
      return cids
    }
    expect(await pinned()).not.toContain(cid.toString())
    expect((await client.pin.add(cid)).toString()).toBe(cid.toString())
    expect(await pinned()).toContain(cid.toString())
    expect((await client.pin.rm(cid)).toString()).toBe(cid.toString())
    expect(await pinned()).not.toContain(cid.toString())
    await expect(client.pin.rm(cid)).rejects.toThrow('not pinned or pinned indirectly')
  })

  it('answers the first requests of a client', async () => {
    expect(await client.version()).toMatchObject({ version: expect.any(String) })
    expect((await client.id()).id.toString()).not.toBe('')
    const { cid } = await client.add('hello world\n')
    expect(await client.block.stat(cid)).toMatchObject({ size: 20 })
    expect((await client.block.get(cid)).length).toBe(20)
  })

  it('refuses unauthorized clients', async () => {
    const anonymous = create({ url: node.ipfsUrl })
    const wrong = create({
      url: node.ipfsUrl,
      headers: { authorization: `Basic ${Buffer.from(`${key}:wrong`).toString('base64')}` },
    })
    if (credentials === 'without') {
      await expect(anonymous.add('free for all')).resolves.toBeDefined()
      await expect(wrong.add('free for all')).resolves.toBeDefined()
    } else {
      await expect(anonymous.add('nothing')).rejects.toThrow('project id required')
      await expect(wrong.add('nothing')).rejects.toThrow(
        'basic auth failure: invalid project id or project secret',
      )
    }
  })
})
