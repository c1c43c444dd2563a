import { createHash } from 'node:crypto'
import { postFiles, uploadBody } from '../requests.js'
import { file, many, oncePerNode, sendFile, varint, type Bomb } from './bomb.js'
import { sendToGateway, withDag } from './dag.js'
import type { TorturedNode } from '../node.js'

/** Length of arguments that a body may hold. */
const BODY = 2 ** 20

/** Returns lines of a body that together have the longest accepted length. */
function lines(make: (index: number) => string): Buffer {
  const text: string[] = []
  for (let length = 0, index = 0; ; index++) {
    const line = `${make(index)}\n`
    length += line.length
    if (length > BODY) return Buffer.from(text.join(''))
    text.push(line)
  }
}

/** Encodes a link of dag-cbor to raw content of this number, which is not stored. */
function cborLink(index: number): Buffer {
  const digest = createHash('sha256').update(`missing ${index}`).digest()
  return Buffer.concat([Buffer.from('d82a58250001711220', 'hex'), digest])
}

/** Encodes a list of dag-cbor. */
function cborList(items: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(5, 0x9a)
  head.writeUInt32BE(items.length, 1)
  return Buffer.concat([head, ...items])
}

const cborCid = (answer: string): string => (JSON.parse(answer) as { Cid: { '/': string } }).Cid['/']
const blockKey = (answer: string): string => (JSON.parse(answer) as { Key: string }).Key
const lastHash = (answer: string): string =>
  (JSON.parse(answer.trim().split('\n').at(-1) ?? '') as { Hash: string }).Hash

/** Encodes a bytes field of protocol buffers. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content])
}

/** Encodes a directory with one link. */
function directory(name: string, cid: Buffer): Buffer {
  return Buffer.concat([
    field(2, Buffer.concat([field(1, cid), field(2, Buffer.from(name))])),
    field(1, Buffer.from([8, 1])),
  ])
}

const EMPTY = Buffer.from('01550000', 'hex')

/** Stores directories in each other, each with one name. @returns the CID of the outermost */
async function nest(node: TorturedNode, depth: number, name: string, content = EMPTY): Promise<string> {
  let cid = content
  let text = ''
  for (let level = 0; level < depth; level++) {
    const block = directory(`${level}${name}`, cid)
    text = blockKey(await postFiles(node, 'block/put?cid-codec=dag-pb&allow-big-block=true', block))
    cid = Buffer.concat([Buffer.from('01701220', 'hex'), createHash('sha256').update(block).digest()])
  }
  return text
}

/** Bombs whose links are pinned but missing. */
function missingLinks(count: number): Bomb[] {
  const path = 'dag/put?input-codec=dag-cbor&store-codec=dag-cbor&allow-big-block=true'
  const put = oncePerNode(async (node) =>
    cborCid(await postFiles(node, path, cborList(many(count, cborLink)))),
  )
  return [
    'pin/verify',
    'pin/verify?encoding=text',
    'repo/gc',
    'repo/gc?stream-errors=true',
    'refs?arg=CID&recursive=true',
    'pin/ls?type=indirect&encoding=text',
    'ls?arg=CID&encoding=text',
  ].map((operation) => ({
    name: `${operation}: a pin of ${count} missing blocks`,
    async prepare(node) {
      await postFiles(node, `${path}&pin=true`, cborList(many(count, cborLink)))
    },
    async run(node, signal) {
      const cid = await put(node)
      try {
        return await sendFile(node, operation.replace('CID', cid), undefined, signal)
      } finally {
        await sendFile(node, `pin/rm?arg=${cid}`)
      }
    },
  }))
}

/** Bombs over blocks of a million links, each with its content inside: all the same, or all different. */
function inlineLinks(): Bomb[] {
  const path = 'dag/put?input-codec=dag-cbor&store-codec=dag-cbor&allow-big-block=true&pin=false'
  const link = (content: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0xd8, 0x2a, 0x45 + content.length, 0, 1, 0x55, 0, content.length]), content])
  const numbered = (index: number): Buffer => {
    const content = Buffer.alloc(4)
    content.writeUInt32BE(index)
    return link(content)
  }
  return [
    { kind: 'a million links', make: () => link(Buffer.alloc(0)) },
    { kind: 'a million different links', make: numbered },
  ].flatMap(({ kind, make }) => {
    const put = oncePerNode(async (node) =>
      cborCid(await postFiles(node, path, cborList(many(1_000_000, make)))),
    )
    return ['refs?arg=CID&recursive=true', 'dag/stat?arg=CID&progress=false', 'dag/export?arg=CID'].map(
      (operation): Bomb => ({
        name: `${operation}: a dag-cbor block of ${kind} to inline content`,
        prepare: put,
        run: async (node, signal) =>
          sendFile(node, operation.replace('CID', await put(node)), undefined, signal),
      }),
    )
  })
}

