import type { Random } from '../support/random.js'
import { type Parameters, type Scene, type SceneContext, request } from './scene.js'
import { uploadOf } from './uploads.js'

/** A raw block inlined in its CID. */
const hash = field(1, Buffer.from('0155000168', 'hex'))
/** The data of a UnixFS directory. */
export const directoryData = field(1, Buffer.from('0801', 'hex'))

/** Makes a dag-pb node whose links are out of order, repeated, nameless, sizeless, or named by bytes that are not UTF-8. */
function craftedBlock(random: Random): Buffer {
  const links = Array.from({ length: 1 + random.below(4) }, () => {
    const name = random.pick<Buffer[]>([
      ...['a', 'b', 'b', '', '\\', 'a\n', 'é', '.', '..', 'a/b', '/'].map((text) => [
        field(2, Buffer.from(text)),
      ]),
      [field(2, Buffer.from('61ff', 'hex'))],
      [],
    ])
    return linkOf(random, [hash, ...name])
  })
  return Buffer.concat(random.pick([[...links, directoryData], [directoryData, ...links], links]))
}

/** Makes a link with a wrong size or none. */
export function craftedLink(random: Random, hash: Buffer, name: string): Buffer {
  return linkOf(random, [hash, field(2, Buffer.from(name))])
}

function linkOf(random: Random, fields: readonly Buffer[]): Buffer {
  const size = random.pick([[], [Buffer.from('1805', 'hex')], [Buffer.from('18ff7f', 'hex')]])
  return field(2, Buffer.concat([...fields, ...size]))
}

/** Encodes a field of bytes, with a length below 128. */
export function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content])
}

/** Plays dag-pb nodes with links that no builder makes, read and changed in all ways. */
export function* craftedNode({ random, cid, gateway }: SceneContext): Scene {
  const node = craftedBlock(random)
  const stored = yield request('block/put', [['cid-codec', 'dag-pb']], uploadOf(node))
  const [, root = 'bafkqaaa'] = /"Key":"(\w+)"/.exec(stored.body.toString()) ?? []
  const other = cid()
  for (let step = 0; step < 10; step++) {
    if (random.chance(0.3)) {
      yield gateway(root)
      continue
    }
    yield request(
      ...random.pick<[string, Parameters]>([
        ...['ls', 'get', 'refs', 'dag/get', 'object/links', 'dag/export'].map(
          (operation): [string, Parameters] => [operation, [['arg', root]]],
        ),
        [
          'ls',
          [
            ['arg', root],
            ['encoding', 'text'],
            ['resolve-type', 'false'],
          ],
        ],
        [
          'dag/get',
          [
            ['arg', root],
            ['output-codec', random.pick(['dag-cbor', 'dag-pb', 'raw'])],
          ],
        ],
        ['dag/get', [['arg', `${root}/${random.pick(['a', 'b', 'Links/0/Name', 'Links/1/Tsize'])}`]]],
        [
          'object/diff',
          [
            ['arg', root],
            ['arg', other],
          ],
        ],
        [
          'object/diff',
          [
            ['arg', other],
            ['arg', root],
          ],
        ],
        [
          'object/patch/rm-link',
          [
            ['arg', root],
            ['arg', random.pick(['a', 'b'])],
          ],
        ],
        [
          'object/patch/add-link',
          [
            ['arg', root],
            ['arg', random.pick(['a', 'c'])],
            ['arg', other],
          ],
        ],
        ['files/stat', [['arg', `/ipfs/${root}`]]],
      ]),
    )
  }
}
