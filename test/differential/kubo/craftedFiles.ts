import { CID } from 'multiformats/cid'
import type { Random } from '../support/random.js'
import { craftedLink, directoryData, field } from './craftedNode.js'
import { type Scene, type SceneContext, request } from './scene.js'
import { randomContent, uploadOf } from './uploads.js'

/** Makes a directory whose links have wrong sizes or none, and are out of order or repeated. */
function craftedDirectory(random: Random, hashes: readonly Buffer[]): Buffer {
  const links = Array.from({ length: 1 + random.below(4) }, () =>
    craftedLink(random, random.pick(hashes), random.pick(['a', 'b', 's', 's', 'é'])),
  )
  return Buffer.concat(random.chance(0.7) ? [...links, directoryData] : [directoryData, ...links])
}

/** Plays directories in MFS that no builder made, in several levels: what Kubo has read, it stores regularly. */
export function* craftedFiles({ random }: SceneContext): Scene {
  const hashes = [field(1, Buffer.from('0155000168', 'hex'))]
  let root = 'bafkqaaa'
  for (let level = 0; level < 3; level++) {
    const stored = yield request(
      'block/put',
      [
        ['cid-codec', 'dag-pb'],
        ['mhtype', random.pick(['sha2-256', 'sha2-256', 'blake2b-256'])],
      ],
      uploadOf(craftedDirectory(random, hashes)),
    )
    root = /"Key":"(\w+)"/.exec(stored.body.toString())?.[1] ?? root
    hashes.push(field(1, Buffer.from(CID.parse(root).bytes)))
  }
  const tops = ['/k', '/k2', '/m/k']
  const path = (): string =>
    random.pick(tops) + random.pick(['', '', '/a', '/b', '/s', '/s/a', '/s/s', '/s/s/b', '/é'])
  const flush = (): [string, string][] => (random.chance(0.4) ? [['flush', 'false']] : [])
  yield request('files/mkdir', [['arg', '/m']])
  for (let step = 0; step < 24; step++) {
    const at = path()
    switch (random.below(14)) {
      case 0:
      case 1:
      case 2:
        yield request('files/cp', [
          ['arg', `/ipfs/${root}`],
          ['arg', step < 3 ? random.pick(tops) : at],
          ...flush(),
        ])
        break
      case 3:
        yield request('files/cp', [['arg', at], ['arg', path()], ...flush()])
        break
      case 4: {
        const to = path()
        // Kubo loses a directory that is moved into itself.
        if (!`${to}/`.startsWith(`${at}/`)) yield request('files/mv', [['arg', at], ['arg', to], ...flush()])
        break
      }
      case 5:
        yield request('files/rm', [
          ['arg', at],
          ['recursive', 'true'],
        ])
        break
      case 6:
      case 7:
        yield request('files/ls', [
          ['arg', at],
          ['long', random.pick(['true', 'false'])],
        ])
        break
      case 8:
        yield request(
          'files/write',
          [['arg', at], ['create', 'true'], ['truncate', 'true'], ...flush()],
          uploadOf(randomContent(random, random.below(40))),
        )
        break
      case 9:
        yield request('files/mkdir', [
          ['arg', `${at}/n`],
          ['parents', random.pick(['true', 'false'])],
          ...flush(),
        ])
        break
      case 10:
        yield request('files/flush', [['arg', random.pick([at, '/'])]])
        break
      case 11:
        yield random.chance(0.5)
          ? request('files/chmod', [
              ['arg', random.pick(['600', '0755'])],
              ['arg', at],
            ])
          : request('files/touch', [
              ['arg', at],
              ['mtime', '500'],
            ])
        break
      case 12:
        yield request('files/read', [['arg', at]])
        break
      default:
        yield request('files/stat', [['arg', random.pick([at, at, '/'])]])
    }
  }
  for (const top of ['/', ...tops]) yield request('files/stat', [['arg', top]])
  yield request('files/rm', [
    ...[...tops, '/m'].map((top): [string, string] => ['arg', top]),
    ['recursive', 'true'],
    ['force', 'true'],
  ])
}