/** A site whose `_redirects` file has one rule of thousands of placeholders, and a target full of colons. */
function placeholders(): Bomb {
  const names = many(7500, (i) => i.toString(36))
  const rules = `${names.map((name) => `/:${name}`).join('')} /${':'.repeat(25_000)} 302\n`
  const add = oncePerNode(async (node) => {
    const body = uploadBody([['site%2F_redirects', Buffer.from(rules)]])
    return lastHash(await postFiles(node, 'add?cid-version=1&pin=false', body))
  })
  return {
    name: 'a _redirects file of thousands of placeholders',
    prepare: add,
    async run(node, signal) {
      const host = `${await add(node)}.ipfs.localhost`
      return sendToGateway(node.ready.ipfsUrl, '/a'.repeat(7500), signal, { host })
    },
  }
}

/** Copies an MFS directory into itself, so that its DAG has 2^40 paths. @returns its CID */
const copyCopies = oncePerNode(async (node) => {
  await sendFile(node, 'files/mkdir?arg=/doubled')
  await sendFile(node, 'files/write?arg=/doubled/file&create=true', Buffer.from('x'))
  for (let i = 0; i < 40; i++) await sendFile(node, `files/cp?arg=/doubled&arg=/doubled/${i}`)
  const cid = JSON.parse(await postFiles(node, 'files/stat?arg=/doubled')) as { Hash: string }
  await sendFile(node, 'files/rm?arg=/doubled&recursive=true')
  return cid.Hash
})

/** Bombs that walk 2^40 paths, until the client leaves. */
const endless: Bomb[] = [
  'refs?arg=CID&recursive=true',
  'get?arg=CID&archive=true&compress=true&compression-level=9',
  '/ipfs/CID?format=car&car-dups=y',
].map((operation) => ({
  name: `${operation}: copies of a directory in 2^40 places`,
  prepare: copyCopies,
  async run(node) {
    const path = operation.replace('CID', await copyCopies(node))
    const signal = AbortSignal.timeout(2000)
    const sent = operation.startsWith('/')
      ? sendToGateway(node.ready.ipfsUrl, path.replace('&car-dups=y', ''), signal, {
          ...(path.includes('dups') && { accept: 'application/vnd.ipld.car; dups=y' }),
        })
      : sendFile(node, path, undefined, signal)
    return sent.catch((error: unknown) => {
      if (error instanceof Error && error.name === 'TimeoutError') return undefined
      throw error
    })
  },
}))

const peer = (index: number): string =>
  `/ip4/1.2.3.4/tcp/${index}/p2p/12D3KooWDyT35DTHQHZTUegPzxWM7CqnRLYJJyjmdt4hbMGC5nbJ`

/** A CID of the longest accepted text. */
const longCid = `f015500f707${'ab'.repeat(1015)}`

const nestLong = oncePerNode((node) => nest(node, 60, 'n'.repeat(2 ** 20)))
const nestOther = oncePerNode((node) => nest(node, 60, 'n'.repeat(2 ** 20), Buffer.from('0155000178', 'hex')))
const nameMegabyte = oncePerNode((node) => nest(node, 2, 'n'.repeat(1_900_000)))

