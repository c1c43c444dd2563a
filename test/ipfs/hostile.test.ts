import { randomBytes } from 'node:crypto'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileNetwork } from '../../src/ipfs/index.js'
import { until } from '../support/until.js'
import { type FormFile, type TestNetwork, form, lines, startNetwork } from './support.js'

let server: TestNetwork
const copies: string[] = []

beforeEach(async () => {
  server = await startNetwork()
})

afterEach(async () => {
  await server.stop()
  for (const copy of copies.splice(0)) await rm(copy, { recursive: true })
})

async function post(path: string, files: FormFile[]): Promise<Response> {
  const { body, headers } = form(files)
  return server.post(path, body as Uint8Array<ArrayBuffer>, headers)
}

async function add(content: Uint8Array, query = ''): Promise<string> {
  const [added] = await lines(await post(`add?${query}`, [{ name: 'f', content }]))
  return String(added?.['Hash'])
}

async function read(path: string): Promise<Buffer> {
  return Buffer.from(await (await server.post(path)).arrayBuffer())
}

async function collectGarbage(): Promise<string[]> {
  const removed = await lines(await server.post('repo/gc'))
  return removed.map(({ Key }) => (Key as { '/': string })['/'])
}

describe('uploads', () => {
  it('accepts a name of 64 KiB', async () => {
    const name = 'n'.repeat(65_536)
    const added = await lines(await post('add', [{ name: `d/${name}`, content: 'x' }]))
    expect(added.map(({ Name }) => Name)).toEqual([`d/${name}`, 'd'])
    const listed = JSON.parse((await read(`ls?arg=${String(added[1]?.['Hash'])}`)).toString()) as {
      Objects: { Links: { Name: string }[] }[]
    }
    expect(listed.Objects[0]?.Links[0]?.Name).toBe(name)
  })

  it('refuses endless headers of a part', async () => {
    const boundary = 'b'
    const body = Buffer.from(`--${boundary}\r\nX: ${'x'.repeat(2_000_000)}`)
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const response = await server.post('add', body, headers)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('multipart: message too large')
  })

  it('accepts a directory of many entries and keeps it readable', async () => {
    const files = Array.from({ length: 20_000 }, (_, n) => ({ name: `d/${n}`, content: String(n) }))
    const added = await lines(await post('add', files))
    expect(added).toHaveLength(20_001)
    const root = String(added.at(-1)?.['Hash'])
    expect((await read(`cat?arg=${root}/19999`)).toString()).toBe('19999')
    const listed = JSON.parse((await read(`ls?arg=${root}`)).toString()) as {
      Objects: { Links: unknown[] }[]
    }
    expect(listed.Objects[0]?.Links).toHaveLength(20_000)
  })

  it('refuses paths that name more directories than fit in memory', async () => {
    const steep = Array.from({ length: 1000 }, () => 'd').join('/')
    const files = Array.from({ length: 263 }, (_, n) => ({ name: `top/${n}/${steep}/f`, content: '' }))
    expect(await (await post('add?silent=true', files)).text()).toContain('more than 262144 directories')
    expect(await lines(await post('add', files.slice(0, 2)))).toHaveLength(2005)
  })

  it('pins nothing of an aborted upload, and lets it be collected', async () => {
    const { body, headers } = form([{ name: 'f', content: randomBytes(3_000_000) }])
    const before = server.network.totals().blocks
    await new Promise<void>((resolve) => {
      const sent = request(`${server.url}/api/v0/add`, { method: 'POST', headers })
      sent.on('error', () => resolve())
      sent.write(body.subarray(0, 2_000_000), () => setTimeout(() => sent.destroy(), 50))
    })
    await until(() => server.network.totals().blocks > before)
    const pins = await read('pin/ls')
    expect(JSON.parse(pins.toString())).toEqual({})
    await until(async () => {
      await collectGarbage()
      return server.network.totals().blocks === before
    })
  })

  it('refuses a body that ends early', async () => {
    const { body, headers } = form([{ name: 'f', content: randomBytes(1000) }])
    const response = await server.post('add', body.slice(0, 900), headers)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ Message: 'unexpected EOF', Code: 0 })
    expect(JSON.parse((await read('pin/ls')).toString())).toEqual({})
  })

  it('stores a file once if it is added many times simultaneously', async () => {
    const content = randomBytes(1_000_000)
    const hashes = await Promise.all(Array.from({ length: 8 }, () => add(content)))
    expect(new Set(hashes).size).toBe(1)
    expect(server.network.totals().bytes).toBeLessThan(1_010_000)
    expect((await read(`cat?arg=${hashes[0]}`)).equals(content)).toBe(true)
  })

  it('keeps what an upload stored or found stored while garbage is collected', async () => {
    const old = randomBytes(900_000)
    await add(old, 'pin=false')
    const fresh = randomBytes(900_000)
    const { body, headers } = form([
      { name: 'd/old', content: old },
      { name: 'd/fresh', content: fresh },
    ])
    let seen = ''
    const finished = new Promise<string>((resolve) => {
      const sent = request(`${server.url}/api/v0/add`, { method: 'POST', headers }, (answer) => {
        answer.on('data', (bytes: Buffer) => (seen += bytes.toString()))
        answer.on('end', () => resolve(seen))
      })
      sent.write(body.subarray(0, 1_500_000))
      void (async () => {
        await until(() => seen.includes('d/old'))
        await collectGarbage()
        sent.end(body.subarray(1_500_000))
      })()
    })
    const root = (JSON.parse((await finished).trim().split('\n').at(-1) ?? '') as { Hash: string }).Hash
    await collectGarbage()
    expect((await read(`cat?arg=${root}/old`)).equals(old)).toBe(true)
    expect((await read(`cat?arg=${root}/fresh`)).equals(fresh)).toBe(true)
  })
})

