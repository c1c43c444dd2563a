import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { createPrivateKey } from 'node:crypto'
import type { ArgumentSpec, Command, OptionSpec } from '../../../src/ipfs/request/command.js'
import type { PeerAnswer, PeerRequest } from './http.js'
import type { Random } from '../support/random.js'
import { type Upload, randomContent, randomTree, spoilt, uploadOf } from './uploads.js'

/** Makes requests that build on what earlier answers named. */
export interface Generator {
  next(): PeerRequest
  /** Takes CIDs from an answer. */
  learn(request: PeerRequest, answer: PeerAnswer): void
  /** Forgets them: what is stored may not be the same on both peers any more. */
  forget(): void
}

/** CIDs that no repository has, and texts that are none. */
const strangeCids = [
  'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n',
  'bafyqaaa',
  'bafkqaaa',
  'bafkqabtimvwgy3yk',
  'bafyreigdmqpykrgxyaxtlafqpqhzrb7qy2rh75nldvfd4kudgm6sxyzzzz',
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
  'QmFoo',
  'foo',
  '',
  'bafk',
  'zzzz',
  'f01551220',
  'F0155122001BA4719C80B6FE911B091A7C05124B64EEECE964E09C058EF8F9805DACA546B',
]
const filesPaths = [
  '/',
  '/a',
  '/b',
  '/d',
  '/d/x',
  '/d/y',
  '/d/e/z',
  '/dd',
  '/dd/a',
  '/a/b',
  '/é',
  '/d/',
  '//d//x',
  '/d/../a',
  'a',
  '',
]
const keyNames = ['k1', 'k2', 'k3', 'self', 'a/b', '', 'k1x']
const numbers = [
  '0',
  '1',
  '2',
  '5',
  '10',
  '100',
  '262144',
  '-1',
  '9223372036854775807',
  '9223372036854775808',
  '1e3',
  'x',
  '',
]
const truths = ['true', 'false', '', '1', '0', 'T', 'yes']
const pinNames = ['first', 'second', 'é name', 'x'.repeat(256)]
const configKeys = [
  'Import',
  'Import.CidVersion',
  'Datastore.StorageMax',
  'Gateway.NoFetch',
  'Foo',
  'Foo.Bar',
  'Identity',
  'Identity.PrivKey',
  '',
]
const texts = ['', 'x', 'foo', '%s', 'é', '1']
const codecNames = [
  'raw',
  'dag-pb',
  'dag-cbor',
  'dag-json',
  'cbor',
  'json',
  'libp2p-key',
  'git-raw',
  'dag-jose',
  'foo',
  '0x55',
  '85',
  '',
]
const hashNames = [
  'sha2-256',
  'sha2-512',
  'sha1',
  'identity',
  'blake3',
  'blake2b-256',
  'blake2s-160',
  'keccak-256',
  'sha3-256',
  'md5',
  'murmur3-x64-64',
  'foo',
  '',
]
const bases = [
  'base32',
  'base58btc',
  'base36',
  'base16',
  'base64url',
  'base64',
  'z',
  'b',
  'base10',
  'foo',
  '',
  'base32upper',
  'base2',
  'base256emoji',
]

