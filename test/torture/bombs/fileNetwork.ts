import { createHash } from 'node:crypto'
import { file, firstRefusal, many, oncePerNode, refusalOf, sendFile, varint, type Bomb } from './bomb.js'
import type { TorturedNode } from '../node.js'
import { postFiles, uploadBody } from '../requests.js'
import { withDag } from './dag.js'

/** Returns an identity CID of content of the given length, in base16. */
function identityCid(length: number): string {
  const bytes: number[] = [1, 0x55, 0]
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) | 128 : rest)
    if (rest < 128) break
  }
  return `f${Buffer.concat([Buffer.from(bytes), Buffer.alloc(length, 0xab)]).toString('hex')}`
}

const deepCbor = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([0x80])])

/** Writes a file of fifty megabytes to MFS. */
const writeLarge = oncePerNode((node) =>
  sendFile(node, 'files/write?create=true&arg=/large', Buffer.alloc(5e7, 1)),
)

/** Identity CID of empty content. */
const IDENTITY = 'bafkqaaa'

/** Ways to read and change a dag-pb node. */
const readings = [
  'dag/get?arg=CID',
  'dag/get?arg=CID&output-codec=dag-cbor',
  'dag/stat?arg=CID&progress=false',
  'dag/resolve?arg=CID/Links/40000/Hash',
  'dag/export?arg=CID',
  'ls?arg=CID',
  'ls?arg=CID&resolve-type=false&size=false',
  'ls?arg=CID&stream=true',
  'refs?arg=CID',
  'refs?arg=CID&recursive=true',
  'refs?arg=CID&recursive=true&unique=true',
  'cat?arg=CID',
  'get?arg=CID',
  'files/stat?arg=/ipfs/CID',
  'object/patch/add-link?arg=CID&arg=a&arg=bafkqaaa&allow-big-block=true',
  'object/patch/rm-link?arg=CID&arg=777&allow-big-block=true',
  'pin/add?arg=CID',
  'pin/ls?arg=CID',
  'pin/rm?arg=CID',
  'files/cp?arg=/ipfs/CID&arg=/wide',
  'files/ls?arg=/wide&long=true',
  'files/rm?arg=/wide&recursive=true',
  'block/rm?arg=CID',
]

