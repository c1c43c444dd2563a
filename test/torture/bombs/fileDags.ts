import { createHash } from 'node:crypto'
import { postFiles, uploadBody } from '../requests.js'
import { file, firstRefusal, many, oncePerNode, sendFile, varint, type Bomb } from './bomb.js'
import { EMPTY_DIRECTORY, withDag } from './dag.js'

/** Number of links in the widest nodes. */
const WIDE = 150_000

/** Encodes a dag-pb link with CID, name and size. */
function pbLink(cid: Buffer, name: string, size = 0): Buffer {
  const fields = [field(1, cid), field(2, Buffer.from(name)), Buffer.from([0x18]), varint(size)]
  return field(2, Buffer.concat(fields))
}

/** Encodes a bytes field of protocol buffers. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content])
}

const EMPTY = Buffer.from('01550000', 'hex')
const ONE_BYTE = Buffer.from('0155000178', 'hex')

/** Encodes a file of {@link WIDE} one-byte blocks, which are inlined in their CIDs. */
function wideFile(): Buffer {
  const sizes = Buffer.concat([
    Buffer.from([8, 2, 0x18]),
    varint(WIDE),
    Buffer.alloc(2 * WIDE, Buffer.from([0x20, 1])),
  ])
  const link = pbLink(ONE_BYTE, '', 1)
  return Buffer.concat([Buffer.alloc(WIDE * link.length, link), field(1, sizes)])
}

/** Encodes a file that declares a million block sizes but has no blocks. */
function sizesAlone(): Buffer {
  return field(1, Buffer.concat([Buffer.from([8, 2]), Buffer.alloc(2e6, Buffer.from([0x20, 1]))]))
}

/** Encodes a HAMT shard of 50,000 links, with a fanout of 2^48 that no real shard has. */
function wideShard(): Buffer {
  const data = Buffer.from('080528223080808080808001', 'hex')
  const links = many(50_000, (i) => pbLink(EMPTY, `${i.toString(16).padStart(14, '0').toUpperCase()}x`))
  return Buffer.concat([...links, field(1, data)])
}

/** Makes a CAR of nodes that each link to the previous one. @returns the CAR and the CID of its last node */
function chain(length: number): { root: Buffer; car: Buffer } {
  let cid = EMPTY
  const sections: Buffer[] = []
  for (let index = 0; index < length; index++) {
    const node = Buffer.concat([pbLink(cid, 'a'), Buffer.from('0a020801', 'hex')])
    cid = Buffer.concat([Buffer.from('01701220', 'hex'), createHash('sha256').update(node).digest()])
    sections.push(Buffer.concat([varint(cid.length + node.length), cid, node]))
  }
  const header = Buffer.from('a265726f6f7473806776657273696f6e01', 'hex')
  return { root: cid, car: Buffer.concat([varint(header.length), header, ...sections]) }
}

/** Ways to read and change a DAG. */
const readings = [
  'dag/get?arg=CID',
  'dag/stat?arg=CID&progress=false',
  'dag/stat?arg=CID',
  'dag/export?arg=CID',
  'refs?arg=CID&recursive=true',
  'refs?arg=CID&recursive=true&unique=true&edges=true',
  'ls?arg=CID',
  'ls?arg=CID&stream=true',
  'cat?arg=CID',
  'get?arg=CID',
  'files/stat?arg=/ipfs/CID&with-local=true',
  'pin/add?arg=CID',
  'pin/ls?arg=CID',
  'pin/ls?type=indirect',
  'pin/ls?stream=true&names=true',
  'pin/verify?verbose=true',
  'repo/gc',
  'pin/rm?arg=CID',
  `object/diff?arg=CID&arg=${EMPTY_DIRECTORY}`,
  '/ipfs/CID/',
  '/ipfs/CID/99999',
  '/ipfs/CID?format=car',
  '/ipfs/CID?format=car&dag-scope=entity&entity-bytes=1000:100000',
  '/ipfs/CID?format=tar',
  '/ipfs/CID?format=raw',
  '/ipfs/CID?format=dag-json',
  'files/cp?arg=/ipfs/CID&arg=/wide',
  'files/write?arg=/wide/new&create=true',
  'files/mkdir?arg=/wide/directory',
  'files/stat?arg=/wide&with-local=true',
  'files/ls?arg=/wide&long=true',
  'files/read?arg=/wide',
  'files/write?arg=/wide&offset=70000',
  'files/write?arg=/wide&truncate=true',
  'files/touch?arg=/wide&mtime=1',
  'files/chcid?arg=/wide&cid-version=1&hash=blake3',
  'files/rm?arg=/wide/new',
  'files/rm?arg=/wide&recursive=true',
]

