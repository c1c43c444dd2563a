import type { IncomingHttpHeaders } from 'node:http'
import { parseBasicCredentials, secretsEqual } from './credentials.js'
import type { Admission, FileCaller, FileEntry } from './admission.js'
import type { DoorSettings } from './settings.js'
import { isOwnOrigin, matchesOrigin } from './origin.js'
import {
  billingCardRequired,
  filesCredentialsRequired,
  filesCredentialsWrong,
  filesOperationRefused,
  filesOriginRefused,
  kuboForbidden,
} from './refusal.js'

/** The operations that the hosted file network has. */
const hostedOperations: ReadonlySet<string> = new Set([
  ...['add', 'cat', 'get', 'version'],
  ...['block/get', 'block/put', 'block/stat'],
  ...['dag/get', 'dag/put', 'dag/import', 'dag/resolve'],
  ...['pin/add', 'pin/ls', 'pin/rm', 'pin/update'],
])

/** Judges a request to the file network, in the order credentials, settings of the key. */
export function admitFileRequest(settings: DoorSettings, entry: FileEntry): Admission<FileCaller> {
  if (settings.mode === 'open' || (settings.mode === 'guarded' && settings.filesWithoutCredentials)) {
    return isKnownPage(settings, entry.headers) ? { caller: { key: undefined } } : { refusal: kuboForbidden }
  }
  if (entry.headers.authorization === undefined) return { refusal: filesCredentialsRequired }
  const credentials = parseBasicCredentials(entry.headers.authorization)
  const key = credentials === undefined ? undefined : settings.keys.get(credentials.user)
  if (credentials === undefined || key?.secret === undefined || key.disabled) {
    return { refusal: filesCredentialsWrong }
  }
  if (!secretsEqual(credentials.password, key.secret)) return { refusal: filesCredentialsWrong }
  const { origin } = entry.headers
  const { origins } = key.allowlists
  if (origins.length > 0 && !matchesOrigin(origins, origin ?? '')) return { refusal: filesOriginRefused }
  if (settings.mode === 'strict') {
    if (!key.billingCard) return { refusal: billingCardRequired }
    if (!hostedOperations.has(entry.operation)) return { refusal: filesOperationRefused }
  }
  return { caller: { key } }
}

/**
 * Kubo's rule for web pages, with every loopback origin allowed instead of its own port's alone: a browser
 * must say where its page is from (kubo: go-ipfs-cmds http/handler.go, allowOrigin, allowReferer, allowUserAgent).
 */
function isKnownPage(settings: DoorSettings, headers: IncomingHttpHeaders): boolean {
  const { origin, referer } = headers
  if (origin === undefined && referer === undefined) {
    return !(headers['user-agent'] ?? '').startsWith('Mozilla')
  }
  const pages = [origin, referer === undefined ? undefined : originOf(referer)]
  return pages.every((page) => page === undefined || isOwnOrigin(settings.allowedOrigins, page))
}

function originOf(referer: string): string {
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}
