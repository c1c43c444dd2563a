import type { PeerRequest } from './http.js'
import type { Random } from '../support/random.js'

const below = [
  '/',
  '/a',
  '/b.txt',
  '/dir',
  '/dir/',
  '/dir/x',
  '/nope',
  '/index.html',
  '/c%20d',
  '/%C3%A9',
  '/a/b',
  '/x/y',
  '//',
  '/b/1',
  '/b/2/c',
  '/1/a',
  '/n',
  '/%FF',
  '/x%FF/y',
  '/%22%5C',
  '/%E2%80%A8',
]
/** Paths of the uploaded site and of its `_redirects`, and unclean spellings. */
const siteBelow = [
  '/docs',
  '/docs/',
  '/docs/index.html',
  '/docs/api.json',
  '/docs/a%20b.txt',
  '/docs/%61pi.json',
  '/docs//api.json',
  '/docs/./api.json',
  '/docs/../index.html',
  '/docs/%2e%2e/index.html',
  '/docs/api.json/',
  '/docs%2Fapi.json',
  '/caf%C3%A9/',
  '/café/',
  '/caf%C3%A9/%F0%9F%8E%89.svg',
  '/q%3Fm%23h%25p.txt',
  '/q%3fm%23h%25p.txt',
  '/plus+sign.css',
  '/plus%2Bsign.css',
  '/plus%20sign.css',
  '/link',
  '/link/x',
  '/data.bin',
  '/script.js',
  '/page',
  '/page.html',
  '/page.html/',
  '/json',
  '/n3',
  '/favicon.ico',
  '/report.docx',
  '/film.webm',
  '/x.constructor',
  '/_redirects',
  '/old',
  '/old?x=1',
  '/moved/one/two',
  '/posts/2024/05/title',
  '/gone',
  '/secret',
  '/rewritten',
  '/proxy',
  '/forced',
  '/lost/anything',
  '/temp',
  '/seeother',
  '/permanent/x',
  '/%',
  '/%zz',
  '/docs/?x=y',
  '/?',
  '/;x',
  '/a%5Cb',
]
const formats = [
  'raw',
  'car',
  'tar',
  'json',
  'cbor',
  'dag-json',
  'dag-cbor',
  'ipns-record',
  'foo',
  '',
  'RAW',
  'text',
]
const acceptTypes = [
  'application/vnd.ipld.raw',
  'application/vnd.ipld.car',
  'application/vnd.ipld.car; version=1; order=dfs; dups=y',
  'application/vnd.ipld.car;version=2',
  'application/vnd.ipld.car;version="1"; dups="y"',
  'application/vnd.ipld.raw;foo',
  'application/vnd.ipld.car; dups=n',
  'application/vnd.ipld.car; order=unk; dups=x',
  'application/json',
  'text/html',
  '*/*',
  'application/vnd.ipld.dag-json',
  'application/cbor',
  'application/vnd.ipld.dag-cbor',
  'application/x-tar',
  'application/vnd.ipfs.ipns-record',
  'text/html, application/vnd.ipld.raw',
  'application/vnd.ipld.raw;q=0.1, application/json',
  'application/vnd.ipld.foo',
  'APPLICATION/JSON',
  'application/*',
  '',
]
const ranges = [
  '',
  'bytes=0-3',
  'bytes=-2',
  'bytes=1-',
  'bytes=9999999-',
  'bytes=3-1',
  'foo',
  'bytes=0-0,2-3',
  'bytes=',
  'bytes=0-99999999',
  'bytes=-0',
  'bytes=0-',
  'bytes= 0-1',
  'bytes=0 - 1',
  'BYTES=0-1',
  'bytes=1-2,1-2,1-2',
  'bytes=-99999999',
  'bytes=0-1,9999999-',
  'bytes=-',
  'bytes=a-b',
  'bytes=262140-262150',
  'bytes=18446744073709551616-',
  'items=0-1',
]
const dates = [
  'Thu, 01 Jan 1970 00:08:20 GMT',
  'Thu, 01 Jan 1970 00:08:19 GMT',
  'Fri, 01 Jan 2027 00:00:00 GMT',
  'Thursday, 01-Jan-70 00:08:20 GMT',
  'Thu Jan  1 00:08:20 1970',
  '500',
  'x',
  '',
]

/** Generates a request to the delegated routing API. */
export function routingRequest(random: Random, label: string): PeerRequest {
  const kind = random.pick(['providers', 'peers', 'ipns', 'ipns', 'dht/closest/peers', 'x', ''])
  const target = `/routing/v1/${kind}/${random.pick([label, label, label, 'x', '', `${label}/`, `./${label}`, '%FF'])}`
  const headers: Record<string, string> = {}
  if (random.chance(0.4)) {
    headers['accept'] = random.pick([
      ...[
        'application/x-ndjson',
        'application/json',
        'text/html',
        '*/*',
        'text/html, application/json;q=0.9',
      ],
      ...['application/vnd.ipfs.ipns-record', 'application/vnd.ipfs.ipns-record, */*', ''],
    ])
  }
  if (kind !== 'ipns' || !random.chance(0.3))
    return { to: 'gateway', method: random.chance(0.05) ? 'POST' : 'GET', target, headers }
  const type = random.pick(['application/vnd.ipfs.ipns-record', 'application/json'])
  const body = Buffer.from(random.pick(['', 'x', '\n\u0001a']))
  return { to: 'gateway', method: 'PUT', target, headers: { ...headers, 'content-type': type }, body }
}

/**
 * Generates a gateway request.
 *
 * @param root - a CID, or the name of a key
 */
