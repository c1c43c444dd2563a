import { createHash, timingSafeEqual } from 'node:crypto'

/** User name and password of HTTP Basic authentication. */
export interface Credentials {
  user: string
  password: string
}

/** Reads an Authorization header of the Basic scheme (RFC 7617); undefined if it is none. */
export function parseBasicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) return undefined
  return { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}

/** The token of an Authorization header of the Bearer scheme (RFC 6750). */
export function parseBearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
}

/** Compares secrets in a time that tells nothing about where they differ, nor about their lengths. */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
