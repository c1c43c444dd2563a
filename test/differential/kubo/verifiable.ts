import type { Random } from '../support/random.js'
import type { PeerRequest } from './http.js'
import { type Parameters, type Scene, type SceneContext, request } from './scene.js'
import { type Part, multipart, randomContent } from './uploads.js'

const scopes = ['all', 'entity', 'block', 'entity', 'Entity', '']
const byteRanges = [
  ...['0:*', '0:0', '5:9', '100:2000', '-5:*', '-1:-1', '-2000:-100', '0:-1', '999999:*', '2:1', '-1:-2'],
  ...['*:*', '0', ':', '-0:*', '00:05', '+1:2', '4999:5000', '5000:5001', '-5000:*', '-5001:*', '1:*:2'],
]
const accepted = [
  'application/vnd.ipld.car',
  'application/vnd.ipld.car; version=1; order=dfs; dups=y',
  'application/vnd.ipld.car; dups=n; order=dfs',
  'application/vnd.ipld.car;order=unk',
  'application/vnd.ipld.car; order=bfs',
  'application/vnd.ipld.car; version=2',
  'application/vnd.ipld.car; dups=maybe',
  'application/vnd.ipld.car;q=0.5, application/vnd.ipld.raw',
  'application/vnd.ipld.raw, application/vnd.ipld.car',
  'application/vnd.ipld.raw',
  'application/vnd.ipld.raw; version=1',
  '*/*, application/vnd.ipld.car',
]

/** Makes files of several chunks, repeated content, nested and sharded directories. */
function tree(random: Random): Part[] {
  const same = randomContent(random, 900)
  const file = (name: string, content: Buffer): Part => ({ name, type: 'x/y', content })
  const many = Array.from({ length: random.pick([0, 5, 12]) }, (_, at) =>
    file(`many/f${at}`, Buffer.from(`${at % 4}`)),
  )
  return [
    file('a', same),
    file('b', same),
    file('dir/long', random.bytes(random.pick([5000, 12_000]))),
    file('dir/deep/x', Buffer.from('x')),
    file('dir/deep/same', same),
    file('empty', Buffer.alloc(0)),
    {
      name: 'link',
      type: 'application/symlink',
      content: Buffer.from(random.pick(['a', 'dir/long', 'nowhere'])),
    },
    ...many,
  ]
}

/** Plays requests for CARs and blocks of a tree: scopes, byte ranges, orders and repeats, in every combination. */
export function* verifiable({ random }: SceneContext): Scene {
  const options: [string, string][] = [
    ['wrap-with-directory', 'true'],
    ['chunker', random.pick(['size-100', 'size-1000', 'rabin-64-128-256'])],
    ['max-file-links', random.pick(['2', '3', '174'])],
    ['trickle', random.pick(['true', 'false'])],
    ['raw-leaves', random.pick(['true', 'false'])],
    ['cid-version', random.pick(['0', '1'])],
  ]
  if (random.chance(0.5)) options.push(['max-directory-links', '4'], ['max-hamt-fanout', '8'])
  if (random.chance(0.3)) options.push(['inline', 'true'])
  const added = yield request('add', options, multipart(tree(random)))
  const [root = 'bafkqaaa', ...others] = [...added.body.toString().matchAll(/"Hash":"(\w+)"/g)]
    .map(([, cid = '']) => cid)
    .reverse()
  const below = [
    '',
    '/a',
    '/b',
    '/dir',
    '/dir/',
    '/dir/long',
    '/dir/deep',
    '/dir/deep/x',
    '/many',
    '/many/f1',
    '/empty',
  ].concat(['/link', '/nope', '/a/x', '/dir/deep/same', '/link/x', '/dir//deep'])
  for (let step = 0; step < 16; step++) {
    const query: [string, string][] = []
    const path = random.chance(0.8) ? `${root}${random.pick(below)}` : random.pick([root, ...others])
    const isInQuery = random.chance(0.6)
    if (isInQuery) query.push(['format', random.pick(['car', 'car', 'car', 'raw'])])
    if (random.chance(0.6)) query.push(['dag-scope', random.pick(scopes)])
    if (random.chance(0.4)) query.push(['entity-bytes', random.pick(byteRanges)])
    if (random.chance(0.3)) query.push(['car-dups', random.pick(['y', 'n', 'Y', ''])])
    if (random.chance(0.3)) query.push(['car-order', random.pick(['dfs', 'unk', 'bfs', ''])])
    if (random.chance(0.1)) query.push(['car-version', random.pick(['1', '2'])])
    if (random.chance(0.05)) query.push(['filename', 'x.car'])
    const headers: Record<string, string> = {}
    if (!isInQuery || random.chance(0.2)) headers['accept'] = random.pick(accepted)
    if (random.chance(0.1)) headers['range'] = random.pick(['bytes=0-10', 'bytes=5-', 'bytes=-3'])
    if (random.chance(0.1)) headers['if-none-match'] = random.pick([`"${root}"`, `W/"${root}.car.x"`, '*'])
    yield gatewayGet(random.chance(0.9) ? 'GET' : 'HEAD', `/ipfs/${path}`, query, headers)
  }
}

function gatewayGet(
  method: string,
  path: string,
  query: Parameters,
  headers: Record<string, string>,
): PeerRequest {
  const search = query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
  return { to: 'gateway', method, target: `${path}${search === '' ? '' : `?${search}`}`, headers }
}
