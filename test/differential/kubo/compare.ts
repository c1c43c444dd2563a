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
]

/** Operations whose values come in no order (Go maps, or goroutines). */
const unordered =
  /^\/api\/v0\/(pin\/ls|pin\/verify|refs\/local|repo\/(ls|gc|verify)|cid\/(bases|hashes)|multibase\/list|version\/deps|block\/rm|commands)(\?|$)/

/** One thing that two answers do not share. */
export interface Mismatch {
  /** `status`, the name of a header or trailer, or `body`. */
  what: string
  ours: string
  theirs: string
}

/** What two answers do not share. A difference of status hides the rest. */
export function compare(request: PeerRequest, ours: PeerAnswer, theirs: PeerAnswer): Mismatch[] {
  if (ours.status !== theirs.status) {
    return [
      { what: 'status', ours: `${ours.status} ${shown(ours)}`, theirs: `${theirs.status} ${shown(theirs)}` },
    ]
  }
  const differences: Mismatch[] = []
  const names = request.to === 'api' ? apiHeaders : gatewayHeaders
  for (const name of names) {
    const [a, b] = [ours.headers[name] ?? '', theirs.headers[name] ?? '']
    if (a !== b) differences.push({ what: name, ours: a, theirs: b })
  }
  const [a, b] = [ours.trailers['x-stream-error'] ?? '', theirs.trailers['x-stream-error'] ?? '']
  if (a !== b) differences.push({ what: 'x-stream-error', ours: a, theirs: b })
  if ((ours.cut === undefined) !== (theirs.cut === undefined)) {
    differences.push({ what: 'end', ours: ours.cut ?? 'complete', theirs: theirs.cut ?? 'complete' })
  }
  if (!normal(request, ours).equals(normal(request, theirs))) {
    differences.push({ what: 'body', ours: shown(ours), theirs: shown(theirs) })
  }
  return differences
}

/** A body in the form in which it is compared: without times of archives, and sorted where there is no order. */
function normal({ target }: PeerRequest, { body, headers }: PeerAnswer): Buffer {
  if (headers['content-type'] === 'application/x-tar') return withoutTimes(body)
  if (!unordered.test(target)) return body
  const text = body.toString()
  const sorted =
    target.startsWith('/api/v0/cid/') || target.startsWith('/api/v0/multibase/')
      ? text.replace(/^\[|\]\n$/g, '').split(/(?<=\}),/)
      : text.split('\n')
  return Buffer.from(sorted.sort().join('\n'))
}

/** A tar archive with the times and checksums of its headers blanked. */
function withoutTimes(archive: Buffer): Buffer {
  const copy = Buffer.from(archive)
  for (let start = 0; start + 512 <= copy.length;) {
    const size = Number.parseInt(copy.toString('latin1', start + 124, start + 136), 8) || 0
    if (copy[start] !== 0) copy.fill(0, start + 136, start + 156)
    start += 512 + Math.ceil(size / 512) * 512
  }
  return copy
}

function shown({ body, headers }: PeerAnswer): string {
  const isText = /json|text|^$/.test(headers['content-type'] ?? '')
  const text = isText ? body.toString() : body.toString('hex')
  return `(${body.length}) ${text.length > 400 ? `${text.slice(0, 400)}…` : text}`
}

/** What differences have in common: the operation, and texts without the names and numbers in them. */
export function classOf({ to, target, method }: PeerRequest, { what, ours, theirs }: Mismatch): string {
  const operation = to === 'api' ? target.replace(/^\/api\/v0\//, '').replace(/\?.*$/s, '') : 'gateway'
  const verb = method === 'POST' || (to === 'gateway' && method === 'GET') ? '' : `${method} `
  return `${verb}${operation} | ${what} | ${general(ours)} | ${general(theirs)}`
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