describe('archives and data', () => {
  const car = async (): Promise<{ bytes: Buffer; root: string }> => {
    const other = await startNetwork()
    const { body, headers } = form([{ name: 'f', content: randomBytes(600_000) }])
    const [added] = await lines(await other.post('add', body as Uint8Array<ArrayBuffer>, headers))
    const root = String(added?.['Hash'])
    const bytes = Buffer.from(await (await other.post(`dag/export?arg=${root}`)).arrayBuffer())
    await other.stop()
    return { bytes, root }
  }

  it('refuses a CAR with a block that does not match its CID', async () => {
    const { bytes, root } = await car()
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const response = await post('dag/import', [{ name: 'x.car', content: bytes }])
    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(
      /"import failed after block \\"\w+\\": mismatch in content integrity, expected: Qm\w+, got: Qm\w+"/,
    )
    expect((await server.post(`pin/ls?arg=${root}`)).status).toBe(500)
  })

  it('refuses a CAR that is truncated, invalid, or claims to be endless', async () => {
    const { bytes } = await car()
    const contents = [
      bytes.subarray(0, -10),
      bytes.subarray(0, 20),
      randomBytes(100),
      Buffer.concat([
        bytes.subarray(0, 1 + (bytes[0] ?? 0)),
        Buffer.from('ffffffffffffff7f', 'hex'),
        randomBytes(100),
      ]),
    ]
    for (const content of contents) {
      const response = await post('dag/import', [{ name: 'x.car', content }])
      expect([response.status, await response.json()]).toMatchObject([500, { Type: 'error' }])
    }
  })

  it('silently ends an import at a CAR that ends before its header, like Kubo', async () => {
    const { bytes } = await car()
    const pragma = Buffer.from('0aa16776657273696f6e02', 'hex')
    for (const content of [Buffer.alloc(0), Buffer.from('x'), pragma]) {
      const response = await post('dag/import', [
        { name: 'x.car', content: bytes },
        { name: 'y.car', content },
      ])
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })

  // Messages of Kubo 0.42.0 for the block `hello`.
  it.each([
    ['md5', 'd501105d41402abc4b2a76b9719d911017c592', 'potentially insecure hash functions not allowed'],
    ['blake2b-64', '88e40208a7b6eda801e5347d', 'potentially insecure hash functions not allowed'],
    [
      'sha2-256, cut',
      '12132cf24dba5fb0a30e26e83b2ac5b9e29e1b161e',
      'digest too small: sha2-256 digest got 19 bytes, minimum 20',
    ],
    [
      'keccak-224',
      `1a1c${'78'.repeat(28)}`,
      'import failed: invalid cid: unknown multihash code 26 (0x1a): no such hash registered',
    ],
  ])('refuses a block of a CAR with the hash %s', async (_, multihash, message) => {
    const section = Buffer.concat([Buffer.from(`0155${multihash}`, 'hex'), Buffer.from('hello')])
    const header = Buffer.from('0aa16776657273696f6e01', 'hex')
    const content = Buffer.concat([header, Buffer.of(section.length), section])
    const response = await post('dag/import', [{ name: 'x.car', content }])
    expect([response.status, await response.json()]).toEqual([
      500,
      { Message: message, Code: 0, Type: 'error' },
    ])
  })

  // Messages of Kubo 0.42.0 for roots under which no block can be stored.
  it.each([
    ['d501105d41402abc4b2a76b9719d911017c592', 'potentially insecure hash functions not allowed'],
    [`99b30220${'07'.repeat(32)}`, 'potentially insecure hash functions not allowed'],
    [`1213${'07'.repeat(19)}`, 'digest too small: sha2-256 digest got 19 bytes, minimum 20'],
    [`138101${'07'.repeat(129)}`, 'digest too large: sha2-512 digest got 129 bytes, maximum 128'],
  ])('reports why it cannot pin a root with the hash %s', async (multihash, message) => {
    const root = Buffer.from(`000155${multihash}`, 'hex')
    const link = Buffer.concat([Buffer.from('d82a58', 'hex'), Buffer.of(root.length), root])
    const [start, end] = ['a265726f6f747381', '6776657273696f6e01'].map((hex) => Buffer.from(hex, 'hex'))
    const header = Buffer.concat([start!, link, end!])
    // The length as a varint of two bytes where one does not suffice.
    const length = header.length < 128 ? [header.length] : [0x80 | (header.length & 0x7f), header.length >> 7]
    const content = Buffer.concat([Buffer.from(length), header])
    const [line] = await lines(await post('dag/import', [{ name: 'x.car', content }]))
    expect((line?.['Root'] as { PinErrorMsg: string }).PinErrorMsg).toBe(message)
  })

  it('reports which root of a CAR it could not pin', async () => {
    const { bytes } = await car()
    const header = bytes.subarray(0, 1 + (bytes[0] ?? 0))
    const [line] = await lines(await post('dag/import', [{ name: 'x.car', content: header }]))
    expect((line?.['Root'] as { PinErrorMsg: string }).PinErrorMsg).toMatch(/^ipld: could not find /)
  })

  it('collects garbage despite a pin of data that links to a missing raw block, like Kubo', async () => {
    const missing = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
    const value = JSON.stringify({ link: { '/': missing } })
    const [stored] = await lines(await post('dag/put?pin=true', [{ name: 'f', content: value }]))
    const { '/': root } = stored?.['Cid'] as { '/': string }
    const garbage = await add(randomBytes(1000), 'pin=false&raw-leaves=true')
    expect(await collectGarbage()).toContain(garbage)
    const { Keys } = JSON.parse((await read('pin/ls')).toString()) as {
      Keys: Record<string, { Type: string }>
    }
    expect(Keys[root]?.Type).toBe('recursive')
    expect(Keys[missing]?.Type).toBe('indirect')
    const other = await add(randomBytes(1000), 'pin=false&raw-leaves=true')
    expect(JSON.parse((await read(`block/rm?arg=${other}`)).toString())).toEqual({ Hash: other })
  })

  it('survives dag-cbor nested 100,000 deep', async () => {
    const content = Buffer.concat([Buffer.alloc(100_000, 0x81), Buffer.from([0x01])])
    const refused = await post('dag/put?input-codec=dag-cbor', [{ content }])
    expect(refused.status).toBe(500)
    expect(await refused.json()).toMatchObject({
      Message: 'message structure exceeded maximum nesting depth',
    })
    const json = Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const ofJson = await post('dag/put?input-codec=dag-json', [{ content: json }])
    expect(await ofJson.json()).toMatchObject({ Message: 'message structure exceeded maximum nesting depth' })
    const stored = await lines(await post('block/put?cid-codec=dag-cbor', [{ content }]))
    const cid = String(stored[0]?.['Key'])
    for (const path of [`dag/get?arg=${cid}`, `pin/add?arg=${cid}`, `dag/export?arg=${cid}/0/0`]) {
      expect((await server.post(path)).status, path).toBe(500)
    }
    expect((await server.post('version')).status).toBe(200)
  })

  it('reports an unknown codec, but returns the block', async () => {
    const content = randomBytes(50)
    const [stored] = await lines(await post('block/put?cid-codec=0x300539', [{ content }]))
    const cid = String(stored?.['Key'])
    expect((await read(`block/get?arg=${cid}`)).equals(content)).toBe(true)
    const refused = (await (await server.post(`pin/add?arg=${cid}`)).json()) as { Message: string }
    expect(refused.Message).toBe(
      'pin: could not choose a decoder: no decoder registered for multicodec code 3147065 (0x300539)',
    )
    expect((await server.post(`cat?arg=${cid}`)).status).toBe(500)
  })

  it('refuses UnixFS nodes with false sizes', async () => {
    const leaf = await add(Buffer.from('leaf'), 'raw-leaves=true&pin=false')
    const link = { Hash: { '/': leaf }, Name: '', Tsize: 4 }
    const lying = Buffer.from('080218ffffffff0f20ffffffff0f', 'hex').toString('base64').replace(/=+$/, '')
    const node = JSON.stringify({ Data: { '/': { bytes: lying } }, Links: [link] })
    const [stored] = await lines(await post('dag/put?store-codec=dag-pb', [{ content: node }]))
    const cid = (stored?.['Cid'] as { '/': string })['/']
    const answer = await server.post(`cat?arg=${cid}`)
    expect((await answer.arrayBuffer().catch(() => Buffer.alloc(0))).byteLength).toBe(0)
    expect((await server.post(`cat?arg=${cid}&length=1`)).status).toBe(200)
    expect((await server.post('version')).status).toBe(200)
  })

  it('detects a block whose bytes have changed on disk', async () => {
    const hash = await add(Buffer.from('honest content'), 'raw-leaves=true')
    expect((await read('repo/verify')).toString()).toContain('verify complete, all blocks validated.')
    const folder = join(server.directory, 'blocks')
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name))
      const position = bytes.indexOf('honest content')
      if (position >= 0) await writeFile(join(folder, name), bytes.fill('dis', position, position + 3))
    }
    expect((await read('repo/verify')).toString()).toContain(`block ${hash} was corrupt`)
    const careful = await createFileNetwork({ directory: await copyOf(server.directory), verifyBlocks: true })
    const reply = await careful.execute({
      operation: 'cat',
      query: new URLSearchParams({ arg: hash }),
      headers: {},
      signal: new AbortController().signal,
    })
    expect(reply.status).toBe(500)
    expect(Buffer.from(reply.body as Uint8Array).toString()).toContain('block in storage has different hash')
    await careful.close()
  })
})

