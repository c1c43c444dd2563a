import { createHash } from 'node:crypto'
import type { TorturedNode } from '../node.js'
import { askFiles, postFiles, uploadBody } from '../requests.js'
import { file, many, oncePerNode, refusalOf, sendFile, varint, type Bomb } from './bomb.js'
import { sendToGateway } from './dag.js'

/** Encodes a bytes field of protocol buffers. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content])
}

const EMPTY = Buffer.from('01550000', 'hex')
const ONE_BYTE = Buffer.from('0155000178', 'hex')

const keyOf = (answer: string): string => (JSON.parse(answer) as { Key: string }).Key
const lastHash = (answer: string): string =>
  (JSON.parse(answer.trim().split('\n').at(-1) ?? '') as { Hash: string }).Hash

/** Stores a directory with these names of one file. @returns its CID */
function storeNames(names: () => Buffer[], cid = EMPTY): (node: TorturedNode) => Promise<string> {
  return oncePerNode(async (node) => {
    const links = names().map((name) =>
      field(2, Buffer.concat([field(1, cid), field(2, name), Buffer.from([0x18, 0])])),
    )
    const block = Buffer.concat([...links, field(1, Buffer.from([8, 1]))])
    return keyOf(await postFiles(node, 'block/put?cid-codec=dag-pb&allow-big-block=true', block))
  })
}

/** Encodes an upload of one part with these headers. */
function part(headers: string, content = 'x'): Buffer {
  return Buffer.from(`--torture\r\n${headers}\r\n\r\n${content}\r\n--torture--\r\n`)
}

const disposition = (parameters: string): string => `content-disposition: form-data; ${parameters}`

const spaces = ' '.repeat(200_000)

const LENGTH = 1_900_000
/** Returns different names of a length that begin alike. */
const alike = (count: number, length: number, text: string | Buffer | number): Buffer[] =>
  many(count, (i) => Buffer.concat([Buffer.alloc(length, text), Buffer.from(String(i))]))

/** Names that are slow to print, escape or compare. */
const slowNames: Readonly<Record<string, () => Buffer[]>> = {
  'a name of 1.9 megabytes of ampersands': () => [Buffer.alloc(LENGTH, '&<')],
  'a name of 1.9 megabytes of control characters': () => [Buffer.alloc(LENGTH, 1)],
  'a name of 1.9 megabytes with bytes between characters': () => [
    Buffer.alloc(LENGTH, Buffer.from('61ff', 'hex')),
  ],
  'a name of 1.9 megabytes of accented characters': () => [Buffer.alloc(LENGTH, 'é')],
  '200 names that begin alike for 120,000 characters': () => alike(200, 120_000, 'n'),
  '1,000 names of 15,000 bytes that are no characters': () => alike(1000, 15_000, 0xff),
  '4,000 names of 3,700 accented characters': () => alike(4000, 7400, 'é'),
}

/** Bombs over directories with such names. */
const longNames: readonly Bomb[] = Object.entries(slowNames).flatMap(([name, make]) => {
  const store = storeNames(make)
  const storeOther = storeNames(make, ONE_BYTE)
  return [
    'ls?arg=CID',
    'ls?arg=CID&stream=true',
    'ls?arg=CID&encoding=text',
    'refs?arg=CID&format=<linkname>',
    'dag/get?arg=CID',
    'object/diff?arg=CID&arg=OTHER',
    'object/diff?arg=CID&arg=OTHER&encoding=text',
    'object/patch/add-link?arg=CID&arg=a&arg=bafkqaaa&allow-big-block=true',
    '/ipfs/CID/',
  ].map((operation): Bomb => ({
    name: `${operation}: ${name}`,
    prepare: (node) => Promise.all([store(node), storeOther(node)]),
    async run(node, signal) {
      const path = operation.replace('CID', await store(node)).replace('OTHER', await storeOther(node))
      return operation.startsWith('/')
        ? sendToGateway(node.ready.ipfsUrl, path, signal)
        : sendFile(node, path, undefined, signal)
    },
  }))
})

/** A name of a megabyte that a path cleaner which copies for each `..` takes seconds for. */
const dots = (): Buffer[] => [Buffer.from(`${'a/'.repeat(200_000)}${'b/../'.repeat(100_000)}c`)]
const storeDots = storeNames(dots)
const storeOtherDots = storeNames(dots, ONE_BYTE)

/** Stores a directory with a symlink whose target has sixty megabytes. @returns its CID */
const storeSymlink = oncePerNode(async (node) => {
  const target = Buffer.concat([Buffer.from([8, 4]), field(2, Buffer.alloc(6e7, 0xff))])
  const block = field(1, target)
  await askFiles(node, 'block/put?cid-codec=dag-pb&allow-big-block=true', block)
  const cid = Buffer.concat([Buffer.from('01701220', 'hex'), createHash('sha256').update(block).digest()])
  const link = field(2, Buffer.concat([field(1, cid), field(2, Buffer.from('l')), Buffer.from([0x18, 0])]))
  const directory = Buffer.concat([link, field(1, Buffer.from([8, 1]))])
  return keyOf(await postFiles(node, 'block/put?cid-codec=dag-pb', directory))
})