/** Bombs of arguments, names and other inputs of the file network. */
export const fileInputs: readonly Bomb[] = [
  placeholders(),
  ...missingLinks(50_000),
  ...inlineLinks(),
  ...['refs', 'cid/format'].map((operation) =>
    file(
      `${operation}: a million empty arguments`,
      () => operation,
      () => Buffer.alloc(BODY, '\n'),
    ),
  ),
  ...[
    'refs',
    'pin/add',
    'pin/add?encoding=text',
    'cid/format',
    'ls',
    'ls?encoding=text',
    'ls?stream=true',
  ].map((operation) =>
    file(
      `${operation}: a hundred thousand arguments`,
      () => operation,
      () => lines(() => 'bafkqaaa'),
    ),
  ),
  file('diag/cmds: after arguments of a megabyte', () => 'diag/cmds'),
  file(
    'cid/format: a CID of 1015 bytes three thousand times',
    () => `cid/format?b=base58btc&arg=${longCid}&f=${'%25m'.repeat(2900)}`,
  ),
  ...['bootstrap/add', 'bootstrap/add', 'bootstrap/list?encoding=text', 'bootstrap/rm'].map(
    (operation, index) =>
      file(
        `${operation}: thousands of addresses (${index})`,
        () => operation,
        () => lines((line) => peer(line)),
      ),
  ),
  file('bootstrap/rm/all', () => 'bootstrap/rm/all'),
  {
    name: 'refs: a name of two megabytes a thousand times',
    prepare: nameMegabyte,
    run: async (node, signal) =>
      sendFile(
        node,
        `refs?arg=${await nameMegabyte(node)}&format=${'<linkname>'.repeat(1000)}`,
        undefined,
        signal,
      ),
  },
  ...['get?arg=CID', 'object/diff?arg=CID&arg=OTHER'].map((operation): Bomb => ({
    name: `${operation}: sixty directories with names of a megabyte`,
    prepare: (node) => Promise.all([nestLong(node), nestOther(node)]),
    async run(node, signal) {
      const path = operation.replace('CID', await nestLong(node)).replace('OTHER', await nestOther(node))
      return sendFile(node, path, undefined, signal)
    },
  })),
  ...endless,
  {
    name: 'files/mkdir: a deep path below other settings',
    async prepare(node) {
      await sendFile(node, 'config?arg=Import.UnixFSDirectoryMaxLinks&arg=1000&json=true')
      await sendFile(node, 'files/mkdir?arg=/settings')
    },
    run: (node, signal) =>
      sendFile(node, `files/mkdir?parents=true&arg=/deep${'/d'.repeat(3500)}`, undefined, signal),
  },
  file(
    'add: quoted-printable content',
    () => 'add?only-hash=true',
    () => encodedPart('content-transfer-encoding: quoted-printable', Buffer.alloc(3e7, '=41=42=43=44=\r\n')),
  ),
  file(
    'add: a name of 250,000 escapes',
    () => 'add?only-hash=true',
    () => encodedPart('x: y', Buffer.from('x'), `filename="${'\\"'.repeat(120_000)}"`),
  ),
  ...['json', 'cbor', 'dag-json', 'dag-pb'].map((codec) =>
    file(
      `dag/put: sixty megabytes to ${codec}`,
      () => `dag/put?allow-big-block=true&store-codec=${codec}`,
      () => Buffer.from(`[${'1,'.repeat(3e7 - 1)}1]`),
    ),
  ),
  ...withDag(
    'a string of two megabytes',
    {
      path: 'block/put?cid-codec=dag-cbor&allow-big-block=true',
      body: () => Buffer.concat([Buffer.from('7a001e8480', 'hex'), Buffer.alloc(2e6, '\u2028')]),
      cidOf: blockKey,
    },
    ['dag/get?arg=CID', 'dag/get?arg=CID&encoding=text', '/ipfs/CID', 'refs?arg=CID'],
  ),
  ...withDag(
    'a directory of 50,000 entries',
    {
      path: 'add?cid-version=1&quieter=true&pin=false',
      body: () => uploadBody(many(50_000, (i) => [`d%2F${i}`, Buffer.from(`${i % 10}`)])),
      cidOf: lastHash,
    },
    [
      'ls?arg=CID&encoding=text',
      'ls?arg=CID&encoding=text&long=true&headers=true',
      'ls?arg=CID&arg=CID&encoding=text&stream=true',
      'refs?arg=CID&encoding=text',
      'files/ls?arg=/wide&long=true&encoding=text',
      'files/ls?arg=/wide&encoding=text&U=true',
      'object/diff?arg=CID&arg=QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn&encoding=text&verbose=true',
      'get?arg=CID&archive=true&compress=true&compression-level=9',
    ],
  ),
  {
    name: 'dag/stat: the same directory hundreds of times',
    prepare: copyCopies,
    run: async (node, signal) => {
      const cid = await copyCopies(node)
      return sendFile(node, `dag/stat?${many(240, () => `arg=${cid}`).join('&')}`, undefined, signal)
    },
  },
  {
    name: 'add: twenty thousand files to MFS',
    run: (node, signal) =>
      sendFile(
        node,
        'add?to-files=/added/&cid-version=1&pin=false&quiet=true',
        uploadBody(many(20_000, (i) => [`f${i}`, Buffer.from(`${i}`)])),
        signal,
      ),
  },
  ...[
    'max-file-links=2&chunker=size-1',
    'trickle=true&chunker=size-1&max-file-links=2',
    'preserve-mode=true&mode=0777&mtime=1&chunker=size-1&raw-leaves=false',
  ].map((options) =>
    file(
      `add: ${options}`,
      () => `add?cid-version=1&pin=false&${options}`,
      () => Buffer.alloc(200_000, 'abc'),
    ),
  ),
]

/** Encodes an upload of one part with another header, and other parameters of its disposition. */
function encodedPart(header: string, content: Buffer, parameters = 'filename="f"'): Buffer {
  return Buffer.concat([
    Buffer.from(
      `--torture\r\n${header}\r\ncontent-disposition: form-data; name="file"; ${parameters}\r\n` +
        'content-type: application/octet-stream\r\n\r\n',
    ),
    content,
    Buffer.from('\r\n--torture--\r\n'),
  ])
}
