import type { PeerAnswer } from './http.js'
import { importValues, pinNames, unknownCids } from './values.js'
import { keyFiles, keyIds } from './keys.js'
import { carVersion2, joinedCars } from './cars.js'
import { craftedFiles } from './craftedFiles.js'
import { craftedNode } from './craftedNode.js'
import { deepFiles } from './deepFiles.js'
import { manyRoots } from './manyRoots.js'
import { type Scene, type SceneContext, request } from './scene.js'
import { manyFiles, multipart, randomContent, siteFiles, uploadOf } from './uploads.js'
import { verifiable } from './verifiable.js'

/** Returns the CID in the last line of an answer to `add`. */
function rootOf({ body }: PeerAnswer): string {
  return [...body.toString().matchAll(/"Hash":"(\w+)"/g)].at(-1)?.[1] ?? 'bafkqaaa'
}

/** Plays a site with a `_redirects` file, an index and a 404 page, requested like browsers do. */
function* site({ random, gateway }: SceneContext): Scene {
  const options: [string, string][] = [['wrap-with-directory', 'true']]
  if (random.chance(0.6)) options.push(['cid-version', '1'])
  if (random.chance(0.3)) options.push(['max-directory-links', '4'], ['max-hamt-fanout', '8'])
  if (random.chance(0.3)) options.push(['preserve-mtime', 'true'])
  const root = rootOf(yield request('add', options, siteFiles(random)))
  for (let count = 0; count < 14; count++) yield gateway(root)
}

/** Plays a sharded MFS directory, changed until it is no longer sharded. */
function* shardedFiles({ random }: SceneContext): Scene {
  const count = random.pick([3, 9, 20, 40])
  const options: [string, string][] = [
    ['wrap-with-directory', 'true'],
    ['max-directory-links', '2'],
    ['max-hamt-fanout', random.pick(['8', '16', '256'])],
    ['cid-version', random.pick(['0', '1'])],
  ]
  const root = rootOf(yield request('add', options, manyFiles(random, count)))
  yield request('files/cp', [
    ['arg', `/ipfs/${root}`],
    ['arg', '/h'],
  ])
  const flush: [string, string][] = random.chance(0.3) ? [['flush', 'false']] : []
  for (let step = 0; step < 16; step++) {
    const path = `/h/f${random.below(count + 3)}`
    switch (random.below(9)) {
      case 0:
      case 1:
        yield request('files/rm', [['arg', path], ...flush])
        break
      case 2:
        yield request(
          'files/write',
          // Without `truncate`, Kubo writes to the wrong position in a single-block file that has grown.
          [['arg', path], ['create', 'true'], ['truncate', 'true'], ...flush],
          uploadOf(randomContent(random, random.below(60))),
        )
        break
      case 3:
        yield request('files/mv', [
          ['arg', path],
          ['arg', `/h/f${random.below(count + 3)}`],
        ])
        break
      case 4:
        yield request('files/mkdir', [
          ['arg', `${path}/sub/x`],
          ['parents', 'true'],
        ])
        break
      case 5:
        yield request('files/ls', [['arg', '/h']])
        break
      case 6:
        yield request('files/chcid', [
          ['arg', '/h'],
          ['cid-version', '1'],
          ['hash', random.pick(['sha2-256', 'blake2b-256'])],
        ])
        break
      case 7:
        yield request('files/cp', [
          ['arg', path],
          ['arg', '/h/copy'],
          ['force', 'true'],
        ])
        break
      default:
        yield request('files/stat', [['arg', random.pick(['/h', '/', path])]])
    }
  }
  for (const operation of ['files/stat', 'files/ls']) yield request(operation, [['arg', '/h']])
  yield request('ls', [['arg', root]])
  yield request('refs', [
    ['arg', root],
    ['recursive', 'true'],
  ])
  yield request('dag/stat', [
    ['arg', root],
    ['progress', 'false'],
  ])
}