const storeHuge = storeNames(() => [Buffer.alloc(3e7, 0xff)])

/** Stores a directory of three thousand files in shards. @returns its CID */
const storeShards = oncePerNode(async (node) => {
  const files = uploadBody(many(3000, (i) => [`s%2F${i}${'n'.repeat(200)}`, Buffer.from(`${i}`)]))
  const answer = await postFiles(node, 'add?cid-version=1&quieter=true&pin=false', files)
  return lastHash(answer)
})

/** A site whose `_redirects` file has these rules, asked for a path that it does not have. */
function site(name: string, rules: string, path: string, refusal?: string): Bomb {
  const add = oncePerNode(async (node) => {
    const body = uploadBody([['site%2F_redirects', Buffer.from(rules)]])
    return lastHash(await postFiles(node, 'add?cid-version=1&pin=false', body))
  })
  return {
    name: `a _redirects file of ${name}`,
    prepare: add,
    run: async (node, signal) =>
      sendToGateway(node.ready.ipfsUrl, path, signal, { host: `${await add(node)}.ipfs.localhost` }),
    ...(refusal !== undefined && { refusal }),
  }
}

/** Bombs of texts that are slow to trim, match, clean, escape or print. */
export const texts: readonly Bomb[] = [
  file(
    'add: a header parameter before 200,000 spaces',
    () => 'add?only-hash=true',
    () => part(disposition(`name="file"; filename="f"${spaces}@`)),
  ),
  file(
    'add: a time of 200,000 zeros',
    () => 'add?only-hash=true&preserve-mtime=true',
    () => part(disposition(`filename="f"; name="file?mtime=${'0'.repeat(200_000)}x"`)),
  ),
  file(
    'add: 30,000 parameters in pieces',
    () => 'add?only-hash=true',
    () => part(disposition(many(30_000, (i) => `${i.toString(36)}*0=b`).join(';'))),
  ),
  file(
    'add: 30,000 header names',
    () => 'add?only-hash=true',
    () => part(`${many(30_000, (i) => `${i.toString(36)}:`).join('\r\n')}\r\n${disposition('filename="f"')}`),
  ),
  file(
    'add: quoted-printable content of empty lines',
    () => 'add?only-hash=true',
    () =>
      part(`content-transfer-encoding: quoted-printable\r\n${disposition('filename="f"')}`, '\n'.repeat(3e6)),
  ),
  {
    name: 'add: a content type before 14,000 spaces',
    async run(node, signal) {
      const answer = await fetch(new URL('/api/v0/add', node.ready.ipfsUrl), {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=torture${' '.repeat(14_000)}@` },
        body: '--torture--\r\n',
        signal,
      })
      return refusalOf({ status: answer.status, text: await answer.text() })
    },
    refusal: 'status 400',
  },
  {
    name: 'add: a thousand names of 20,000 less-than signs',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1&pin=false',
        uploadBody(many(1000, (i) => [`d%2F${i}${'<'.repeat(20_000)}`, Buffer.from('x')])),
        signal,
      ),
  },
  {
    name: 'add: a thousand directories with names of 50,000 characters',
    run: (node, signal) =>
      sendFile(
        node,
        'add?cid-version=1&pin=false&silent=true',
        uploadBody(many(1000, (i) => [`d%2F${'n'.repeat(50_000)}${i}%2Ff`, Buffer.from('x')])),
        signal,
      ),
  },
  file(
    'add: a node of a million inlined bytes',
    () => 'add?cid-version=1&pin=false&inline=true&raw-leaves=true&chunker=size-1&max-file-links=1000000',
    () => Buffer.alloc(1_000_000, 'abc'),
  ),
  ...['/', '/ws'].map((repeated) => ({
    ...file(
      `bootstrap/add: one address of ${repeated} a hundred thousand times`,
      () => 'bootstrap/add',
      () => Buffer.from(`${repeated.repeat(3e5)}x`),
    ),
    refusal: 'a multiaddress of more than 8192 characters',
  })),
  {
    ...file('files/flush: a path of slashes', () => `files/flush?arg=a${'/'.repeat(15_000)}b`),
    refusal: 'file does not exist',
  },
  {
    name: 'a host name of 14,000 hyphens',
    run: (node, signal) =>
      sendToGateway(node.ready.ipfsUrl, '/', signal, {
        'x-forwarded-host': `${'-'.repeat(14_000)}.a.ipns.localhost`,
      }),
    refusal: 'status 500',
  },
  {
    name: 'a media type before 14,000 spaces',
    run: (node, signal) =>
      sendToGateway(node.ready.ipfsUrl, '/ipfs/bafkqaaa', signal, {
        accept: `application/vnd.ipld.car;a=b${' '.repeat(14_000)}@`,
      }),
    refusal: 'status 400',
  },
  {
    name: 'a media type of 1,500 parameters beside 3,800 of the query',
    run: (node, signal) =>
      sendToGateway(node.ready.ipfsUrl, `/ipfs/bafkqaaa?${many(3800, () => 'a').join('&')}`, signal, {
        accept: `application/vnd.ipld.car${many(1500, (i) => `;${(i + 36).toString(36)}=c`).join('')}`,
      }),
  },
  site('16,000 rules', '/ /\n'.repeat(16_000), '/none', 'status 404'),
  site('65,000 accented characters', `/* https://x/${':splat'.repeat(26)} 302`, `/${'%C3%A9'.repeat(2400)}`),
  ...longNames,
  ...['get?arg=CID', '/ipfs/CID?format=tar'].map((operation): Bomb => ({
    name: `${operation}: a name of parent directories`,
    prepare: storeDots,
    async run(node, signal) {
      const path = operation.replace('CID', await storeDots(node))
      return operation.startsWith('/')
        ? sendToGateway(node.ready.ipfsUrl, path, signal)
        : sendFile(node, path, undefined, signal)
    },
  })),
  {
    name: 'object/diff: names of parent directories',
    prepare: (node) => Promise.all([storeDots(node), storeOtherDots(node)]),
    run: async (node, signal) =>
      sendFile(
        node,
        `object/diff?arg=${await storeDots(node)}&arg=${await storeOtherDots(node)}`,
        undefined,
        signal,
      ),
    refusal: 'a path of more than 65536 segments',
  },
  ...['\x01', 'é'].map((character): Bomb => ({
    name: `cat a missing name of a megabyte of ${JSON.stringify(character)}`,
    prepare: storeShards,
    run: async (node, signal) =>
      sendFile(
        node,
        'cat',
        Buffer.from(`${await storeShards(node)}/${character.repeat(1e6 / Buffer.byteLength(character))}`),
        signal,
      ),
    refusal: 'no link named',
  })),
  {
    name: 'cat a path of half a million segments below a name',
    async run(node, signal) {
      const { ID } = JSON.parse(await postFiles(node, 'id')) as { ID: string }
      return sendFile(node, 'cat', Buffer.from(`/ipns/${ID}${'/a'.repeat(5e5)}`), signal)
    },
    refusal: 'no link named',
  },
  {
    ...file(
      'cat a name of a million dots',
      () => 'cat',
      () => Buffer.from(`/ipns/${'.'.repeat(1e6)}`),
    ),
    refusal: 'cannot resolve',
  },
  {
    name: 'ls a symlink of sixty megabytes',
    prepare: storeSymlink,
    run: async (node, signal) => sendFile(node, `ls?arg=${await storeSymlink(node)}`, undefined, signal),
    refusal: 'a symlink of more than 2097152 bytes',
  },
  {
    name: 'get a symlink of sixty megabytes',
    prepare: storeSymlink,
    run: async (node, signal) => sendFile(node, `get?arg=${await storeSymlink(node)}`, undefined, signal),
  },
  {
    name: 'ls a name of thirty megabytes',
    prepare: storeHuge,
    run: async (node, signal) => sendFile(node, `ls?arg=${await storeHuge(node)}`, undefined, signal),
    refusal: 'a link name of more than 2097152 bytes',
  },
  ...['\n', '-----BEGIN A-----\n'].map((repeated) => ({
    ...file(
      `key/import: a PEM file of ${JSON.stringify(repeated)}`,
      () => 'key/import?arg=pem&format=pem-pkcs8-cleartext',
      () => Buffer.from(`-----BEGIN A-----\n${repeated.repeat(1e6 / repeated.length)}`),
    ),
    refusal: 'PEM block not found',
  })),
  {
    name: 'key/ls: a thousand names of 2,000 control characters',
    prepare: oncePerNode(async (node) => {
      for (let i = 0; i < 1000; i++) await sendFile(node, `key/gen?arg=${'%01'.repeat(2000)}${i}`)
    }),
    run: (node, signal) => sendFile(node, 'key/ls?encoding=text&l=true', undefined, signal),
  },
  {
    ...file(
      'block/put: sixty megabytes to inline',
      () => 'block/put?mhtype=identity&allow-big-block=true',
      () => Buffer.alloc(6e7),
    ),
    refusal: 'digest too large',
  },
  {
    name: 'log/level: a name of 10,000 characters',
    run: (node, signal) => sendFile(node, `log/level?arg=${'n'.repeat(10_000)}&arg=debug`, undefined, signal),
    refusal: 'a subsystem with a name of more than 128 characters',
  },
]
