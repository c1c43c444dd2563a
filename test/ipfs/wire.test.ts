import { randomBytes } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormFile, type TestNetwork, form, lines, startNetwork } from './support.js'

let server: TestNetwork

beforeAll(async () => {
  server = await startNetwork()
})

afterAll(async () => {
  await server.stop()
})

async function add(files: FormFile[], query = ''): Promise<Response> {
  const { body, headers } = form(files)
  return server.post(`add?${query}`, body as Uint8Array<ArrayBuffer>, headers)
}

async function failure(response: Response): Promise<[number, unknown]> {
  return [response.status, await response.json()]
}

interface Exchange {
  status: number
  body: Buffer
  trailers: NodeJS.Dict<string>
}

/** Sends a request and reads the answer with its trailers. */
async function exchange(path: string, files?: FormFile[]): Promise<Exchange> {
  const { body, headers } = files ? form(files) : { body: undefined, headers: {} }
  const response = await new Promise<IncomingMessage>((resolve) => {
    request(`${server.url}/api/v0/${path}`, { method: 'POST', headers }, resolve).end(body)
  })
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  return { status: response.statusCode ?? 0, body: Buffer.concat(pieces), trailers: response.trailers }
}

const error = (message: string, code = 0): object => ({ Message: message, Code: code, Type: 'error' })

