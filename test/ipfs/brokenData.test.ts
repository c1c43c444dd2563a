import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import answers from './kuboBrokenData.json' with { type: 'json' }
import answersToCars from './kuboCars.json' with { type: 'json' }
import answersToCraftedFiles from './kuboCraftedFiles.json' with { type: 'json' }
import answersToIncomplete from './kuboIncompleteData.json' with { type: 'json' }
import { type Recorded, type TestNetwork, exchange, replay, startNetwork } from './support.js'

let node: TestNetwork
beforeAll(async () => {
  node = await startNetwork()
})
afterAll(() => node.stop())

it.each([
  ['reads broken blocks, follows dangling links, and writes mutable files', answers],
  [
    'reads, archives, lists and pins what is incomplete, and refuses what cannot be expressed',
    answersToIncomplete,
  ],
])('%s like Kubo 0.42.0', (_, recorded) => replay(recorded as Recorded, node))

it('imports unusual CARs, or refuses them and stores nothing, like Kubo 0.42.0', async () => {
  const empty = await startNetwork()
  try {
    await replay(answersToCars as Recorded, empty)
  } finally {
    await empty.stop()
  }
})

it('makes irregular directories regular once the mutable files have read them, like Kubo 0.42.0', async () => {
  const empty = await startNetwork()
  try {
    await replay(answersToCraftedFiles as Recorded, empty)
  } finally {
    await empty.stop()
  }
})

it('cuts the archive of a file that is shorter than declared, and keeps running', async () => {
  const [, line] = await exchange(node, 'block/put?cid-codec=dag-pb', '0a0408021801')
  const { Key } = JSON.parse(line) as { Key: string }
  const [status, , trailer] = await exchange(node, `get?arg=${Key}`, null)
  expect([status, trailer]).toEqual([200, 'archive/tar: missed writing 1 bytes'])
  expect((await node.post('version')).status).toBe(200)
})

it('ends an archive of the gateway that cannot be completed with the reason, like Kubo 0.42.0', async () => {
  const [, line] = await exchange(node, 'block/put', Buffer.from('hello').toString('hex'))
  const { Key } = JSON.parse(line) as { Key: string }
  const missing = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const links = [Key, missing].map((cid, index) => ({ Hash: { '/': cid }, Name: 'ab'[index], Tsize: 5 }))
  const directory = JSON.stringify({ Data: { '/': { bytes: 'CAE' } }, Links: links })
  const put = 'dag/put?store-codec=dag-pb&input-codec=dag-json'
  const [, stored] = await exchange(node, put, Buffer.from(directory).toString('hex'))
  const { Cid } = JSON.parse(stored) as { Cid: { '/': string } }
  const answer = await fetch(`${node.url}/ipfs/${Cid['/']}?format=tar`)
  expect(answer.status).toBe(200)
  const archive = Buffer.from(await answer.arrayBuffer())
  const reason = `block was not found locally (offline): ipld: could not find ${missing}`
  expect(archive.length).toBe(3 * 512 + reason.length + 1024)
  expect(archive.subarray(3 * 512).toString()).toBe(reason + '\0'.repeat(1024))
})

it('archives entries by name, whatever their order in the block, like Kubo 0.42.0', async () => {
  const blocks = [
    '120c0a05015500016812017318050a020801',
    '120a0a05015500016812017312290a2401701220e79845e97e7933913d200b48a5e92eb3e4615848fab86f4adf84a1da3375e5bc1201620a020801',
    '0a020801120c0a05015500016812017a1805122b0a24017012205da72e65f7689c6df6a4fc86d9a02f81b4c6d91f5e737cd4d882d46742f985121201731805120c0a050155000168120173180512290a2401701220e79845e97e7933913d200b48a5e92eb3e4615848fab86f4adf84a1da3375e5bc120162',
  ]
  for (const block of blocks) await exchange(node, 'block/put?cid-codec=dag-pb', block)
  const root = 'bafybeigeuhjcxmgptp5jlxo6chg2shzwlawmj5ex7ej2h7xlaysofdlazu'
  const fromGateway = await fetch(`${node.url}/ipfs/${root}?format=tar`)
  for (const answer of [fromGateway, await node.post(`get?arg=${root}`)]) {
    const archive = extract()
    archive.end(Buffer.from(await answer.arrayBuffer()))
    const names: string[] = []
    for await (const entry of archive) {
      names.push(entry.header.name.replace(root, '').replace(/\/$/, ''))
      entry.resume()
    }
    expect(names).toEqual(['', '/b', '/b/s', '/s', '/s/b', '/s/b/s', '/s/s', '/s', '/z'])
  }
})

it('archives names and targets that are not UTF-8 byte for byte, like Kubo 0.42.0', async () => {
  // A directory with a symlink to `a`, 0xff, `b` as 0xfe, and a file as 0xff.
  const directory = '12120a0d017000090a070804120361ff621201fe120a0a0501550001781201ff0a020801'
  const [, line] = await exchange(node, 'block/put?format=v0', directory)
  const { Key } = JSON.parse(line) as { Key: string }
  const archive = Buffer.from(await (await node.post(`get?arg=${Key}`)).arrayBuffer()).toString('latin1')
  expect(archive).toContain(`57 path=${Key}/\xfe\n`)
  expect(archive).toContain('16 linkpath=a\xffb\n')
  expect(archive).toContain(`57 path=${Key}/\xff\n`)
  const entries: unknown[] = []
  for await (const entry of Readable.from([Buffer.from(archive, 'latin1')]).pipe(extract())) {
    entries.push([entry.header.type, entry.header.size, await buffer(entry)])
  }
  expect(entries).toEqual([
    ['directory', 0, Buffer.of()],
    ['symlink', 0, Buffer.of()],
    ['file', 1, Buffer.from('x')],
  ])
})

it('answers HEAD with the length of an empty symlink, like Kubo 0.42.0', async () => {
  const [, line] = await exchange(node, 'block/put?format=v0', '0a0408041200')
  const { Key } = JSON.parse(line) as { Key: string }
  const { status, headers } = await fetch(`${node.url}/ipfs/${Key}`, { method: 'HEAD' })
  expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
    200,
    'inode/symlink',
    '0',
  ])
})

it('lists the target of a symlink that is not UTF-8 like Kubo 0.42.0', async () => {
  const [, line] = await exchange(node, 'block/put?format=v0', '0a0508041201ff')
  const { Key } = JSON.parse(line) as { Key: string }
  const empty = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  await exchange(node, 'object/new?arg=unixfs-dir', null)
  const [, added] = await exchange(node, `object/patch/add-link?arg=${empty}&arg=y&arg=${Key}`, null)
  const { Hash } = JSON.parse(added) as { Hash: string }
  const [, listed] = await exchange(node, `ls?arg=${Hash}`, null)
  expect(listed).toBe(
    `{"Objects":[{"Hash":"QmV1B2vc2geoF242W6vWmoicbt4qthkYpctRGp5SztkJRT","Links":[{"Name":"y","Hash":"${Key}","Size":1,"Type":4,"Target":"\\ufffd","Mode":0,"ModTime":"0001-01-01T00:00:00Z"}]}]}\n`,
  )
})
