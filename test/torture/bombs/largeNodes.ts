import { createHash } from 'node:crypto'
import type { TorturedNode } from '../node.js'
import { askFiles, postFiles, uploadBody } from '../requests.js'
import { file, firstRefusal, many, oncePerNode, sendFile, varint, type Bomb } from './bomb.js'
import { withDag } from './dag.js'

/** Encodes a bytes field of protocol buffers. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content])
}

const EMPTY = Buffer.from('01550000', 'hex')
const ONE_BYTE = Buffer.from('0155000178', 'hex')

/** Encodes a directory of 300,000 links that give wrong sizes. */
function wideDirectory(): Buffer {
  const links = many(300_000, (index) => {
    const name = field(2, Buffer.from(index.toString(36).padStart(4, '0')))
    return field(2, Buffer.concat([field(1, EMPTY), name, Buffer.from([0x18, 7])]))
  })
  return Buffer.concat([...links, field(1, Buffer.from([8, 1]))])
}

/** Stores a wide directory. @returns its CID */
const storeDirectory = oncePerNode(async (node) => {
  const { path, body, cidOf } = putNode(wideDirectory)
  return cidOf((await askFiles(node, path, body())).text)
})

/** Encodes a file whose time has a million fields. */
function millionTimes(): Buffer {
  const time = Buffer.alloc(2e6, Buffer.from([8, 1]))
  return field(1, Buffer.concat([Buffer.from([8, 2]), field(8, time)]))
}

/** Encodes a file of sixty megabytes in one node. */
const largeFile = (): Buffer => field(1, Buffer.concat([Buffer.from([8, 2]), field(2, Buffer.alloc(6e7, 3))]))

const key = (answer: string): string => (JSON.parse(answer) as { Key: string }).Key
const putNode = (body: () => Buffer) => ({
  path: 'block/put?cid-codec=dag-pb&allow-big-block=true',
  body,
  cidOf: key,
})

/** Encodes sections of a CAR that hold a chain of nodes. @returns also the CID of the last */
function chainOn(end: Buffer, length: number): { cid: Buffer; sections: Buffer[] } {
  let cid = end
  const sections = many(length, () => {
    const link = field(2, Buffer.concat([field(1, cid), field(2, Buffer.from('a'))]))
    const node = Buffer.concat([link, field(1, Buffer.from([8, 1]))])
    cid = Buffer.concat([Buffer.from('01701220', 'hex'), createHash('sha256').update(node).digest()])
    return Buffer.concat([varint(cid.length + node.length), cid, node])
  })
  return { cid, sections }
}

const header = Buffer.from('a265726f6f7473806776657273696f6e01', 'hex')
const CAR_HEADER = Buffer.concat([varint(header.length), header])

/** Stores two chains of twenty thousand nodes that differ at their ends. @returns the CIDs of their starts */
const storeChains = oncePerNode(async (node) => {
  const chains = [EMPTY, ONE_BYTE].map((end) => chainOn(end, 20_000))
  const car = Buffer.concat([CAR_HEADER, ...chains.flatMap(({ sections }) => sections)])
  await postFiles(node, 'dag/import?pin-roots=false', car)
  return chains.map(({ cid }) => `f${cid.toString('hex')}`)
})

/** Encodes a CAR of seven raw blocks of eight megabytes. */
function carOfLargeBlocks(): Buffer {
  const sections = many(7, (index) => {
    const content = Buffer.alloc(8e6, index)
    const digest = createHash('sha256').update(content).digest()
    const cid = Buffer.concat([Buffer.from('01551220', 'hex'), digest])
    return Buffer.concat([varint(cid.length + content.length), cid, content])
  })
  return Buffer.concat([CAR_HEADER, ...sections])
}

async function setResolvers(node: TorturedNode): Promise<void> {
  for (let index = 0; index < 1000; index++) {
    await sendFile(node, `config?arg=DNS.Resolvers.r${index}&arg=https://example.com`)
  }
}

/** Bombs of nodes with more links, sizes, bytes or levels than any real one, and of paths as long. */
export const largeNodes: readonly Bomb[] = [
  ...withDag('a directory of 300,000 links with wrong sizes', putNode(wideDirectory), [
    'ls?arg=CID&encoding=text',
    'object/patch/add-link?arg=CID&arg=a&arg=bafkqaaa&allow-big-block=true',
    'object/diff?arg=CID&arg=QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    'files/ls?arg=/wide&long=true',
    'files/ls?arg=/wide&encoding=text',
    'files/touch?arg=/wide&mtime=1',
  ]),
  {
    name: 'ls: a directory of 300,000 links, twenty times in one request',
    prepare: storeDirectory,
    async run(node, signal) {
      const cid = await storeDirectory(node)
      return sendFile(node, `ls?${many(20, () => `arg=${cid}`).join('&')}`, undefined, signal)
    },
    refusal: 'more than 1000000 entries in one answer',
  },
  {
    name: 'ls: a directory of 300,000 links, twenty requests at once',
    prepare: storeDirectory,
    async run(node, signal) {
      const cid = await storeDirectory(node)
      return firstRefusal(many(20, () => sendFile(node, `ls?arg=${cid}`, undefined, signal)))
    },
  },
  ...withDag('a time of a million fields', putNode(millionTimes), ['ls?arg=CID', 'files/stat?arg=/ipfs/CID']),
  ...withDag('a file of sixty megabytes in one node', putNode(largeFile), [
    'cat?arg=CID',
    'dag/get?arg=CID',
    'dag/export?arg=CID',
    '/ipfs/CID?format=car',
    'files/touch?arg=/wide&mtime=1',
  ]),
  file(
    'dag/import: blocks of eight megabytes',
    () => 'dag/import?pin-roots=false&allow-big-block=true',
    carOfLargeBlocks,
  ),
  {
    name: 'object/diff: two chains of twenty thousand nodes',
    prepare: storeChains,
    async run(node, signal) {
      const [first, second] = await storeChains(node)
      return sendFile(node, `object/diff?arg=${first}&arg=${second}`, undefined, signal)
    },
  },
  ...['dag/resolve', 'cat', 'resolve'].map((operation): Bomb => ({
    name: `${operation} along a path of half a million segments`,
    prepare: storeChains,
    async run(node, signal) {
      const [first] = await storeChains(node)
      return sendFile(node, operation, Buffer.from(`${first}${'/a'.repeat(5e5)}`), signal)
    },
    refusal: 'no link named',
  })),
  {
    name: 'add: a hundred uploads of a thousand files at once',
    run: (node, signal) =>
      firstRefusal(
        many(100, (upload) => {
          const files = many(1000, (index) => [`${index}`, Buffer.from(`${upload} ${index}`)] as const)
          return sendFile(node, 'add?cid-version=1&pin=false', uploadBody(files), signal)
        }),
      ),
  },
  ...['config/show', 'block/put'].map((operation): Bomb => ({
    name: `${operation} beside a thousand settings`,
    prepare: setResolvers,
    async run(node, signal) {
      const refusal = await sendFile(node, operation, Buffer.from('x'), signal)
      await sendFile(node, 'config?arg=DNS.Resolvers&arg={}&json=true')
      return refusal
    },
  })),
]