/** Values for options by their names; others follow from their types. */
const optionValues: Record<string, readonly string[]> = {
  chunker: [
    'size-262144',
    'size-1',
    'size-1000',
    'size-0',
    'size-x',
    'size-',
    'rabin',
    'rabin-128-256-512',
    'buzhash',
    'foo',
    '',
    'size-3000000',
  ],
  hash: hashNames,
  mhtype: hashNames,
  mhlen: ['-1', '0', '10', '19', '20', '32', '33', '64', '129', 'x'],
  'cid-base': bases,
  b: bases,
  base: bases,
  'ipns-base': ['base36', 'b58mh', 'base32', 'foo', ''],
  'cid-codec': codecNames,
  'input-codec': codecNames,
  'store-codec': codecNames,
  'output-codec': codecNames,
  mc: codecNames,
  format: ['v0', 'protobuf', 'cbor', 'dag-cbor', '<dst>', '<src> -> <dst> <linkname>', '', 'foo', 'raw'],
  f: ['%s', '%b-%v-%c-%h-%L-%m', '%', '%q', '%l', '%M %d %D %S %P', 'no', '%%', '', 'prefix'],
  v: ['0', '1', '2', '', 'x'],
  'cid-version': ['0', '1', '2', '-1', 'x', ''],
  'max-file-links': ['0', '1', '2', '3', '174', '1024', '-1', 'x'],
  'max-directory-links': ['0', '1', '2', '3', '-1', 'x'],
  'max-hamt-fanout': ['8', '12', '16', '256', '1024', '2048', '7', '0', '-8', 'x'],
  'inline-limit': ['0', '1', '32', '128', '129', '-1', 'x'],
  mode: ['0644', '420', '4755', '0x1ff', '0', '-1', 'x', '7777777'],
  mtime: ['0', '1', '500', '-1', '-500', 'x', '253402300800'],
  'mtime-nsecs': ['0', '1', '999999999', '1000000000', '-1', 'x'],
  type: ['all', 'direct', 'indirect', 'recursive', 'foo', '', 'ed25519', 'rsa', 'secp256k1'],
  'pin-name': pinNames,
  name: pinNames,
  'to-files': ['/', '/d/', '/a', '/new/', 'x', ''],
  timeout: ['5s', '1m', '0', 'x', '-1s'],
  encoding: ['json', 'text', 'text', 'text', 'xml', 'foo', ''],
  'max-depth': ['-1', '0', '1', '2', 'x'],
  'compression-level': ['1', '9', '0', '10', 'x'],
  key: keyNames,
  lifetime: ['24h', '1m', 'x', ''],
  ttl: ['1m', '1h', 'x', ''],
}

/** Key pairs whose names are the same on both peers, as libp2p writes them. */
const keyFiles = [1, 2].map((seed) => {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, Buffer.alloc(32, seed)])
  const { d = '', x = '' } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  })
  return Buffer.concat([
    Buffer.from('08011240', 'hex'),
    Buffer.from(d, 'base64url'),
    Buffer.from(x, 'base64url'),
  ])
})
/** Their names: the CIDs of their public keys. */
const keyIds = keyFiles.map((file) => {
  const publicKey = Buffer.concat([Buffer.from('08011220', 'hex'), file.subarray(-32)])
  return CID.createV1(0x72, Digest.create(0, publicKey)).toString(base36)
})

const json = [
  '{}',
  '[]',
  'null',
  'true',
  '1',
  '-1',
  '1.0',
  '1.5',
  '1e3',
  '-0',
  '-0.0',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551615',
  '18446744073709551616',
  '"x"',
  '"\\u00e9\\n"',
  '"<&>"',
  '{"x":1}',
  '{"b":1,"a":2,"aa":3}',
  '{"a":1,"a":2}',
  '{"a":{"b":[1,{"c":"d"}]}}',
  '{"/":"bafkqaaa"}',
  '{"link":{"/":"QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"}}',
  '{"/":{"bytes":"aGVsbG8"}}',
  '{"x":{"/":{"bytes":"aGVsbG8="}}}',
  '{"/":{"bytes":1}}',
  '{"/":"x"}',
  '{"/":1}',
  '{"/":"bafkqaaa","a":1}',
  '{"/a":1}',
  '{"Data":{"/":{"bytes":"CAE"}},"Links":[]}',
  '{"Links":[]}',
  '{"Data":{"/":{"bytes":"CAE"}}}',
  '{"Links":[{"Hash":{"/":"bafkqaaa"},"Name":"n","Tsize":3}]}',
  '{"Links":[{"Hash":{"/":"bafkqaaa"}}]}',
  '{"Links":[{"Name":"x"}]}',
  '{"Links":[],"x":1}',
  ' {"x" : 1 } ',
  '{"x":1}x',
  '{"x":1',
  '',
  'x',
  '[1,]',
  '{"x":}',
  "{'x':1}",
  '[1,2,3,"a",null,true,{"x":[]}]',
  '"\\ud800"',
  '+1',
  '.5',
  'NaN',
  '{"":1}',
  '[[[[[[]]]]]]',
  '{"a":',
  '[1',
  '[{"x":"y',
  'trux',
  '[nul]',
  '-',
  '1e+',
  '{1:2}',
  '{"a" 1}',
  '["\\x"]',
  '{"/":{"bytes":"a"}}',
]
const cborHex = [
  'a0',
  '80',
  'f6',
  'f5',
  '01',
  '20',
  'fb3ff8000000000000',
  'f93e00',
  'fa3fc00000',
  '1b7fffffffffffffff',
  '1bffffffffffffffff',
  '3b7fffffffffffffff',
  '3bffffffffffffffff',
  '6161',
  'a1616101',
  'a2616101616202',
  'a2616201616101',
  'a2616101616102',
  'd82a4500015500 00',
  'd82a450001550000',
  'd82a4401550000',
  '4101',
  '5f4101ff',
  '9f01ff',
  'bf616101ff',
  'f7',
  'fb7ff8000000000000',
  'f97e00',
  '1801',
  '190001',
  'a10101',
  'c101',
  '',
  'a1',
  '82',
  '61',
  '8201',
  '0101',
  'ff',
  'fc',
  'a16161',
  '62c328',
  'a26161016261610200',
  '83010203',
  'a3616101626161026162f6',
  '7f61616162ff',
  '5f4101',
  'd9d9f7a0',
  'c24101',
  'f9',
  '1c',
  'bf6161ff',
  '9affffffff',
  '3bffffffffffffffff',
]