export function gatewayRequest(random: Random, root: string): PeerRequest {
  const isName = root.startsWith('k51')
  const rest = random.chance(0.7) ? random.pick(random.chance(0.4) ? below : siteBelow) : ''
  const query: string[] = []
  const add = (probability: number, name: string, values: readonly string[]): void => {
    if (random.chance(probability)) query.push(`${name}=${random.pick(values)}`)
  }
  add(0.35, 'format', formats)
  add(0.01, 'format', formats)
  add(0.02, 'uri', [
    `ipfs://${root}`,
    `ipfs://${root}/a?b=c`,
    `ipfs%3A%2F%2F${root}%3Fa%3Db`,
    `ipns://${root}/`,
    'web+ipfs://x',
    'http://x',
    'x',
    'ipfs:',
  ])
  add(0.12, 'filename', [
    'x.txt',
    'x%20%C3%A9.html',
    '',
    'a%22b.png',
    'x.svg',
    '../x',
    'a/b.js',
    'x.tar.gz',
    '%0Ax',
    '%FF.txt',
    '%F0%9F%8E%89.webp',
    'a%0Db%7F.txt',
  ])
  add(0.1, 'download', ['true', 'false', '', '1'])
  add(0.1, 'dag-scope', ['all', 'entity', 'block', 'foo', ''])
  add(0.06, 'entity-bytes', [
    ...[
      '0:*',
      '0:3',
      '-3:*',
      '5:2',
      'x',
      '1:-1',
      '',
      '*:*',
      '0:0',
      '-5:-1',
      '-1:-5',
      '0:',
      ':5',
      '262143:262145',
    ],
    ...['300000:*', '9999999:*', '-9999999:*', '1:9999999', '1.5:2', '9223372036854775808:*'],
  ])
  add(0.04, 'car-version', ['1', '2', '', 'x'])
  add(0.06, 'car-dups', ['y', 'n', 'x', ''])
  add(0.06, 'car-order', ['dfs', 'unk', 'x', ''])
  const headers: Record<string, string> = {}
  const head = (probability: number, name: string, values: readonly string[]): void => {
    if (random.chance(probability)) headers[name] = random.pick(values)
  }
  head(0.25, 'accept', acceptTypes)
  head(0.15, 'range', ranges)
  if (headers['range'] !== undefined) head(0.15, 'if-range', [`"${root}"`, '"x"', ...dates.slice(0, 3)])
  head(0.12, 'if-none-match', [
    ...[
      '*',
      `"${root}"`,
      `W/"${root}"`,
      `"${root}.raw"`,
      '"x"',
      `"${root}", "y"`,
      `"y","${root}"`,
      `${root}`,
    ],
    ...[`"${root}.json"`, `W/"${root}.car"`, `W/"${root}.x-tar"`, `"${root}.dag-json"`, ' * ', '"', 'W/', ''],
  ])
  head(0.05, 'if-modified-since', dates)
  head(0.02, 'if-match', ['*', `"${root}"`, '"x"'])
  head(0.02, 'if-unmodified-since', dates)
  head(0.05, 'cache-control', ['only-if-cached', 'no-cache', 'max-age=0', 'no-store', 'ONLY-IF-CACHED'])
  head(0.03, 'service-worker', ['script', 'x'])
  head(0.03, 'origin', ['http://example.com', 'null'])
  head(0.02, 'accept-encoding', ['gzip', 'identity', 'br'])
  head(0.02, 'x-ipfs-gateway-prefix', ['/x'])
  const isHosted = !/[A-Z]/.test(root) && root.length < 64
  if (isHosted || random.chance(0.3)) {
    const space = isName ? 'ipns' : 'ipfs'
    head(0.15, 'host', [
      'localhost:8080',
      'localhost',
      'LOCALHOST',
      `${root}.${space}.localhost:8080`,
      `${root}.${space}.localhost:8080`,
      `${root}.${space}.localhost`,
      `${root}.${isName ? 'ipfs' : 'ipns'}.localhost`,
      'example.com',
      'foo.ipfs.localhost:8080',
      `${root}.ipld.localhost`,
      `x.${root}.ipfs.localhost`,
      '127.0.0.1',
      '[::1]:8080',
      'en-wikipedia--on--ipfs-org.ipns.localhost',
      `${root}.IPFS.localhost:8080`,
      `${root.toUpperCase()}.ipfs.localhost:8080`,
      'Example.COM',
    ])
  }
  head(0.02, 'x-forwarded-host', ['localhost', `${root}.ipfs.localhost`, 'example.org'])
  head(0.02, 'x-forwarded-proto', ['https', 'http', 'ftp'])
  if (random.chance(0.003)) return { to: 'gateway', method: 'GET', target: '/version', headers }
  const namespaces = [
    '/ipns/',
    '/ipld/',
    '/foo/',
    '/ipfs/ipfs/',
    '/ipfs/ipns/',
    '//ipfs/',
    '/ipfs//',
    '/IPFS/',
    '/',
  ]
  const front = random.chance(0.04) ? random.pick(namespaces) : isName ? '/ipns/' : '/ipfs/'
  const isBelowHost = headers['host']?.startsWith(`${root}.`) && random.chance(0.9)
  const path = isBelowHost ? rest || '/' : `${front}${root}${rest}`
  const separator = path.includes('?') ? '&' : '?'
  return {
    to: 'gateway',
    method: random.chance(0.9)
      ? 'GET'
      : random.pick(['HEAD', 'HEAD', 'HEAD', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']),
    target: encodePlain(`${path}${query.length === 0 ? '' : `${separator}${query.join('&')}`}`),
    headers,
  }
}

/** Escapes characters that are invalid in a request line. */
function encodePlain(target: string): string {
  return target.replace(/[^\x21-\x7e]/g, encodeURIComponent)
}