/** Bombs of the file network. */
export const fileNetwork: readonly Bomb[] = [
  file('cat: an identity CID of 7 kB', () => `cat?arg=${identityCid(7000)}`),
  file('block/get: base36 of 15 kB', () => `block/get?arg=k${'z'.repeat(15_000)}`),
  file('block/get: base58 of 15 kB', () => `block/get?arg=z${'x'.repeat(15_000)}`),
  file('block/get: base58 without a prefix', () => `block/get?arg=Qm${'x'.repeat(15_000)}`),
  file('cid/format: base36 of 15 kB', () => `cid/format?arg=k${'z'.repeat(15_000)}&b=base58btc`),
  file('cid/format: base10', () => `cid/format?arg=9${'9'.repeat(15_000)}`),
  file('dag/resolve: a long path', () => `dag/resolve?arg=bafyreigh2akiscaildc/${'a/'.repeat(7000)}`),
  file(
    'dag/put: deep dag-cbor',
    () => 'dag/put?input-codec=dag-cbor',
    () => deepCbor(1_000_000),
  ),
  file(
    'dag/put: deep dag-json',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from(`${'['.repeat(500_000)}${']'.repeat(500_000)}`),
  ),
  file(
    'dag/put: wide dag-json',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from(JSON.stringify(Object.fromEntries(many(80_000, (i) => [`key${i}`, i])))),
  ),
  file(
    'dag/put: a long dag-json string',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from(JSON.stringify('\u0001'.repeat(300_000))),
  ),
  file(
    'dag/put: a long number',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from('9'.repeat(1e6)),
  ),
  file(
    'dag/put: dag-json to dag-jose',
    () => 'dag/put?input-codec=dag-json&store-codec=dag-jose',
    () => Buffer.from(JSON.stringify({ payload: 'a'.repeat(500_000), signatures: [] })),
  ),
  file(
    'block/put: two megabytes',
    () => 'block/put',
    () => Buffer.alloc(2e6, 1),
  ),
  file(
    'block/put: sha3-512',
    () => 'block/put?mhtype=sha3-512',
    () => Buffer.alloc(1e6, 1),
  ),
  file(
    'block/put: blake2b',
    () => 'block/put?mhtype=blake2b-256',
    () => Buffer.alloc(1e6, 1),
  ),
  file(
    'block/put: blake3',
    () => 'block/put?mhtype=blake3',
    () => Buffer.alloc(1e6, 1),
  ),
  file(
    'block/put: dbl-sha2-256',
    () => 'block/put?mhtype=dbl-sha2-256',
    () => Buffer.alloc(1e6, 1),
  ),
  file(
    'dag/put: twenty megabytes of Base64',
    () => 'dag/put?input-codec=dag-json&allow-big-block=true',
    () => Buffer.from(`{"a":{"/":{"bytes":"${'A'.repeat(2e7)}"}}}`),
  ),
  ...['shake-256', 'dbl-sha2-256', 'keccak-256'].map((name) =>
    file(
      `block/put: ${name} of sixty megabytes`,
      () => `block/put?mhtype=${name}&allow-big-block=true`,
      () => Buffer.alloc(6e7, 1),
    ),
  ),
  file(
    'add: chunks of a byte',
    () => 'add?chunker=size-1',
    () => Buffer.alloc(200_000, 1),
  ),
  file(
    'add: rabin',
    () => 'add?chunker=rabin',
    () => Buffer.alloc(2e7, 1),
  ),
  file(
    'add: buzhash',
    () => 'add?chunker=buzhash',
    () => Buffer.alloc(2e7, 1),
  ),
  file(
    'add: a hundred megabytes',
    () => 'add?cid-version=1',
    () => Buffer.alloc(1e8, 1),
  ),
  file(
    'add: trickle',
    () => 'add?trickle=true&chunker=size-64',
    () => Buffer.alloc(1e6, 1),
  ),
  file(
    'dag/import: not a CAR',
    () => 'dag/import',
    () => Buffer.alloc(1e7, 0x7f),
  ),
  file(
    'dag/import: a header of ten megabytes',
    () => 'dag/import',
    () => Buffer.concat([Buffer.from([0x80, 0xad, 0xe2, 0x04]), Buffer.alloc(1e7, 0x81)]),
  ),
  file('files/mkdir: a deep path', () => `files/mkdir?parents=true&arg=/${'d/'.repeat(3000)}`),
  file(
    'object/patch/add-link: a deep path',
    () =>
      `object/patch/add-link?create=true&arg=QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn&arg=${'d/'.repeat(5000)}d&arg=bafkqaaa`,
  ),
  file(
    'files/write: far beyond the end',
    () => 'files/write?create=true&arg=/far&offset=4000000000000',
    () => Buffer.from('x'),
  ),
  file(
    'files/write: a gigabyte beyond the end',
    () => 'files/write?create=true&arg=/gap&offset=1000000000',
    () => Buffer.from('x'),
  ),
  file('refs: everything', () => 'refs/local'),
  file('pin/ls: everything', () => 'pin/ls?stream=false'),
  file('repo/gc', () => 'repo/gc'),
  file('repo/verify', () => 'repo/verify'),
  file('repo/stat', () => 'repo/stat'),
  file('unknown: long arguments', () => `cat?${many(1500, (i) => `arg=${i}`).join('&')}`),
  file('regex-like: a pin name of slashes', () => `pin/ls?name=${'%2F'.repeat(5000)}&names=true`),
  {
    name: 'add: ten thousand files of a directory',
    run: (node, signal) =>
      sendFile(
        node,
        'add?wrap-with-directory=true&cid-version=1',
        uploadBody(many(10_000, (i) => [`file${i}`, Buffer.from(`${i}`)])),
        signal,
      ),
  },
  {
    name: 'add: a thousand nested directories',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1',
        uploadBody([[`${'d%2F'.repeat(1000)}file`, Buffer.from('x')]]),
        signal,
      ),
  },
  {
    name: 'add: parts without content',
    run: (node, signal) =>
      sendFile(node, 'add', uploadBody(many(20_000, (i) => [`empty${i}`, Buffer.alloc(0)])), signal),
  },
  {
    name: 'add: two thousand copies of a block that is stored under 4,000 codecs',
    prepare: oncePerNode(async (node) => {
      for (let first = 0; first < 4000; first += 100) {
        await firstRefusal(
          many(100, (i) =>
            sendFile(node, `block/put?cid-codec=${0x300000 + first + i}`, Buffer.from('many codecs')),
          ),
        )
      }
    }),
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1&pin=false',
        uploadBody(many(2000, (i) => [`${i}`, Buffer.from('many codecs')])),
        signal,
      ),
  },
  {
    name: 'add: a hundred thousand parts',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1&pin=false',
        uploadBody(many(100_000, (i) => [`f${i}`, Buffer.from(`${i}`)])),
        signal,
      ),
  },
  {
    name: 'add: a hundred thousand files of a directory',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1&silent=true',
        uploadBody(many(100_000, (i) => [`d%2Ff${i}`, Buffer.from(`${i % 10}`)])),
        signal,
      ),
  },
  {
    name: 'add: parts with the longest headers',
    run: (node, signal) =>
      sendFile(
        node,
        'add',
        // Just below the limit for the headers of a part.
        Buffer.from(
          `--torture\r\n${'x: y\r\n'.repeat(43_000)}content-type: application/octet-stream\r\ncontent-disposition: form-data; filename="f"\r\n\r\nx\r\n`.repeat(
            10,
          ) + '--torture--\r\n',
        ),
        signal,
      ),
  },
  {
    name: 'add: a path of a hundred thousand directories',
    refusal: 'more than 1024 segments',
    run: (node, signal) =>
      sendFile(node, 'add', uploadBody([[`${'d/'.repeat(100_000)}f`, Buffer.from('x')]]), signal),
  },
  {
    name: 'add: a path of a thousand directories a hundred times',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1',
        uploadBody(many(100, (i) => [`${i}/${'d/'.repeat(1000)}f`, Buffer.from('x')])),
        signal,
      ),
  },
  {
    name: 'add: a path of a thousand directories a thousand times',
    refusal: 'more than 262144 directories',
    run: (node, signal) =>
      sendFile(
        node,
        'add?silent=true',
        uploadBody(many(1000, (i) => [`${i}/${'d/'.repeat(1000)}f`, Buffer.from('x')])),
        signal,
      ),
  },
  {
    name: 'name/publish: three hundred at once',
    run: (node, signal) =>
      firstRefusal(
        many(300, () => sendFile(node, 'name/publish?arg=bafkqaaa&allow-offline=true', undefined, signal)),
      ),
  },
  {
    name: 'name/publish with an RSA key of 8192 bits',
    prepare: oncePerNode((node) => sendFile(node, 'key/gen?arg=publisher&type=rsa&size=8192')),
    run: (node, signal) =>
      sendFile(node, 'name/publish?arg=/ipfs/bafkqaaa&key=publisher&allow-offline=true', undefined, signal),
  },
  {
    name: 'add: two thousand names of twenty thousand characters',
    run: (node, signal) =>
      sendFile(
        node,
        'add?wrap-with-directory=true&silent=true',
        uploadBody(many(2000, (i) => [i + 'n'.repeat(20_000), Buffer.from('x')])),
        signal,
      ),
  },
  {
    name: 'add: a boundary of ten thousand characters',
    refusal: 'a multipart boundary of more than 256',
    async run(node, signal) {
      const boundary = 'b'.repeat(10_000)
      const answer = await fetch(new URL('/api/v0/add', node.ready.ipfsUrl), {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: `--${boundary}\r\n\r\n${`\r\n--${boundary.slice(1)}`.repeat(6000)}\r\n--${boundary}--\r\n`,
        signal,
      })
      return refusalOf({ status: answer.status, text: await answer.text() })
    },
  },
  {
    name: 'add: content full of near boundaries',
    run: (node, signal) =>
      sendFile(
        node,
        'add?only-hash=true',
        uploadBody([['near', Buffer.from('\r\n--tortur'.repeat(1e6))]]),
        signal,
      ),
  },
  ...withNode('200,000 links', wideNode(200_000, 0)),
  ...withNode('200,000 links of one file', wideNode(200_000, 3)),
  ...withNode('200,000 links with long names', wideNode(50_000, 200)),
  objectDiff(),
  {
    name: 'add: twenty thousand directories of a directory',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1&pin=false',
        uploadBody(many(20_000, (i) => [`d%2F${i}%2Ff`, Buffer.from('x')])),
        signal,
      ),
  },
  ...withCbor('a million numbers', () =>
    Buffer.concat([Buffer.from([0x9a, 0, 0x0f, 0x42, 0x40]), Buffer.alloc(1e6, 1)]),
  ),
  ...withCbor('deep lists', () => deepCbor(1000)),
  ...withCbor('bytes of 1.9 megabytes', () =>
    Buffer.concat([Buffer.from([0x5a, 0, 0x1c, 0xfd, 0xe0]), Buffer.alloc(1_900_000, 1)]),
  ),
  ...withCbor('a string of 1.9 megabytes', () =>
    Buffer.concat([Buffer.from([0x7a, 0, 0x1c, 0xfd, 0xe0]), Buffer.alloc(1_900_000, 1)]),
  ),
  // Links to empty content inlined in its CID.
  ...withCbor('forty thousand links', () =>
    Buffer.concat([
      Buffer.from('999c40', 'hex'),
      Buffer.alloc(40_000 * 8, Buffer.from('d82a450001550000', 'hex')),
    ]),
  ),
  file(
    'block/put: sixty megabytes',
    () => 'block/put?allow-big-block=true',
    () => Buffer.alloc(6e7, 1),
  ),
  file(
    'dag/put: sixty megabytes of dag-cbor',
    () => 'dag/put?allow-big-block=true&input-codec=dag-cbor',
    () => Buffer.concat([Buffer.from([0x9a, 0x01, 0xc9, 0xc3, 0x80]), Buffer.alloc(3e7, 1)]),
  ),
  file(
    'dag/put: sixty megabytes of dag-json',
    () => 'dag/put?allow-big-block=true',
    () => Buffer.from(`[${'1,'.repeat(2e7)}1]`),
  ),
  file(
    'dag/put: sixty megabytes of empty maps',
    () => 'dag/put?allow-big-block=true',
    () => Buffer.from(`[${'{},'.repeat(2e7)}{}]`),
  ),
  file(
    'dag/put: a string of sixty megabytes',
    () => 'dag/put?allow-big-block=true',
    () => Buffer.from(`"${'x'.repeat(6e7)}"`),
  ),
  file(
    'dag/put: thirty strings of two megabytes',
    () => 'dag/put?allow-big-block=true',
    () => Buffer.from(`[${many(30, () => `"${'x'.repeat(2e6)}"`).join(',')}]`),
  ),
  file(
    'dag/put: thirty names of two megabytes',
    () => 'dag/put?allow-big-block=true',
    () => Buffer.from(`{${many(30, (i) => `"${'x'.repeat(2e6)}${i}":1`).join(',')}}`),
  ),
  file(
    'key/sign: sixty megabytes',
    () => 'key/sign',
    () => Buffer.alloc(6e7, 1),
  ),
  file(
    'dag/import: a hundred thousand blocks',
    () => 'dag/import?pin-roots=false',
    () => car(100_000),
  ),
  file(
    'dag/import: fifty thousand roots',
    () => 'dag/import',
    () => carOfRoots(50_000),
  ),
  file(
    'dag/import: seven hundred thousand roots',
    () => 'dag/import',
    () => carOfRoots(700_000),
  ),
  file('cid/base32: base58 of 15 kB', () => `cid/base32?arg=z${'x'.repeat(15_000)}`),
  file(
    'cid/format: thousands of CIDs',
    () => `cid/format?${many(500, () => `arg=${IDENTITY}`).join('&')}&b=base36`,
  ),
  file('cid/inspect: base36', () => `cid/inspect?arg=k${'z'.repeat(15_000)}`),
  file('ls: a long CID', () => `ls?arg=z${'Q'.repeat(15_000)}`),
  file('pin/add: base36', () => `pin/add?arg=k${'z'.repeat(15_000)}`),
  file('name/resolve: base36', () => `name/resolve?arg=k${'z'.repeat(15_000)}`),
  file(
    'multibase/decode: base58 of 300 kB',
    () => 'multibase/decode',
    () => Buffer.from(`z${'x'.repeat(300_000)}`),
  ),
  file(
    'multibase/decode: base36 of 300 kB',
    () => 'multibase/decode',
    () => Buffer.from(`k${'z'.repeat(300_000)}`),
  ),
  file(
    'multibase/encode: base58 of 300 kB',
    () => 'multibase/encode?b=base58btc',
    () => Buffer.alloc(300_000, 7),
  ),
  file(
    'multibase/encode: base10',
    () => 'multibase/encode?b=base10',
    () => Buffer.alloc(300_000, 7),
  ),
  file(
    'multibase/encode: base64 of 60 MB',
    () => 'multibase/encode?b=base64',
    () => Buffer.alloc(6e7, 7),
  ),
  ...['base2', 'base16', 'base32', 'base64urlpad', 'base256emoji'].flatMap((base) => [
    file(
      `multibase/encode: ${base} of 12 MB`,
      () => `multibase/encode?b=${base}`,
      () => Buffer.alloc(1.2e7, 7),
    ),
    file(
      `multibase/transcode: eight megabytes to ${base}`,
      () => `multibase/transcode?b=${base}`,
      () => Buffer.concat([Buffer.from('m'), Buffer.alloc(8e6, 0x41)]),
    ),
  ]),
  ...['base36', 'base58btc'].map((base) =>
    file(
      `multibase/encode: ${base} of 8 kB`,
      () => `multibase/encode?b=${base}`,
      () => Buffer.alloc(8192, 200),
    ),
  ),
  file('cid/format: base58 of 4 kB', () => `cid/format?arg=${identityCid(4000)}&b=base58btc`),
  ...['f', 'b', 'm', '0'].map((prefix) =>
    file(
      `multibase/decode: thirty megabytes with prefix ${prefix}`,
      () => 'multibase/decode',
      () => Buffer.concat([Buffer.from(prefix), Buffer.alloc(30_720_000, prefix === '0' ? 0x30 : 0x61)]),
    ),
  ),
  file(
    'multibase/transcode: base58 of 300 kB',
    () => 'multibase/transcode?b=base36',
    () => Buffer.from(`z${'x'.repeat(300_000)}`),
  ),
  file('key/gen: RSA', () => 'key/gen?arg=large&type=rsa&size=8192'),
  file(
    'key/import: ten megabytes',
    () => 'key/import?arg=k',
    () => Buffer.alloc(1e7, 1),
  ),
  file(
    'config/replace: ten megabytes',
    () => 'config/replace',
    () => Buffer.from(`{"a":[${'1,'.repeat(5e6)}1]}`),
  ),
  file(
    'config/replace: sixty thousand settings',
    () => 'config/replace',
    () => Buffer.from(JSON.stringify(Object.fromEntries(many(60_000, (i) => [`k${i}`, i])))),
  ),
  file(
    'files/write: fifty megabytes',
    () => 'files/write?create=true&arg=/large',
    () => Buffer.alloc(5e7, 1),
  ),
  {
    ...file(
      'files/write: in the middle of that',
      () => 'files/write?arg=/large&offset=20000000',
      () => Buffer.alloc(1e7, 2),
    ),
    prepare: writeLarge,
  },
  { ...file('files/read: all of that', () => 'files/read?arg=/large'), prepare: writeLarge },
  file('files/stat: with local sizes', () => 'files/stat?arg=/&with-local=true'),
  ...mutableDirectory(20_000),
  file('repo/verify: after all that', () => 'repo/verify'),
  file('repo/gc: after all that', () => 'repo/gc?stream-errors=true'),
]

