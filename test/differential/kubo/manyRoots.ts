import { CID } from 'multiformats/cid'
import { createHash } from 'node:crypto'
import * as Digest from 'multiformats/hashes/digest'
import { encode } from '@ipld/dag-cbor'
import type { Random } from '../support/random.js'
import { type Scene, type SceneContext, request } from './scene.js'
import { uploadOf } from './uploads.js'

/** A block of a CAR. */
interface CarBlock {
  cid: CID
  bytes: Uint8Array
}

function blockOf(bytes: Uint8Array, codec: number, version: 0 | 1 = 1): CarBlock {
  const digest = Digest.create(0x12, createHash('sha256').update(bytes).digest())
  return { cid: version === 0 ? CID.createV0(digest) : CID.createV1(codec, digest), bytes }
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

function section(...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([varint(content.length), content])
}

/** Makes a CAR with any header. */
function car(header: unknown, blocks: readonly CarBlock[]): Buffer {
  return Buffer.concat([
    section(encode(header)),
    ...blocks.map(({ cid, bytes }) => section(cid.bytes, bytes)),
  ])
}

/** Makes blocks of several codecs that refer to each other. */
function someBlocks(random: Random): CarBlock[] {
  const text = blockOf(random.bytes(random.pick([1, 40, 3000])), 0x55)
  const directory = Buffer.concat([
    Buffer.from([0x12, 2 + text.cid.bytes.length + 5, 0x0a, text.cid.bytes.length]),
    text.cid.bytes,
    Buffer.from('1201611805', 'hex'),
    Buffer.from('0a020801', 'hex'),
  ])
  const data = encode({ a: text.cid, b: [1, { c: text.cid }] })
  return [
    text,
    blockOf(directory, 0x70, random.pick([0, 1])),
    blockOf(data, 0x71),
    blockOf(Buffer.from('{"a":1}'), 0x0129),
    blockOf(Buffer.from(random.chance(0.1) ? 'a101' : 'a0', 'hex'), 0x71),
    { cid: CID.parse('bafkqabtimvwgy3yk'), bytes: Buffer.from('hello\n') },
  ]
}

/** Plays CARs with no, several, repeated, missing and undecodable roots, and odd headers. */
export function* manyRoots({ random, cid }: SceneContext): Scene {
  const blocks = someBlocks(random)
  for (let step = 0; step < 5; step++) {
    const given = blocks.filter(() => random.chance(0.7))
    if (random.chance(0.3)) given.push(random.pick(blocks))
    const missing = blockOf(random.bytes(8), random.pick([0x55, 0x70, 0x71])).cid
    const choices = [...blocks.map((block) => block.cid), missing, CID.parse('bafkqaaa')]
    const roots = Array.from({ length: random.pick([0, 1, 2, 3, 3]) }, () => random.pick(choices))
    const header = random.chance(0.85)
      ? { version: 1, roots }
      : random.pick<unknown>([
          { version: 1 },
          { roots },
          { version: 2, roots },
          { version: 1, roots, more: 1 },
          { version: 1, roots: [1] },
          [],
          { version: '1', roots },
        ])
    let file = car(header, given)
    if (random.chance(0.08) && given[0] !== undefined) {
      file = Buffer.concat([file, section(given[0].cid.bytes, Buffer.from('other'))])
    }
    if (random.chance(0.05))
      file = Buffer.concat([file, Buffer.from(random.pick(['00', '0100', '05015500', 'ff']), 'hex')])
    const options: [string, string][] = []
    for (const name of ['pin-roots', 'stats', 'silent', 'allow-big-block']) {
      if (random.chance(0.4)) options.push([name, random.pick(['true', 'false'])])
    }
    // A root that cannot be pinned ends the text, and Kubo's order of roots is random.
    if (roots.length < 2 && random.chance(0.3)) options.push(['encoding', 'text'])
    if (random.chance(0.2)) options.push(['cid-base', random.pick(['base58btc', 'base36'])])
    yield request('dag/import', options, uploadOf(file))
    yield request('pin/ls', [['type', random.pick(['recursive', 'all'])]])
    const args: [string, string][] = [choices, choices, [cid()]]
      .flatMap((list) => [random.pick<CID | string>(list)])
      .slice(0, 1 + random.below(3))
      .map((one) => ['arg', String(one)])
    yield request('dag/stat', [...args, ['progress', random.pick(['true', 'false'])]])
    yield request('dag/stat', [...args, ['encoding', 'text'], ['progress', 'false']])
    const root = String(random.pick(choices))
    yield request(random.pick(['dag/export', 'refs', 'ls', 'dag/get', 'pin/add']), [['arg', root]])
  }
  for (const block of blocks) yield request('pin/rm', [['arg', String(block.cid)]])
}