describe('headers and shapes', () => {
  it('distinguishes single values, lines of values and byte streams', async () => {
    const version = await server.post('version')
    expect(version.headers.get('content-type')).toBe('application/json')
    expect(version.headers.get('x-chunked-output')).toBeNull()
    expect((await version.text()).endsWith('}\n')).toBe(true)

    const added = await add([{ name: 'a&b <c>', content: 'x' }])
    expect(added.headers.get('x-chunked-output')).toBe('1')
    expect(await added.text()).toBe(
      '{"Name":"a\\u0026b \\u003cc\\u003e","Hash":"QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC","Size":"9"}\n',
    )
    const cat = await server.post('cat?arg=QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC')
    expect(cat.headers.get('x-stream-output')).toBe('1')
    expect(cat.headers.get('x-content-length')).toBe('1')
    expect(cat.headers.get('content-type')).toBe('text/plain')
    expect(cat.headers.get('access-control-expose-headers')).toBe(
      'X-Stream-Output, X-Chunked-Output, X-Content-Length',
    )
    expect(cat.headers.get('trailer')).toBe('X-Stream-Error')
    const block = await server.post('block/get?arg=QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC')
    expect(block.headers.get('content-type')).toBe('application/vnd.ipld.raw')
  })

  it('reports errors after the start in a trailer', async () => {
    const [added] = await lines(await add([{ name: 'f', content: randomBytes(600_000) }], 'pin=false'))
    const root = String(added?.['Hash'])
    const refs = await lines(await server.post(`refs?arg=${root}`))
    const second = String(refs[1]?.['Ref'])
    await (await server.post(`block/rm?arg=${second}`)).text()
    const response = await exchange(`cat?arg=${root}`)
    expect(response.status).toBe(200)
    expect(response.body.length).toBe(262_144)
    expect(response.trailers['x-stream-error']).toBe('failed to fetch all nodes')
  })

  it('lists the pins before an object without one, like Kubo', async () => {
    const [pinned] = await lines(await add([{ name: 'f', content: 'pinned' }]))
    const [unpinned] = await lines(await add([{ name: 'f', content: 'not pinned' }], 'pin=false'))
    const [cid, other] = [pinned?.['Hash'], unpinned?.['Hash']].map(String)
    const response = await exchange(`pin/ls?arg=${cid}&arg=${other}&stream=true`)
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body.toString())).toEqual({ Cid: cid, Type: 'recursive' })
    expect(response.trailers['x-stream-error']).toBe(`path '${other}' is not pinned`)
    expect((await exchange(`pin/ls?arg=${cid}&arg=${other}`)).status).toBe(500)
  })

  it('writes errors in UTF-8', async () => {
    const empty = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
    await (await add([{ name: 'd', type: 'application/x-directory' }])).text()
    const response = await exchange(`dag/stat?arg=${empty}&arg=${empty}/%C3%A9%F0%9F%8E%89`)
    expect(Buffer.from(String(response.trailers['x-stream-error']), 'latin1').toString()).toBe(
      `no link named "é🎉" under ${empty}`,
    )
  })

  it("sends a file's line before the next file arrives", async () => {
    const part = (name: string): string =>
      `--slow\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${name}\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=slow' }
    const seen: string[] = []
    await new Promise<void>((ended) => {
      const sent = request(`${server.url}/api/v0/add`, { method: 'POST', headers }, (answer) => {
        answer.on('data', (bytes: Buffer) => {
          seen.push(String((JSON.parse(bytes.toString()) as { Name: string }).Name))
          if (seen.length === 1) sent.end(`${part('second').slice('--slow'.length)}--slow--\r\n`)
        })
        answer.on('end', ended)
      })
      sent.write(`${part('first')}--slow`)
    })
    expect(seen).toEqual(['first', 'second'])
  })
})

// As Kubo 0.42.0 answers about the empty directory.
it.each([
  ['true', 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'],
  ['false&cid-base=base32', 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'],
])('upgrade-cidv0-in-output=%s decides the version of CIDs', async (option, cid) => {
  const response = await server.post(`files/stat?arg=/&upgrade-cidv0-in-output=${option}`)
  expect(await response.json()).toMatchObject({ Hash: cid })
})

describe('refusals', () => {
  const cases: [path: string, status: number, body: string | object][] = [
    ['nothing/here', 404, '404 page not found\n'],
    ['cat', 400, 'argument "ipfs-path" is required\n'],
    ['pin/update?arg=x', 400, 'argument "to-path" is required\n'],
    ['add', 400, "file argument 'path' is required\n"],
    ['files/stat?arg=/&size=x', 400, 'could not convert value "x" to type "bool" (for option "-size")\n'],
    ['cat?arg=x&offset=1&offset=2', 400, 'expected key offset to have only a single value, received [1 2]\n'],
    ['cat?arg=foo', 500, error('invalid path "foo": path does not have enough components')],
    [
      'cat?arg=/ipfs/foo',
      500,
      error(`invalid path "/ipfs/foo": invalid cid: encoding/hex: invalid byte: U+006F 'o'`),
    ],
    [
      'cat?arg=/ipns/example.org',
      500,
      error(
        'DNSLink lookup for "example.org." failed: could not resolve name: DNSLink lookup could not find a TXT record (https://docs.ipfs.tech/concepts/dnslink/)',
      ),
    ],
    ['cat?arg=/nowhere/foo', 500, error('invalid path "/nowhere/foo": unknown namespace: "nowhere"')],
    ['cat?arg=x&offset=-1', 500, error('cannot specify negative offset')],
    ['pin/ls?type=x', 500, error("invalid type 'x', must be one of {direct, indirect, recursive, all}")],
    ['files/stat?arg=relative', 500, error('paths must start with a leading slash')],
    [
      'files/stat?arg=/&hash=true&size=true',
      400,
      error('invalid parameters: format was set by multiple options. Only one format option is allowed', 1),
    ],
    // Options of Kubo's command line that every operation accepts.
    ['p2p/ls?L=%00', 400, 'could not convert value "\\x00" to type "bool" (for option "-local")\n'],
    ['version?h=zz', 400, 'could not convert value "zz" to type "bool" (for option "-h")\n'],
    ['version?c=a&c=b', 400, 'expected key config to have only a single value, received [a b]\n'],
    ['version?timeout=soon', 400, 'time: invalid duration "soon"\n'],
  ]
  for (const [path, status, body] of cases) {
    it(path, async () => {
      const response = await server.post(path)
      const text = await response.text()
      expect(response.status).toBe(status)
      expect(typeof body === 'string' ? text : (JSON.parse(text) as unknown)).toEqual(body)
      if (typeof body === 'string') expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    })
  }

  const addCases: [query: string, message: string][] = [
    ['hash=none', 'unrecognized hash function: "none"'],
    ['hash=md5', 'potentially insecure hash functions not allowed'],
    ['cid-version=2', 'unknown CID version: 2'],
    ['cid-version=0&hash=blake3', 'CIDv0 only supports sha2-256'],
    ['chunker=x', 'unrecognized chunker option: x'],
    ['chunker=size-1-2', 'incorrect chunker string format (expected size-{size})'],
    ['chunker=size-0', 'chunker size must be greater than 0'],
    ['chunker=size-2096897', 'chunker parameters may not exceed the maximum chunk size of 2096896'],
    ['pin=false&pin-name=x', 'pin-name option requires pin to be set'],
    ['only-hash=true&to-files=/x', 'only-hash and to-files options are not compatible'],
    [
      'raw-leaves=true&mode=0644',
      "raw-leaves can't be used with UnixFS metadata like mode or modification time",
    ],
    ['inline=true&inline-limit=129', 'inline-limit 129 exceeds maximum allowed size of 128 bytes'],
    ['mtime-nsecs=5', 'option "mtime-nsecs" requires "mtime" to be provided as well'],
  ]
  for (const [query, message] of addCases) {
    it(`add?${query}`, async () => {
      expect(await failure(await add([{ name: 'f', content: 'x' }], query))).toEqual([500, error(message)])
    })
  }

  it('an upload without a file', async () => {
    expect(await failure(await add([]))).toEqual([500, error('expected a file argument')])
  })
})

describe('uploads', () => {
  it('reports names, sizes and directories like Kubo', async () => {
    const files: FormFile[] = [
      { name: '../../etc/passwd', content: 'a' },
      { name: 'x/./y/../z', content: 'b' },
      { name: 'link', content: 'target', type: 'application/symlink' },
      { name: '', content: 'c' },
    ]
    const added = await lines(await add(files))
    expect(added.map(({ Name }) => Name)).toEqual([
      'etc/passwd',
      'etc',
      'x/z',
      'x',
      'link',
      added[5]?.['Hash'],
    ])
    const wrapped = await lines(await add(files, 'wrap-with-directory=true&progress=true'))
    expect(wrapped.filter(({ Hash }) => Hash).map(({ Name }) => Name)).toEqual([
      'etc/passwd',
      'x/z',
      'link',
      added[5]?.['Hash'],
      'etc',
      'x',
      '',
    ])
    expect(wrapped.filter(({ Hash }) => !Hash)).toEqual([
      { Name: 'etc/passwd', Bytes: 1 },
      { Name: 'x/z', Bytes: 1 },
      { Name: '', Bytes: 1 },
    ])
    const listed = (await (await server.post(`ls?arg=${String(wrapped.at(-1)?.['Hash'])}`)).json()) as {
      Objects: { Links: { Name: string; Type: number; Target: string }[] }[]
    }
    const link = listed.Objects[0]?.Links.find(({ Name }) => Name === 'link')
    expect(link).toMatchObject({ Type: 4, Target: 'target' })
  })

  it('stores nothing with only-hash, and keeps small blocks in their CIDs with inline', async () => {
    const content = randomBytes(400_000)
    const [hashed] = await lines(await add([{ name: 'f', content }], 'only-hash=true'))
    const missing = await server.post(`block/stat?arg=${String(hashed?.['Hash'])}`)
    expect(missing.status).toBe(500)
    const [stored] = await lines(await add([{ name: 'f', content }]))
    expect(stored).toEqual(hashed)
    const [inlined] = await lines(await add([{ content: 'tiny' }], 'inline=true&raw-leaves=true'))
    const identity = CID.createV1(0x55, Digest.create(0, Buffer.from('tiny')))
    expect(inlined?.['Hash']).toBe(identity.toString())
    const cat = await server.post(`cat?arg=${String(inlined?.['Hash'])}`)
    expect(await cat.text()).toBe('tiny')
  })

  it('copies added files into MFS', async () => {
    await (await server.post('files/mkdir?arg=/in')).text()
    await (
      await add(
        [
          { name: 'one', content: '1' },
          { name: 'two', content: '2' },
        ],
        'to-files=/in/',
      )
    ).text()
    const listed = (await (await server.post('files/ls?arg=/in')).json()) as { Entries: object[] }
    expect(listed.Entries).toEqual([
      { Name: 'one', Type: 0, Size: 0, Hash: '' },
      { Name: 'two', Type: 0, Size: 0, Hash: '' },
    ])
    const refused = await exchange('add?to-files=/in/', [{ name: 'one', content: '1' }])
    expect(refused.trailers['x-stream-error']).toBe(
      'to-files: cannot put node in path "/in/one": directory already has entry by that name',
    )
  })
})

describe('arguments in the body', () => {
  it('reads them line by line, as the command sends standard input', async () => {
    const hashes = await Promise.all(
      ['one', 'two'].map(async (content) => {
        const [added] = await lines(await add([{ content }], 'pin=false'))
        return String(added?.['Hash'])
      }),
    )
    const both = form([{ name: 'stdin', content: `${hashes.join('\r\n')}\n` }])
    const body = both.body as Uint8Array<ArrayBuffer>
    expect(await (await server.post('cat', body, both.headers)).text()).toBe('onetwo')
    expect(await (await server.post('pin/add', body, both.headers)).json()).toEqual({ Pins: hashes })
    expect(await (await server.post(`cat?arg=${hashes[1]}`, body, both.headers)).text()).toBe('twoonetwo')
  })

  it('reports them as missing if the body has none', async () => {
    const empty = form([{ name: 'stdin', content: '' }])
    const answer = await server.post('cat', empty.body as Uint8Array<ArrayBuffer>, empty.headers)
    expect([answer.status, await answer.text()]).toEqual([400, 'argument "ipfs-path" is required\n'])
  })
})