/** Plays an MFS file, written piece by piece. */
function* writtenFile({ random }: SceneContext): Scene {
  const path = random.pick(['/w', '/w1/x'])
  const stable: [string, string][] = []
  if (random.chance(0.5)) stable.push(['raw-leaves', random.pick(['true', 'false'])])
  if (random.chance(0.4)) stable.push(['cid-version', random.pick(['0', '1'])])
  if (random.chance(0.2)) stable.push(['hash', random.pick(['sha2-512', 'blake3', 'sha2-256'])])
  let isInlined = false
  for (let step = 0; step < 8; step++) {
    const options: [string, string][] = [
      ['arg', path],
      ['create', 'true'],
      ['parents', 'true'],
      ...(random.chance(0.7) ? stable : []),
    ]
    const offset = random.pick([0, 0, 1, 10, 4096, 262_143, 262_144, 300_000, 600_000])
    if (random.chance(0.6)) options.push(['offset', String(offset)])
    // Kubo loses the content in the root of a single-block file that has grown.
    if (isInlined || random.chance(0.2)) options.push(['truncate', 'true'])
    if (random.chance(0.2)) options.push(['count', random.pick(['0', '1', '100', '300000'])])
    if (random.chance(0.2)) options.push(['flush', 'false'])
    const size = random.pick([0, 1, 100, 5000, 262_144, 262_145, 530_000])
    yield request('files/write', options, uploadOf(randomContent(random, size)))
    if (random.chance(0.3)) {
      yield request('files/chmod', [
        ['arg', random.pick(['600', '0755'])],
        ['arg', path],
      ])
    }
    if (random.chance(0.2)) yield request('files/flush', [['arg', random.pick(['/', path])]])
    const stat = yield request('files/stat', [['arg', path]])
    isInlined = /"Blocks":[01],.*"Mode"/.test(stat.body.toString())
    if (random.chance(0.4)) {
      yield request('files/read', [
        ['arg', path],
        ['offset', String(random.below(300_000))],
        ['count', String(random.below(300))],
      ])
    }
  }
  yield request('files/stat', [
    ['arg', '/'],
    ['with-local', 'true'],
  ])
}

/** Plays import settings and their effects. */
function* configuredImports({ random, command }: SceneContext): Scene {
  const keys = Object.keys(importValues)
  const chosen = [random.pick(keys), random.pick(keys), random.pick(keys)].slice(0, 1 + random.below(3))
  for (const key of chosen) {
    yield request('config', [
      ['arg', `Import.${key}`],
      ['arg', random.pick(importValues[key] ?? ['null'])],
      ['json', 'true'],
    ])
  }
  for (let step = 0; step < 6; step++) {
    yield command(random.pick(['add', 'add', 'add', 'block/put', 'dag/put', 'dag/import']))
  }
  for (const key of chosen) {
    yield request('config', [
      ['arg', `Import.${key}`],
      ['arg', 'null'],
      ['json', 'true'],
    ])
  }
}

/** Plays data of several codecs that refer to each other, read by paths. */
function* linkedData({ random, cid, gateway }: SceneContext): Scene {
  const codec = (): string => random.pick(['dag-cbor', 'dag-json', 'dag-cbor', 'dag-pb'])
  let below = random.chance(0.25) ? random.pick(unknownCids) : cid()
  for (let depth = 0; depth < 3; depth++) {
    const store = codec()
    const link = { '/': below }
    const value =
      store === 'dag-pb'
        ? {
            Data: { '/': { bytes: random.pick(['CAE', 'AAA']) } },
            Links: [{ Hash: link, Name: 'a', Tsize: 5 }],
          }
        : random.pick<object>([
            { a: link, b: [1, link, { c: link }], x: 'text', n: null },
            { '': link, '0': 1, 'a/b': link, é: { x: 2 } },
            [link, { a: link }, [1, 2.5, true]],
            link,
          ])
    const answer = yield request(
      'dag/put',
      [
        ['store-codec', store],
        ['pin', random.pick(['true', 'false'])],
      ],
      uploadOf(JSON.stringify(value)),
    )
    const [, found] = /"\/":"(\w+)"/.exec(answer.body.toString()) ?? []
    if (found === undefined) return
    below = found
    for (let step = 0; step < 4; step++) {
      const path = random.pick(
        [
          ...['', '/a', '/a/a', '/b/1', '/b/2/c/a', '/b/9', '/x', '/x/y', '/n', '/n/m', '/0', '/1/a', '/2/1'],
        ].concat(
          [
            '/Links',
            '/Links/0/Hash/a',
            '/Links/0/Name',
            '/Data',
            '/a/Links/0',
            '//a',
            '/a/',
            '/é/x',
            '/b/01',
            '/b/-1',
          ],
          ['/%C3%A9/x', '/a/../a', '/a/b', '/a//b', '/./a'],
        ),
      )
      const operation = random.pick([
        'dag/get',
        'dag/get',
        'dag/resolve',
        'resolve',
        'ls',
        'cat',
        'refs',
        'dag/export',
      ])
      const front = random.pick(['', '', '/ipfs/', '/ipld/', 'ipfs://'])
      const options: [string, string][] = [['arg', `${front}${below}${path}`]]
      if (operation === 'dag/get' && random.chance(0.4)) {
        options.push(['output-codec', random.pick(['dag-cbor', 'dag-json', 'raw', 'dag-pb', 'json', 'cbor'])])
      }
      if (operation === 'refs' && random.chance(0.7)) options.push(['recursive', 'true'])
      if (operation === 'refs' && random.chance(0.4)) options.push(['edges', 'true'])
      if (operation === 'refs' && random.chance(0.4)) options.push(['unique', 'true'])
      if (operation === 'dag/resolve' && random.chance(0.2)) options.push(['cid-base', 'base36'])
      yield request(operation, options)
      if (random.chance(0.4)) yield gateway(below)
    }
  }
  yield request('dag/stat', [
    ['arg', below],
    ['arg', cid()],
    ['progress', random.pick(['true', 'false'])],
  ])
}