/** Compares two wide directories with half of their names in common. */
function objectDiff(): Bomb {
  const putBoth = oncePerNode((node) =>
    Promise.all(
      [0, 50_000].map(async (first) => {
        const path = 'block/put?cid-codec=dag-pb&allow-big-block=true'
        const answer = await postFiles(node, path, wideNode(100_000, 0, first)())
        return (JSON.parse(answer) as { Key: string }).Key
      }),
    ),
  )
  return {
    name: 'object/diff: two directories of 100,000 links',
    prepare: putBoth,
    run: async (node, signal) => {
      const [before, after] = await putBoth(node)
      return sendFile(node, `object/diff?arg=${before}&arg=${after}`, undefined, signal)
    },
  }
}

/** Makes bombs that store a dag-pb node as a block and as data, and read it in every way. */
function withNode(name: string, body: () => Buffer): Bomb[] {
  const path = 'block/put?cid-codec=dag-pb&allow-big-block=true'
  const cidOf = (answer: string): string => (JSON.parse(answer) as { Key: string }).Key
  return [
    ...withDag(`a node of ${name}`, { path, body, cidOf }, readings),
    file(
      `dag/put: a node of ${name}`,
      () => 'dag/put?input-codec=dag-pb&store-codec=dag-pb&allow-big-block=true',
      body,
    ),
  ]
}