/** How often an operation is asked for; others once. */
const weights: Record<string, number> = {
  add: 14,
  cat: 4,
  ls: 4,
  get: 3,
  'block/put': 4,
  'block/get': 3,
  'dag/put': 9,
  'dag/get': 7,
  'dag/resolve': 3,
  'dag/export': 3,
  'dag/import': 4,
  'dag/stat': 3,
  'pin/add': 4,
  'pin/ls': 4,
  'pin/rm': 3,
  refs: 3,
  'files/cp': 6,
  'files/ls': 4,
  'files/mkdir': 4,
  'files/mv': 4,
  'files/read': 4,
  'files/rm': 3,
  'files/stat': 5,
  'files/write': 8,
  'files/chcid': 2,
  'cid/format': 4,
  // Ends with the client.
  'log/tail': 0,
  'repo/gc': 0.3,
  'repo/verify': 0.2,
  'refs/local': 0.3,
  'repo/ls': 0.3,
  'key/gen': 0.7,
  'key/import': 2,
  'name/publish': 3,
  'name/resolve': 2,
  resolve: 3,
  'config/profile/apply': 0.2,
  'config/replace': 0.1,
}

/** Requests over a registry of operations. */
export function createGenerator(
  random: Random,
  commands: ReadonlyMap<string, Command>,
  globalOptions: Readonly<Record<string, OptionSpec>>,
): Generator {
  const cids: string[] = []
  const cars: Buffer[] = []
  const operations = [...commands.keys()]
  const total = operations.reduce((sum, name) => sum + (weights[name] ?? 1), 0)

  function pickOperation(): string {
    let rest = random.next() * total
    for (const name of operations) {
      rest -= weights[name] ?? 1
      if (rest < 0) return name
    }
    return 'version'
  }

  function cid(): string {
    if (cids.length === 0 || random.chance(0.08)) return random.pick(strangeCids)
    const recent = Math.min(cids.length, 40)
    return random.chance(0.7) ? (cids[cids.length - 1 - random.below(recent)] as string) : random.pick(cids)
  }

  function contentPath(): string {
    const root = cid()
    const below = random.chance(0.3)
      ? random.pick([
          '/a',
          '/b.txt',
          '/dir',
          '/dir/x',
          '/Links/0/Hash',
          '/x',
          '/a/b',
          '/',
          '/é',
          '/0',
          '//a',
          '/..',
        ])
      : ''
    if (random.chance(0.04)) return `/ipns/${random.pick(keyIds)}${below}`
    const front = random.chance(0.25)
      ? random.pick(['/ipfs/', '/ipfs/', 'ipfs://', '/ipld/', '/ipns/', '/foo/'])
      : ''
    return front + root + below
  }

  function argument(operation: string, { name }: ArgumentSpec): string {
    if (operation.startsWith('files/')) {
      if (name === 'mode') return random.pick(['644', '0755', '4755', '8', 'x', '', '77777'])
      const fromIpfs = name === 'source' || (operation === 'files/stat' && random.chance(0.3))
      if (fromIpfs && random.chance(0.6)) return `/ipfs/${cid()}${random.chance(0.15) ? '/a' : ''}`
      // Kubo changes the root's format by a path that is not written as it says, and never back.
      return random.pick(
        operation === 'files/chcid' ? filesPaths.filter((path) => path.startsWith('/')) : filesPaths,
      )
    }
    if (operation.startsWith('key/')) return random.pick(keyNames)
    if (operation === 'name/resolve' && random.chance(0.7)) return random.pick(keyIds)
    if (operation.startsWith('config'))
      return random.pick(name === 'key' ? configKeys : [...texts, '{"a":1}', '1', 'true'])
    if (operation.startsWith('multibase/')) return random.pick(bases)
    if (name === 'peerid') return random.pick(['foo', ''])
    return contentPath()
  }

  function option(name: string, { type }: OptionSpec): string {
    const values = optionValues[name]
    if (values !== undefined) return random.pick(values)
    if (type === 'bool') return random.pick(random.chance(0.85) ? truths.slice(0, 2) : truths)
    return random.pick(type === 'string' || type === 'strings' ? texts : numbers)
  }

  function upload(operation: string): Upload {
    switch (operation) {
      case 'add':
        return randomTree(random)
      case 'dag/put':
        return uploadOf(random.chance(0.75) ? random.pick(json) : Buffer.from(random.pick(cborHex), 'hex'))
      case 'dag/import': {
        const car =
          cars.length > 0 && random.chance(0.85)
            ? random.pick(cars)
            : Buffer.from('0aa16776657273696f6e01', 'hex')
        if (random.chance(0.7)) return uploadOf(car)
        const cut = Buffer.from(car.subarray(0, random.below(car.length + 1)))
        if (cut.length > 0 && random.chance(0.5)) cut[random.below(cut.length)] = random.below(256)
        return uploadOf(cut)
      }
      case 'key/import':
        return uploadOf(random.chance(0.8) ? random.pick(keyFiles) : randomContent(random, random.below(80)))
      case 'files/write':
        return uploadOf(randomContent(random, random.pick([0, 1, 5, 4096, 5000, 262_144, 300_000])))
      default:
        return random.chance(0.2)
          ? uploadOf(Buffer.from(random.pick(cborHex), 'hex'), random.pick(json))
          : uploadOf(randomContent(random))
    }
  }

  function command(): PeerRequest {
    const operation = pickOperation()
    const spec = commands.get(operation) as Command
    const query: [string, string][] = []
    for (const declared of spec.arguments.filter(({ kind }) => kind === 'string')) {
      if (!declared.required && random.chance(0.5)) continue
      if (random.chance(0.02)) continue
      const count = declared.variadic && random.chance(0.15) ? 2 : 1
      for (let index = 0; index < count; index++) query.push(['arg', argument(operation, declared)])
    }
    for (const [name, declared] of Object.entries({ ...globalOptions, ...spec.options })) {
      const likely = name in globalOptions ? 0.03 : 2.2 / Math.max(4, Object.keys(spec.options).length)
      if (!random.chance(likely)) continue
      const wireName =
        declared.aliases && random.chance(0.3) ? random.pick([name, ...declared.aliases]) : name
      query.push([wireName, option(name, declared)])
      if (random.chance(0.01)) query.push([wireName, option(name, declared)])
    }
    if (random.chance(0.01)) query.push(['foo', 'bar'])
    if (operation === 'name/publish' && random.chance(0.8)) query.push(['allow-offline', 'true'])
    // Without a time, or with that of 1970, it is that of the request.
    if (operation === 'files/touch') {
      for (const option of query) if (option[0] === 'mtime' && option[1] === '0') option[1] = '500'
    }
    if (operation === 'files/touch' && !query.some(([name]) => name === 'mtime')) query.push(['mtime', '500'])
    const takesFile = spec.arguments.some(({ kind }) => kind === 'file')
    let body: Upload | undefined = takesFile ? upload(operation) : undefined
    if (body && random.chance(0.02)) body = spoilt(random, body)
    if (body && random.chance(0.01)) body = undefined
    const method = random.chance(0.004) ? random.pick(['GET', 'OPTIONS', 'PUT', 'HEAD']) : 'POST'
    if (method !== 'POST') body = undefined
    const text = query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
    return {
      to: 'api',
      method,
      target: `/api/v0/${operation}${text === '' ? '' : `?${text}`}`,
      headers: { ...body?.headers, ...(random.chance(0.005) && { origin: 'http://example.com' }) },
      ...(body && { body: body.body }),
    }
  }

  function gateway(): PeerRequest {
    const isName = random.chance(0.05)
    const root = isName ? random.pick(keyIds) : cid()
    const below = random.chance(0.5)
      ? random.pick([
          '/',
          '/a',
          '/b.txt',
          '/dir',
          '/dir/',
          '/dir/x',
          '/nope',
          '/index.html',
          '/c%20d',
          '/%C3%A9',
          '/a/b',
          '/x/y',
          '//',
        ])
      : ''
    const query: string[] = []
    const add = (probability: number, name: string, values: readonly string[]): void => {
      if (random.chance(probability)) query.push(`${name}=${random.pick(values)}`)
    }
    add(0.35, 'format', [
      'raw',
      'car',
      'tar',
      'json',
      'cbor',
      'dag-json',
      'dag-cbor',
      'ipns-record',
      'foo',
      '',
    ])
    add(0.02, 'uri', [`ipfs://${root}`, `ipfs://${root}/a?b=c`, `ipns://${root}/`, 'http://x', 'x', 'ipfs:'])
    add(0.12, 'filename', ['x.txt', 'x%20%C3%A9.html', '', 'a%22b.png'])
    add(0.1, 'download', ['true', 'false', ''])
    add(0.1, 'dag-scope', ['all', 'entity', 'block', 'foo', ''])
    add(0.06, 'entity-bytes', ['0:*', '0:3', '-3:*', '5:2', 'x', '1:-1', ''])
    add(0.04, 'car-version', ['1', '2'])
    add(0.04, 'car-dups', ['y', 'n', 'x'])
    add(0.04, 'car-order', ['dfs', 'unk', 'x'])
    const headers: Record<string, string> = {}
    const head = (probability: number, name: string, values: readonly string[]): void => {
      if (random.chance(probability)) headers[name] = random.pick(values)
    }
    head(0.25, 'accept', [
      'application/vnd.ipld.raw',
      'application/vnd.ipld.car',
      'application/vnd.ipld.car; version=1; order=dfs; dups=y',
      'application/json',
      'text/html',
      '*/*',
      'application/vnd.ipld.dag-json',
      'application/cbor',
      'application/vnd.ipld.dag-cbor',
      'application/x-tar',
      'text/html, application/vnd.ipld.raw',
    ])
    head(0.15, 'range', [
      'bytes=0-3',
      'bytes=-2',
      'bytes=1-',
      'bytes=9999999-',
      'bytes=3-1',
      'foo',
      'bytes=0-0,2-3',
      'bytes=',
      'bytes=0-99999999',
    ])
    head(0.1, 'if-none-match', ['*', `"${root}"`, `W/"${root}"`, `"${root}.raw"`, '"x"', `"${root}", "y"`])
    head(0.04, 'if-modified-since', ['Thu, 01 Jan 1970 00:08:20 GMT', 'Fri, 01 Jan 2027 00:00:00 GMT', 'x'])
    head(0.04, 'cache-control', ['only-if-cached', 'no-cache'])
    head(0.02, 'service-worker', ['script'])
    head(0.08, 'host', [
      'localhost:8080',
      `${root}.ipfs.localhost:8080`,
      `${root}.ipfs.localhost:8080`,
      'example.com',
      'foo.ipfs.localhost:8080',
    ])
    head(0.02, 'x-forwarded-host', ['localhost', `${root}.ipfs.localhost`, 'example.org'])
    const namespaces = ['/ipns/', '/ipld/', '/foo/', '/ipfs/ipfs/', '/ipfs/ipns/']
    const name = isName ? '/ipns/' : random.chance(0.04) ? random.pick(namespaces) : '/ipfs/'
    return {
      to: 'gateway',
      method: random.chance(0.9)
        ? 'GET'
        : random.pick(['HEAD', 'HEAD', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']),
      target: `${headers['host']?.startsWith(`${root}.`) ? below || '/' : `${name}${root}${below}`}${query.length === 0 ? '' : `?${query.join('&')}`}`,
      headers,
    }
  }

  return {
    forget() {
      cids.length = 0
    },
    next: () => (cids.length > 5 && random.chance(0.2) ? gateway() : command()),
    learn({ target }, { status, body, headers }) {
      if (status !== 200) return
      if (headers['content-type'] === 'application/vnd.ipld.car' && body.length < 100_000) cars.push(body)
      if (
        body.length > 50_000 ||
        !/^\/api\/v0\/(add|block\/put|dag\/put|files\/stat|files\/flush|dag\/import)/.test(target)
      )
        return
      for (const [found] of body.toString().matchAll(/Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{5,}/g)) {
        if (!cids.includes(found)) cids.push(found)
      }
      if (cids.length > 400) cids.splice(0, 100)
    },
  }
}
