import type { ArgumentSpec, Command, OptionSpec } from '../../../src/ipfs/request/command.js'
import recordedKeyFiles from '../../ipfs/kuboKeyFiles.json' with { type: 'json' }
import type { PeerAnswer, PeerRequest } from './http.js'
import type { Random } from '../support/random.js'
import { cborHex, json, multibaseTexts } from './data.js'
import { withUnusualEnvelope } from './envelopes.js'
import { emptyDirectory } from './emptyDirectories.js'
import { gatewayRequest, routingRequest } from './gatewayRequests.js'
import { keyFiles, keyIds } from './keys.js'
import { type Scene, request } from './scene.js'
import { scenes } from './scenes.js'
import { type Upload, malformed, otherEntries, randomContent, randomTree, uploadOf } from './uploads.js'
import {
  bases,
  configKeys,
  configValues,
  filesPaths,
  validValues,
  keyNames,
  domains,
  numbers,
  optionValues,
  unknownCids,
  texts,
  booleans,
  weights,
} from './values.js'

/** Key files of all types, whole and broken, in hexadecimal. */
const otherKeyFiles = recordedKeyFiles
  .map(([, content]) => content)
  .filter((content): content is string => typeof content === 'string')

/** Paths in MFS to which nothing is copied. */
const writtenPaths = ['/v', '/d/v', '/v1/x']

/** Generates requests that build on earlier answers. */
export interface Generator {
  next(): PeerRequest
  /** Collects CIDs from an answer. */
  learn(request: PeerRequest, answer: PeerAnswer): void
  /** Reports that the answers to the last request differ. */
  abandon(): void
  /** Drops all CIDs, because the peers may no longer store the same content. */
  forget(): void
}

/** Names and peer IDs that have no record. */
const unpublished = [
  'k51qzi5uqu5dhi84sgso564yby2s6expoxuvfynid625vodh2c9sy87ao0xbse',
  '12D3KooWEqiMqBzKSXAnqbqgwvTjyL5QBbPnhGrqTZq1yLfGBYt3',
  'QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ',
]