/** Makes bombs that store dag-cbor and read it in every way. */
function withCbor(name: string, body: () => Buffer): Bomb[] {
  const path = 'dag/put?input-codec=dag-cbor&store-codec=dag-cbor'
  const cidOf = (answer: string): string => (JSON.parse(answer) as { Cid: { '/': string } }).Cid['/']
  return withDag(name, { path, body, cidOf }, [
    'dag/get?arg=CID',
    'dag/get?arg=CID&output-codec=dag-cbor',
    'dag/resolve?arg=CID/0',
    'dag/stat?arg=CID',
    'refs?arg=CID',
    'pin/add?arg=CID',
  ])
}

/** Makes bombs of operations on an MFS directory, which is at /directory before each. */
function mutableDirectory(size: number): Bomb[] {
  const add = oncePerNode(async (node) => {
    const files = uploadBody(many(size, (i) => [`m%2Fentry${i}`, Buffer.from('x')]))
    const lines = (await postFiles(node, 'add?quieter=true', files)).trim().split('\n')
    return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
  })
  async function prepare(node: TorturedNode): Promise<void> {
    const hash = await add(node)
    for (const path of ['/directory', '/directory2']) {
      await sendFile(node, `files/rm?arg=${path}&recursive=true&force=true`)
    }
    await sendFile(node, `files/cp?arg=/ipfs/${hash}&arg=/directory`)
  }
  return [
    file(`files/ls: a directory of ${size}`, () => 'files/ls?arg=/directory'),
    file(`files/ls: a directory of ${size}, long`, () => 'files/ls?arg=/directory&long=true'),
    file(`files/ls: a directory of ${size}, unsorted`, () => 'files/ls?arg=/directory&U=true'),
    file(`files/stat: a directory of ${size}`, () => 'files/stat?arg=/directory&with-local=true'),
    file(
      `files/write: into a directory of ${size}`,
      () => 'files/write?arg=/directory/new&create=true',
      () => Buffer.from('x'),
    ),
    file(`files/chcid: a directory of ${size}`, () => 'files/chcid?arg=/directory&cid-version=1'),
    file(`files/mv: a directory of ${size}`, () => 'files/mv?arg=/directory&arg=/directory2'),
    file(`files/rm: a directory of ${size}`, () => 'files/rm?arg=/directory&recursive=true'),
  ].map((bomb) => ({ ...bomb, prepare }))
}