/** Plays named pins of both modes, listed in all ways, changed and removed. */
function* pins({ random, cid }: SceneContext): Scene {
  const chosen = [cid(), cid(), cid()]
  for (let step = 0; step < 12; step++) {
    const root = random.pick(chosen)
    switch (random.below(6)) {
      case 0:
      case 1: {
        const options: [string, string][] = [['arg', root]]
        if (random.chance(0.5)) options.push(['recursive', random.pick(['true', 'false'])])
        if (random.chance(0.5)) options.push(['name', random.pick(pinNames)])
        if (random.chance(0.2)) options.push(['progress', 'true'])
        yield request('pin/add', options)
        break
      }
      case 2:
        yield request('pin/update', [
          ['arg', root],
          ['arg', random.pick(chosen)],
          ['unpin', random.pick(['true', 'false'])],
        ])
        break
      case 3:
        yield request('pin/rm', [
          ['arg', root],
          ['recursive', random.pick(['true', 'false'])],
        ])
        break
      case 4:
        yield request('pin/verify', [
          ['verbose', random.pick(['true', 'false'])],
          ['quiet', random.pick(['true', 'false'])],
        ])
        break
      default: {
        const options: [string, string][] = []
        if (random.chance(0.5)) options.push(['arg', root])
        if (random.chance(0.7))
          options.push(['type', random.pick(['all', 'direct', 'indirect', 'recursive'])])
        for (const name of ['quiet', 'stream', 'names']) {
          if (random.chance(0.4)) options.push([name, random.pick(['true', 'true', 'false'])])
        }
        if (random.chance(0.2)) options.push(['name', random.pick([...pinNames, 'fi', 'ir'])])
        if (random.chance(0.3)) options.push(['encoding', 'text'])
        if (random.chance(0.2))
          options.push(['cid-base', random.pick(['base36', 'base58btc', 'z', 'base32'])])
        yield request('pin/ls', options)
      }
    }
  }
}

/** Plays a key whose name is published, and resolved by API and gateway. */
function* published({ random, cid, gateway }: SceneContext): Scene {
  const at = random.below(keyFiles.length)
  const name = keyIds[at] as string
  yield request('key/import', [['arg', `p${at}`]], uploadOf(keyFiles[at] as Uint8Array))
  const options: [string, string][] = [
    ['arg', `/ipfs/${cid()}${random.pick(['', '', '/a', '/'])}`],
    ['key', random.pick([`p${at}`, name])],
    ['allow-offline', 'true'],
  ]
  if (random.chance(0.3)) options.push(['resolve', 'false'])
  if (random.chance(0.3))
    options.push(['ttl', random.pick(['1m', '90s', '0s', '1h1m', '1us', '1ns', '2000h0.000000001s'])])
  if (random.chance(0.3)) options.push(['lifetime', random.pick(['1h', '24h', '0s', '-1s', '87600h'])])
  if (random.chance(0.2)) options.push(['sequence', random.pick(['0', '1', '5', '1000', '9007199254740993'])])
  if (random.chance(0.3)) options.push(['v1compat', random.pick(['true', 'false'])])
  if (random.chance(0.2)) options.push(['quieter', 'true'])
  if (random.chance(0.2)) options.push(['encoding', 'text'])
  yield request('name/publish', options)
  for (let step = 0; step < 8; step++) {
    const reading = random.pick([
      'name/resolve',
      'resolve',
      'cat',
      'ls',
      'dag/get',
      'get',
      'files/cp',
      'files/stat',
    ])
    const front = reading === 'name/resolve' ? random.pick(['', '/ipns/']) : '/ipns/'
    const rest = random.pick(['', '', '', '/a', '/'])
    const given: [string, string][] = [['arg', `${front}${name}${rest}`]]
    if (reading === 'files/cp') given.push(['arg', '/named'])
    if (/resolve/.test(reading) && random.chance(0.4)) {
      given.push(['recursive', random.pick(['true', 'false'])])
    }
    if (reading === 'name/resolve' && random.chance(0.3)) given.push(['stream', 'true'])
    if (reading === 'name/resolve' && random.chance(0.3)) given.push(['nocache', 'true'])
    yield random.chance(0.3) ? gateway(name) : request(reading, given)
  }
  yield request(random.pick(['key/rm', 'key/rename']), [
    ['arg', `p${at}`],
    ['arg', 'p9'],
  ])
  yield request('key/rm', [['arg', 'p9']])
  yield request('key/rm', [['arg', `p${at}`]])
}