it('cuts an archive at a file that is shorter than declared, and keeps running', async () => {
  // UnixFS: a file that declares five bytes and contains two.
  const node = { Data: { '/': { bytes: 'CAISAmFiGAU' } }, Links: [] }
  const stored = await post('dag/put?store-codec=dag-pb', [{ name: 'f', content: JSON.stringify(node) }])
  const { Cid } = (await stored.json()) as { Cid: { '/': string } }
  const archive = await read(`get?arg=${Cid['/']}`).catch(() => Buffer.alloc(0))
  // Complete archives end with two zero blocks.
  expect(archive.length).toBeLessThan(2048)
  expect((await read(`cat?arg=${await add(Buffer.from('still here'))}`)).toString()).toBe('still here')
})

async function copyOf(directory: string): Promise<string> {
  const copy = `${directory}-copy`
  await cp(directory, copy, { recursive: true, filter: (path) => !path.endsWith('/LOCK') })
  copies.push(copy)
  return copy
}

it('serves a thousand readers at once', async () => {
  const content = randomBytes(1_048_576)
  const hash = await add(content)
  const sizes = await Promise.all(
    Array.from({ length: 1000 }, async () => (await read(`cat?arg=${hash}`)).equals(content)),
  )
  expect(sizes.every(Boolean)).toBe(true)
}, 240_000)
