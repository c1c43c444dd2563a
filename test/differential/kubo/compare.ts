import { gunzipSync } from 'node:zlib'
import { commands } from '../../../src/ipfs/commands/registry.js'
import type { PeerAnswer, PeerRequest } from './http.js'

/** Headers that a client may act on. */
const apiHeaders = [
  'content-type',
  'x-stream-output',
  'x-chunked-output',
  'x-content-length',
  'server',
  'vary',
  'allow',
  'x-content-type-options',
]
const gatewayHeaders = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'cache-control',
  'location',
  'content-disposition',
  'content-location',
  'x-ipfs-path',
  'x-ipfs-roots',
  'x-content-type-options',
  'allow',
  'retry-after',
  'last-modified',
  'access-control-allow-origin',
]

/** Operations with values in arbitrary order (Go maps or goroutines). */
const unordered =
  /^\/api\/v0\/(pin\/ls|pin\/verify|dag\/import|refs\/local|repo\/(ls|gc|verify)|cid\/(bases|hashes)|multibase\/list|version\/deps|block\/rm|commands)([/?]|$)|^\/api\/v0\/ls\?(.*&)?s(tream)?=/

/** A path may contain percent escapes. */
function isUnordered(target: string): boolean {
  const [path = '', ...query] = target.split('?')
  return unordered.test(
    [
      path.replaceAll(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
      ...query,
    ].join('?'),
  )
}

/** One difference between two answers. */
export interface Mismatch {
  /** `status`, the name of a header or trailer, or `body`. */
  what: string
  ours: string
  theirs: string
}

/** Lists the differences of two answers. A different status, or a panic of Kubo, hides all others. */
export function compare(request: PeerRequest, ours: PeerAnswer, theirs: PeerAnswer): Mismatch[] {
  if (ours.status !== theirs.status) {
    return [
      { what: 'status', ours: `${ours.status} ${shown(ours)}`, theirs: `${theirs.status} ${shown(theirs)}` },
    ]
  }
  const [a, b] = [ours.trailers['x-stream-error'] ?? '', theirs.trailers['x-stream-error'] ?? '']
  const streamError = { what: 'x-stream-error', ours: a, theirs: b }
  // Kubo has panicked, and the rest of its answer is missing.
  if (b === 'an error occurred' && a !== b) return [streamError]
  const differences: Mismatch[] = []
  const names = request.to === 'api' ? apiHeaders : gatewayHeaders
  const isSameBody = normal(request, ours).equals(normal(request, theirs))
  for (const name of names) {
    const [own, other] = [ours.headers[name] ?? '', theirs.headers[name] ?? '']
    // The length says nothing more about different bodies.
    if (name === 'content-length' && !isSameBody) continue
    if (own !== other) differences.push({ what: name, ours: own, theirs: other })
  }
  if (a !== b) differences.push(streamError)
  if ((ours.cut === undefined) !== (theirs.cut === undefined)) {
    differences.push({ what: 'end', ours: ours.cut ?? 'complete', theirs: theirs.cut ?? 'complete' })
  }
  if (!isSameBody) {
    differences.push({ what: 'body', ...shownApart(request, ours, theirs) })
  }
  return differences
}

/** Shows two different bodies; of unordered ones, only the items that the other one lacks. */
function shownApart(
  { target }: PeerRequest,
  ours: PeerAnswer,
  theirs: PeerAnswer,
): { ours: string; theirs: string } {
  if (!isUnordered(target)) return { ours: shown(ours), theirs: shown(theirs) }
  const [own, other] = [partsOf(target, ours.body), partsOf(target, theirs.body)]
  const without = (parts: string[], others: string[]): PeerAnswer['body'] => {
    const known = new Set(others)
    return Buffer.from(parts.filter((part) => !known.has(part)).join('\n'))
  }
  return {
    ours: shown({ ...ours, body: without(own, other) }),
    theirs: shown({ ...theirs, body: without(other, own) }),
  }
}

/** Splits a body into its unordered items. */
function partsOf(target: string, body: Buffer): string[] {
  const text = body.toString()
  if (/^\/api\/v0\/(cid|multibase|pin\/ls)/.test(target) && /^[[{]/.test(text) && !text.includes('}\n{')) {
    return text.replace(/^\[|\]\n$|^\{"Keys":\{|\}\}\n$/g, '').split(/(?<=\}),/)
  }
  return text.split('\n')
}

/** Normalizes a body: unpacks archives, and sorts unordered items. */
function normal({ target }: PeerRequest, { body, headers }: PeerAnswer): Buffer {
  const type = headers['content-type']
  if (type === 'application/x-tar') return entriesOf(body)
  if (type === 'application/gzip') return unpacked(body)
  if (!isUnordered(target)) return body
  return Buffer.from(partsOf(target, body).sort().join('\n'))
}

/** Decompresses gzip, because compressors differ, and lists a tar archive inside. */
function unpacked(body: Buffer): Buffer {
  try {
    const content = gunzipSync(body)
    return content.toString('latin1', 257, 262) === 'ustar' ? entriesOf(content) : content
  } catch {
    return body
  }
}

/** Types of PAX headers, which extend the next entry: long names, times in nanoseconds. */
const extensions = new Set(['x', 'g'])

/**
 * Lists the entries of a tar archive as JSON: names, modes, types, targets and content, without times and number
 * formats.
 */
function entriesOf(archive: Buffer): Buffer {
  const entries: unknown[] = []
  let extension = ''
  for (let start = 0; start + 512 <= archive.length && archive[start] !== 0;) {
    const field = (at: number, length: number): string =>
      archive.toString('latin1', start + at, start + at + length).replace(/[\0 ].*$/s, '')
    const size = Number.parseInt(field(124, 12), 8) || 0
    const content = archive.subarray(start + 512, start + 512 + size)
    const [mode, type, target] = [field(100, 8), field(156, 1), field(157, 100)]
    const name = [field(345, 155), field(0, 100)].filter((part) => part !== '').join('/')
    if (extensions.has(type)) extension = content.toString()
    else {
      const longName = /^\d+ path=(.*)$/m.exec(extension)?.[1]
      const longTarget = /^\d+ linkpath=(.*)$/m.exec(extension)?.[1]
      // Some directories have a trailing slash.
      const path = (longName ?? name).replace(/\/$/, '')
      const entry = { name: path, mode: Number.parseInt(mode, 8), type }
      entries.push({ ...entry, target: longTarget ?? target, content: content.toString('hex') })
      extension = ''
    }
    start += 512 + Math.ceil(size / 512) * 512
  }
  return Buffer.from(JSON.stringify(entries))
}

function shown({ body, headers }: PeerAnswer): string {
  const isText = /json|text|^$/.test(headers['content-type'] ?? '')
  const text = isText ? body.toString() : body.toString('hex')
  return `(${body.length}) ${text.length > 400 ? `${text.slice(0, 400)}…` : text}`
}

/** Names the class of a difference: the operation, and both texts without names and numbers. */
export function classOf({ to, target, method }: PeerRequest, { what, ours, theirs }: Mismatch): string {
  const operation = to === 'api' ? operationOf(target) : 'gateway'
  const verb = method === 'POST' || (to === 'gateway' && method === 'GET') ? '' : `${method} `
  return `${verb}${operation} | ${what} | ${general(ours)} | ${general(theirs)}`
}

/** Finds the operation of a request target, however it is escaped, without the rest of the path. */
function operationOf(target: string): string {
  const path = target.replace(/^\/api\/v0\//, '').replace(/\?.*$/s, '')
  const segments = path.replace(/%[2-7][0-9a-f]/gi, decodeURIComponent).split('/')
  for (let length = segments.length; length > 0; length--) {
    const name = segments.slice(0, length).join('/')
    if (commands.has(name)) return name
  }
  return path
}

function general(text: string): string {
  return text
    .replace(/^(\d{3} )?\(\d+\) /, '$1')
    .replace(
      /\b(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]+|k51[a-z0-9]+|12D3[A-Za-z0-9]+|[fFuUmzbBkK][A-Za-z0-9_/+-]{30,})\b/g,
      '<cid>',
    )
    .replace(/\\?"(?:[^"\\]|\\[^"])*\\?"(?=[ :,}\]\n]|$)/g, (quoted) =>
      /^"(Message|Code|Type|Hash|Name|Size|Key|Keys|Error|Cid)"$/.test(quoted) || quoted.length > 24
        ? quoted
        : '<text>',
    )
    .replace(/<cid>[^\s:{}]*/g, '<cid>')
    .replace(/\d+/g, '#')
    .slice(0, 220)
}