/** Makes a dag-pb directory. Names are numbers from `first`, or padded to `nameLength` characters if that is not 0. */
function wideNode(count: number, nameLength: number, first = 0): () => Buffer {
  const cid = Buffer.from('01550000', 'hex')
  return () => {
    const links = many(count, (i) => {
      const name = Buffer.from(nameLength === 0 ? `${first + i}` : `${i}`.padStart(nameLength, '0'))
      const link = Buffer.concat([
        Buffer.from([0x0a]),
        varint(cid.length),
        cid,
        Buffer.from([0x12]),
        varint(name.length),
        name,
        Buffer.from([0x18, 0]),
      ])
      return Buffer.concat([Buffer.from([0x12]), varint(link.length), link])
    })
    return Buffer.concat([...links, Buffer.from('0a020801', 'hex')])
  }
}

/** Returns the raw CID of bytes. */
function rawCid(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from('01551220', 'hex'), createHash('sha256').update(content).digest()])
}

function car(blocks: number): Buffer {
  const header = Buffer.from('a265726f6f7473806776657273696f6e01', 'hex')
  return Buffer.concat([
    varint(header.length),
    header,
    ...many(blocks, (i) => {
      const content = Buffer.from(`block ${i}`)
      return Buffer.concat([varint(36 + content.length), rawCid(content), content])
    }),
  ])
}

function carOfRoots(count: number): Buffer {
  const link = Buffer.concat([Buffer.from('d82a582500', 'hex'), rawCid(Buffer.alloc(0))])
  const length = Buffer.alloc(5, 0x9a)
  length.writeUInt32BE(count, 1)
  const header = Buffer.concat([
    Buffer.from('a265726f6f7473', 'hex'),
    length,
    ...many(count, () => link),
    Buffer.from('6776657273696f6e01', 'hex'),
  ])
  return Buffer.concat([varint(header.length), header])
}