const put = { path: 'block/put?cid-codec=dag-pb&allow-big-block=true', cidOf: keyOf }

function keyOf(answer: string): string {
  return (JSON.parse(answer) as { Key: string }).Key
}

/** Returns the CID in the last line of an upload's answer. */
function lastHash(answer: string): string {
  return (JSON.parse(answer.trim().split('\n').at(-1) ?? '') as { Hash: string }).Hash
}

/** Data that is slow to decode. */
const values: Record<string, () => Buffer> = {
  'a million empty maps': () => Buffer.concat([Buffer.from('9a000f4240', 'hex'), Buffer.alloc(1e6, 0xa0)]),
  'a million empty strings': () => Buffer.concat([Buffer.from('9a000f4240', 'hex'), Buffer.alloc(1e6, 0x60)]),
  'a million empty byte strings': () =>
    Buffer.concat([Buffer.from('9a000f4240', 'hex'), Buffer.alloc(1e6, 0x40)]),
  'two hundred thousand floats': () =>
    Buffer.concat([
      Buffer.from('9a00030d40', 'hex'),
      ...many(200_000, () => Buffer.from('fb3ff199999999999a', 'hex')),
    ]),
  'two hundred thousand integers of 64 bits': () =>
    Buffer.concat([
      Buffer.from('9a00030d40', 'hex'),
      ...many(200_000, () => Buffer.from('1bffffffffffffffff', 'hex')),
    ]),
  '130,000 names': () =>
    Buffer.concat([
      Buffer.from('ba0001fbd0', 'hex'),
      ...many(130_000, (i) =>
        Buffer.concat([Buffer.from([0x66]), Buffer.from(i.toString(36).padStart(6, '0')), Buffer.from([1])]),
      ),
    ]),
  '130,000 names in the wrong order': () =>
    Buffer.concat([
      Buffer.from('ba0001fbd0', 'hex'),
      ...many(130_000, (i) =>
        Buffer.concat([
          Buffer.from([0x66]),
          Buffer.from((130_000 - i).toString(36).padStart(6, '0')),
          Buffer.from([1]),
        ]),
      ),
    ]),
  'lists of two in lists of two': () => Buffer.from(`${'82'.repeat(500)}01${'01'.repeat(500)}`, 'hex'),
}

let madeChain: ReturnType<typeof chain> | undefined
const longChain = (): ReturnType<typeof chain> => (madeChain ??= chain(50_000))

const pinnedFiles = (): Buffer => uploadBody(many(50_000, (i) => [`p${i}`, Buffer.from(`pinned ${i}`)]))

const addPins = oncePerNode((node) => postFiles(node, 'add?cid-version=1', pinnedFiles()))