/** Plays imports of CARs of both versions, several per body, with missing roots and duplicate blocks. */
function* imported({ random, cars, cid }: SceneContext): Scene {
  const exported = yield request('dag/export', [['arg', cid()]])
  const known = exported.status === 200 ? [exported.body, ...cars] : [...cars]
  if (known.length === 0) return
  const one = random.pick(known)
  const files = random.pick<() => Buffer[]>([
    () => [one],
    () => [one, random.pick(known)],
    () => [carVersion2(one, { withIndex: random.chance(0.5), padding: random.pick([0, 0, 7]) })],
    () => [joinedCars(one, random.pick(known))],
    () => [one, Buffer.from('x')],
    () => [Buffer.concat([one, one])],
    () => [Buffer.concat([one, Buffer.alloc(random.pick([1, 3, 10]))])],
    () => [Buffer.from('0aa16776657273696f6e02', 'hex')],
  ])()
  const options: [string, string][] = []
  for (const name of ['pin-roots', 'stats', 'silent', 'local-only', 'allow-big-block', 'fast-provide-root']) {
    if (random.chance(0.3)) options.push([name, random.pick(['true', 'false'])])
  }
  if (random.chance(0.2)) options.push(['encoding', 'text'])
  yield request('dag/import', options, random.chance(0.9) ? uploadOf(...files) : multipart([]))
  yield request('pin/ls', [['type', 'recursive']])
}

/** Plays a file or directory that lacks a block, read in all ways. */
function* incomplete({ random, gateway }: SceneContext): Scene {
  const isFile = random.chance(0.5)
  const options: [string, string][] = isFile
    ? [
        ['chunker', random.pick(['size-100', 'size-1000'])],
        ['max-file-links', random.pick(['2', '3', '174'])],
        ['trickle', random.pick(['true', 'false'])],
      ]
    : [
        ['wrap-with-directory', 'true'],
        ['max-directory-links', random.pick(['2', '100'])],
        ['max-hamt-fanout', '8'],
      ]
  options.push(['pin', 'false'], ['cid-version', random.pick(['0', '1'])])
  const upload = isFile ? uploadOf(random.bytes(random.pick([500, 5000]))) : manyFiles(random, 12)
  const root = rootOf(yield request('add', options, upload))
  const refs = yield request('refs', [
    ['arg', root],
    ['recursive', 'true'],
    ['unique', 'true'],
  ])
  const blocks = [...refs.body.toString().matchAll(/"Ref":"(\w+)"/g)].map(([, cid = '']) => cid)
  if (blocks.length === 0) return
  yield request('block/rm', [['arg', random.pick(blocks)]])
  const below = isFile ? '' : `/f${random.below(12)}`
  yield request('files/cp', [
    ['arg', `/ipfs/${root}`],
    ['arg', '/incomplete'],
  ])
  for (let step = 0; step < 10; step++) {
    if (random.chance(0.3)) {
      yield gateway(root)
      continue
    }
    const [operation, path] = random.pick([
      ...['cat', 'get', 'ls', 'refs', 'dag/stat', 'dag/get', 'pin/add', 'resolve', 'block/stat'].map(
        (name) => [name, `/ipfs/${root}${random.pick(['', below])}`] as const,
      ),
      ...['files/read', 'files/stat', 'files/ls', 'files/flush'].map(
        (name) => [name, `/incomplete${random.pick(['', below])}`] as const,
      ),
    ])
    const given: [string, string][] = [['arg', path]]
    if (operation === 'refs') given.push(['recursive', 'true'])
    if (operation === 'dag/stat') given.push(['progress', 'false'])
    if (/cat|read/.test(operation) && random.chance(0.4)) {
      given.push(['offset', String(random.below(5000))])
    }
    yield request(operation, given)
  }
  yield request('files/rm', [
    ['arg', '/incomplete'],
    ['recursive', 'true'],
    ['force', 'true'],
  ])
}

/** All scenes with their frequencies. */
export const scenes: readonly ((context: SceneContext) => Scene)[] = [
  site,
  site,
  site,
  shardedFiles,
  writtenFile,
  configuredImports,
  configuredImports,
  linkedData,
  linkedData,
  craftedNode,
  craftedFiles,
  deepFiles,
  pins,
  published,
  imported,
  manyRoots,
  verifiable,
  verifiable,
  incomplete,
]