/** Creates a generator for a registry of operations. */
export function createGenerator(
  random: Random,
  commands: ReadonlyMap<string, Command>,
  globalOptions: Readonly<Record<string, OptionSpec>>,
): Generator {
  const cids: string[] = []
  const cars: Buffer[] = []
  /** CIDs that the root of MFS has had. */
  const filesRoots = new Set([emptyDirectory])
  const operations = [...commands.keys()]
  const total = operations.reduce((sum, name) => sum + (weights[name] ?? 1), 0)

  function pickOperation(): string {
    let rest = random.next() * total
    for (const name of operations) {
      rest -= weights[name] ?? 1
      if (rest < 0) return name
    }
    return 'version'
  }

  function cid(): string {
    if (cids.length === 0 || random.chance(0.08)) return random.pick(unknownCids)
    const recent = Math.min(cids.length, 40)
    return random.chance(0.7) ? (cids[cids.length - 1 - random.below(recent)] as string) : random.pick(cids)
  }

  function contentPath(): string {
    const root = cid()
    const below = random.chance(0.3)
      ? random.pick([
          '/a',
          '/b.txt',
          '/dir',
          '/dir/x',
          '/Links/0/Hash',
          '/x',
          '/a/b',
          '/',
          '/é',
          '/0',
          '//a',
          '/..',
        ])
      : ''
    if (random.chance(0.04)) return `/ipns/${random.pick(keyIds)}${below}`
    if (random.chance(0.01)) return `/ipns/${random.pick(domains)}${below}`
    const front = random.chance(0.25)
      ? random.pick(['/ipfs/', '/ipfs/', 'ipfs://', '/ipld/', '/ipns/', '/foo/'])
      : ''
    return front + root + below
  }

  function argument(operation: string, { name }: ArgumentSpec): string {
    if (operation.startsWith('files/')) {
      if (name === 'mode') return random.pick(['644', '0755', '4755', '8', 'x', '', '77777'])
      const fromIpfs = name === 'source' || (operation === 'files/stat' && random.chance(0.3))
      if (fromIpfs && random.chance(0.6)) return `/ipfs/${cid()}${random.chance(0.15) ? '/a' : ''}`
      if (operation === 'files/write' && random.chance(0.6)) return random.pick(writtenPaths)
      // An unclean path makes Kubo change the format of the MFS root, for good.
      return random.pick(
        operation === 'files/chcid' ? filesPaths.filter((path) => path.startsWith('/')) : filesPaths,
      )
    }
    if (operation.startsWith('key/')) return random.pick(keyNames)
    // The empty block, which Kubo would remove from much that is pinned, is among the unknown ones.
    // Kubo has the root of MFS in memory, where it stays when it is removed.
    const removable = cids.filter((known) => !filesRoots.has(known))
    if (operation === 'block/rm') return random.pick(removable.length > 0 ? removable : unknownCids)
    if (operation === 'name/resolve' && random.chance(0.7)) {
      return random.pick(random.chance(0.8) ? keyIds : domains)
    }
    if (operation.startsWith('cid/') && random.chance(0.1)) return random.pick(multibaseTexts)
    if (operation.startsWith('config')) return random.pick(name === 'key' ? configKeys : configValues)
    if (operation.startsWith('multibase/')) return random.pick(bases)
    if (name === 'peerid') return random.pick(['foo', ''])
    return contentPath()
  }

  function option(name: string, { type }: OptionSpec, isValid: boolean): string {
    const good = isValid
      ? (validValues[name] ?? (type === 'bool' ? booleans.slice(0, 2) : undefined))
      : undefined
    if (good !== undefined) return random.pick(good)
    const values = optionValues[name]
    if (values !== undefined) return random.pick(values)
    if (type === 'bool') return random.pick(random.chance(0.85) ? booleans.slice(0, 2) : booleans)
    return random.pick(type === 'string' || type === 'strings' ? texts : numbers)
  }

  function upload(operation: string): Upload {
    switch (operation) {
      case 'add':
        return randomTree(random)
      case 'dag/put':
        return uploadOf(random.chance(0.75) ? random.pick(json) : Buffer.from(random.pick(cborHex), 'hex'))
      case 'dag/import': {
        const car =
          cars.length > 0 && random.chance(0.85)
            ? random.pick(cars)
            : Buffer.from('0aa16776657273696f6e01', 'hex')
        if (random.chance(0.7)) return uploadOf(car)
        const cut = Buffer.from(car.subarray(0, random.below(car.length + 1)))
        if (cut.length > 0 && random.chance(0.5)) cut[random.below(cut.length)] = random.below(256)
        return uploadOf(cut)
      }
      case 'key/import':
        return uploadOf(
          random.chance(0.6)
            ? random.pick(keyFiles)
            : random.chance(0.7)
              ? Buffer.from(random.pick(otherKeyFiles), 'hex')
              : randomContent(random, random.below(80)),
        )
      case 'files/write':
        return uploadOf(randomContent(random, random.pick([0, 1, 5, 4096, 5000, 262_144, 300_000])))
      // Kubo converts large numbers in quadratic time.
      case 'multibase/encode':
        return uploadOf(randomContent(random, random.below(5000)))
      case 'multibase/decode':
      case 'multibase/transcode':
        return uploadOf(random.pick(multibaseTexts))
      default:
        return random.chance(0.2)
          ? uploadOf(Buffer.from(random.pick(cborHex), 'hex'), random.pick(json))
          : uploadOf(randomContent(random))
    }
  }

  function command(operation: string): PeerRequest {
    const spec = commands.get(operation) as Command
    const query: [string, string][] = []
    for (const declared of spec.arguments.filter(({ kind }) => kind === 'string')) {
      if (!declared.required && random.chance(0.5)) continue
      if (random.chance(0.02)) continue
      const count = declared.variadic && random.chance(0.15) ? 2 : 1
      for (let index = 0; index < count; index++) query.push(['arg', argument(operation, declared)])
    }
    if (random.chance(0.02)) query.push(['arg', random.pick(texts)])
    const isValid = random.chance(0.5)
    const wanted = isValid ? random.pick([2, 4, 7]) : 2.2
    for (const [name, declared] of Object.entries({ ...globalOptions, ...spec.options })) {
      const likely =
        name in globalOptions ? 0.03 : Math.min(0.7, wanted / Math.max(4, Object.keys(spec.options).length))
      if (!random.chance(likely)) continue
      const wireName =
        declared.aliases && random.chance(0.3) ? random.pick([name, ...declared.aliases]) : name
      query.push([wireName, option(name, declared, isValid)])
      if (random.chance(0.006)) {
        const again = random.pick([wireName, name, ...(declared.aliases ?? [])])
        // Which of two aliases of an option wins depends on the order of a Go map.
        if (again === wireName) query.push([wireName, option(name, declared, isValid)])
      }
    }
    if (random.chance(0.01))
      query.push([random.pick(['foo', 'ARG', 'h', 'help', 'api', 'debug', 'D', 'L']), 'true'])
    // Kubo loses the content in the root of a copied single-block file that has grown.
    if (
      operation === 'files/write' &&
      !writtenPaths.includes(query.find(([name]) => name === 'arg')?.[1] ?? '')
    ) {
      // Which of two aliases of an option wins depends on the order of a Go map.
      const alias = query.findIndex(([name]) => name === 't')
      if (alias !== -1) query.splice(alias, 1)
      query.push(['truncate', 'true'])
    }
    // Kubo puts leaves that are not raw in identity CIDs too long to be read, so that their content is lost.
    if (operation === 'files/write' && query.some(([, value]) => value === 'identity')) {
      for (const given of query) if (given[0] === 'raw-leaves') given[1] = 'true'
    }
    // With an empty target, Kubo creates an entry without a name that nothing removes.
    if (operation === 'files/cp') for (const given of query) if (/^\/*$/.test(given[1])) given[1] = '/a'
    if (operation === 'key/import' && random.chance(0.3) && !query.some(([name]) => name === 'f')) {
      query.push(['format', 'pem-pkcs8-cleartext'])
    }
    if (operation === 'key/import' && random.chance(0.3)) query.push(['allow-any-key-type', 'true'])
    if (operation === 'name/publish' && random.chance(0.8)) query.push(['allow-offline', 'true'])
    // Whether Kubo publishes after an expired timeout is a matter of chance.
    if (operation === 'name/publish') {
      for (const option of query) if (/^timeout=(0|-)/.test(option.join('='))) option[1] = '1m'
    }
    // Without a time, or with 0, the time of the request applies.
    if (operation === 'files/touch') {
      for (const option of query) if (option[0] === 'mtime' && option[1] === '0') option[1] = '500'
    }
    if (operation === 'files/touch' && !query.some(([name]) => name === 'mtime')) query.push(['mtime', '500'])
    const takesFile = spec.arguments.some(({ kind }) => kind === 'file')
    let body: Upload | undefined = takesFile ? upload(operation) : undefined
    if (body && random.chance(0.02)) body = malformed(random, body)
    if (body && operation !== 'add' && random.chance(0.03)) body = otherEntries(random)
    if (body && random.chance(0.01)) body = undefined
    const plain = request(operation, query, body)
    return random.chance(0.03) ? withUnusualEnvelope(random, plain) : plain
  }

  let scene: Scene | undefined
  let lastAnswer: PeerAnswer | undefined

  /** Returns the next request of the current scene; undefined if there is none or it has ended. */
  function nextOfScene(): PeerRequest | undefined {
    if (scene === undefined) {
      if (cids.length < 6 || !random.chance(0.012)) return undefined
      const gateway = (root: string): PeerRequest => gatewayRequest(random, root)
      scene = random.pick(scenes)({ random, cid, command, gateway, cars })
      lastAnswer = undefined
    }
    const { value, done } = lastAnswer === undefined ? scene.next() : scene.next(lastAnswer)
    if (!done) return value
    scene = undefined
    return undefined
  }

  function gateway(): PeerRequest {
    if (random.chance(0.02))
      return routingRequest(random, random.chance(0.5) ? cid() : random.pick(unpublished))
    return gatewayRequest(random, random.chance(0.05) ? random.pick(keyIds) : cid())
  }

  return {
    forget() {
      cids.length = 0
    },
    abandon() {
      scene = undefined
    },
    next: () =>
      nextOfScene() ?? (cids.length > 5 && random.chance(0.2) ? gateway() : command(pickOperation())),
    learn({ target }, answer) {
      lastAnswer = answer
      const { status, body, headers, trailers } = answer
      // Kubo does not store all blocks that it has reported before an error.
      if (status !== 200 || trailers['x-stream-error'] !== undefined) return
      if (headers['content-type'] === 'application/vnd.ipld.car' && body.length < 100_000) cars.push(body)
      if (
        body.length > 50_000 ||
        !/^\/api\/v0\/(add|block\/put|dag\/put|files\/stat|files\/flush|dag\/import)/.test(target)
      )
        return
      const isOfRoot = /\/files\/(stat|flush)(\?arg=(%2F|\/)*)?(&|$)/.test(target)
      for (const [found] of body.toString().matchAll(/Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{5,}/g)) {
        if (!cids.includes(found)) cids.push(found)
        if (isOfRoot) filesRoots.add(found)
      }
      if (cids.length > 400) cids.splice(0, 100)
    },
  }
}