/** Bombs with wide or deep DAGs. */
export const fileDags: readonly Bomb[] = [
  ...withDag('a file of 150,000 blocks', { ...put, body: wideFile }, readings),
  ...withDag('a file of a million sizes', { ...put, body: sizesAlone }, [
    'cat?arg=CID',
    'ls?arg=CID',
    'files/stat?arg=/ipfs/CID',
    'object/patch/add-link?arg=CID&arg=a&arg=bafkqaaa',
  ]),
  ...withDag('a shard of a fanout of 2^48', { ...put, body: wideShard }, readings),
  ...withDag(
    'a directory of 100,000 entries',
    {
      path: 'add?cid-version=1&quieter=true&pin=false',
      body: () => uploadBody(many(100_000, (i) => [`d%2F${i}`, Buffer.from(`${i % 10}`)])),
      cidOf: lastHash,
    },
    readings,
  ),
  ...withDag(
    'a directory of 20,000 different files',
    {
      path: 'add?cid-version=0&quieter=true&raw-leaves=false',
      body: () => uploadBody(many(20_000, (i) => [`d%2F${i}`, Buffer.from(`${i}`)])),
      cidOf: lastHash,
    },
    readings,
  ),
  ...withDag(
    'a chain of 50,000 nodes',
    {
      path: 'dag/import?pin-roots=false',
      body: () => longChain().car,
      cidOf: () => `f${longChain().root.toString('hex')}`,
    },
    [
      ...readings,
      `dag/resolve?arg=CID/${'a/'.repeat(5000)}`,
      `cat?arg=CID/${'a/'.repeat(5000)}`,
      `/ipfs/CID/${'a/'.repeat(5000)}`,
      `/ipfs/CID/${'a/'.repeat(5000)}b`,
      `/ipfs/CID/${'a/'.repeat(5000)}?format=car`,
    ],
  ),
  ...Object.entries(values).flatMap(([name, body]) =>
    withDag(
      name,
      {
        path: 'dag/put?input-codec=dag-cbor&store-codec=dag-cbor&allow-big-block=true',
        body,
        cidOf: (answer) => (JSON.parse(answer) as { Cid: { '/': string } }).Cid['/'],
      },
      [
        'dag/get?arg=CID',
        'dag/get?arg=CID&output-codec=dag-cbor',
        'dag/stat?arg=CID',
        'dag/resolve?arg=CID/0/0',
        '/ipfs/CID',
        '/ipfs/CID?format=dag-json',
      ],
    ),
  ),
  {
    name: 'files/stat: copies of a directory in itself, in 2^40 places',
    async prepare(node) {
      await sendFile(node, 'files/rm?arg=/copies&recursive=true&force=true')
      await sendFile(node, 'files/mkdir?arg=/copies')
      for (let i = 0; i < 40; i++) await sendFile(node, `files/cp?arg=/copies&arg=/copies/${i}`)
    },
    // Clients do not wait for its end, and neither must the node.
    run: (node) =>
      sendFile(node, 'files/stat?arg=/copies&with-local=true', undefined, AbortSignal.timeout(2000)).catch(
        () => undefined,
      ),
  },
  file(
    'dag/import: a CID of a megabyte',
    () => 'dag/import',
    () =>
      Buffer.concat([
        chain(0).car,
        varint(1_000_000),
        Buffer.from([1, 0x55, 0x12]),
        varint(999_000),
        Buffer.alloc(1e6),
      ]),
  ),
  {
    name: 'key/list: two thousand keys',
    prepare: oncePerNode(async (node) => {
      for (let round = 0; round < 20; round++) {
        await firstRefusal(many(100, (i) => sendFile(node, `key/gen?arg=ed${round}-${i}&type=ed25519`)))
      }
    }),
    run: (node, signal) => firstRefusal(many(20, () => sendFile(node, 'key/list?l=true', undefined, signal))),
  },
  file(
    'dag/put: a node of links as dag-json',
    () => 'dag/put?store-codec=dag-pb&allow-big-block=true',
    () =>
      Buffer.from(
        JSON.stringify({
          Links: many(100_000, (i) => ({ Hash: { '/': 'bafkqaaa' }, Name: `${1e6 - i}`, Tsize: 1 })),
        }),
      ),
  ),
  {
    name: 'add: fifty thousand pinned files',
    run: (node, signal) => sendFile(node, 'add?cid-version=1', pinnedFiles(), signal),
  },
  ...[
    'pin/ls',
    'pin/ls?stream=true',
    'pin/ls?type=indirect',
    'pin/ls?type=recursive&names=true',
    'pin/ls?name=x',
    'pin/verify?verbose=true',
    'repo/gc',
    'repo/verify',
    'repo/stat',
    'refs/local',
    'block/rm?arg=bafkqaaa',
  ].map((path) => ({ ...file(`${path}: fifty thousand pins`, () => path), prepare: addPins })),
  ...[4096, 8192].map((size): Bomb => ({
    name: `key/gen: twenty RSA keys of ${size} bits at once`,
    run: (node, signal) =>
      firstRefusal(
        many(20, (i) =>
          sendFile(node, `key/gen?arg=rsa${size}-${i}&type=rsa&size=${size}`, undefined, signal),
        ),
      ),
  })),
  ...[
    'key/sign',
    `key/verify?signature=u${'A'.repeat(86)}`,
    'name/publish?arg=bafkqaaa',
    'config/show',
    'key/list?l=true',
  ].map((path) =>
    file(
      path,
      () => path,
      () => Buffer.alloc(1.5e7, 1),
    ),
  ),
  ...['keccak-512', 'blake3', 'sha3-512', 'blake2b-512', 'sha1', 'sha2-512', 'shake-256', 'blake2s-256'].map(
    (name) =>
      file(
        `add: ${name} of fifty megabytes`,
        () => `add?cid-version=1&hash=${name}&chunker=size-1048576`,
        () => Buffer.alloc(5e7, 3),
      ),
  ),
  ...['rabin-16-32-64', 'rabin-16-1024-1048576', 'size-2096128', 'size-3'].map((chunker) =>
    file(
      `add: ${chunker}`,
      () => `add?cid-version=1&chunker=${chunker}`,
      () => Buffer.alloc(3e6, 3),
    ),
  ),
  file(
    'add: inlined chunks of a byte',
    () => 'add?inline=true&chunker=size-1&raw-leaves=true',
    () => Buffer.alloc(3e5, 1),
  ),
]
