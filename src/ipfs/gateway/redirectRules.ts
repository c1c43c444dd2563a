import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { goQuote } from '../text/goQuote.js'

/** A rule of a `_redirects` file (https://specs.ipfs.tech/http-gateways/web-redirects-file/). */
interface RedirectRule {
  from: string
  to: string
  status: number
}

/** Where a rule sends a path, with placeholders filled in. */
export interface RedirectMatch {
  to: string
  /** 200 for a rewrite, 301 to 308 for a redirect, 404, 410 or 451 for a page of that status. */
  status: number
}

/** The longest accepted file of rules, in bytes. */
export const REDIRECT_RULES_LIMIT = 65_536

const knownStatuses = new Set(['200', '301', '302', '303', '307', '308', '404', '410', '451'])

/**
 * Parses a file of rules, one per line.
 *
 * @throws {@link FileNetworkError} with the message of go-ipfs-redirects-file
 */
export function parseRedirectRules(text: string): RedirectRule[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseRule)
}

function parseRule(line: string): RedirectRule {
  const [from = '', to, status, ...more] = line.split(/\s+/)
  if (to === undefined) throw new FileNetworkError("missing 'to' path")
  if (more.length > 0) throw new FileNetworkError("must match format 'from to [status]'")
  checkFrom(from)
  if (!/^(\/|(https?|ip[fn]s):)/i.test(to)) throw new FileNetworkError("parsing 'to': invalid URL scheme")
  return { from, to, status: status === undefined ? 301 : parseStatus(status) }
}

function checkFrom(from: string): void {
  const fail = (problem: string): FileNetworkError => new FileNetworkError(`parsing 'from': ${problem}`)
  const splats = from.split('*').length - 1
  if (splats > 0 && !from.endsWith('*')) throw fail('path must end with asterisk')
  if (splats > 1) throw fail('path can have at most one asterisk')
  if (!from.startsWith('/')) throw fail("path must begin with '/'")
}

function parseStatus(text: string): number {
  const fail = (problem: string): FileNetworkError =>
    new FileNetworkError(`parsing status ${goQuote(text)}: ${problem}`)
  if (text.endsWith('!')) throw fail('forced redirects (or "shadowing") are not supported')
  if (!/^[+-]?\d+$/.test(text)) throw fail(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`)
  if (!knownStatuses.has(text)) throw fail(`status code ${Number(text)} is not supported`)
  return Number(text)
}

/**
 * Returns the first rule that matches a path, if any.
 *
 * @throws {@link FileNetworkError} if the resulting address is too long
 */
export function* matchRedirectRule(
  rules: readonly RedirectRule[],
  path: string,
): Steps<RedirectMatch | undefined> {
  const given = segmentsOf(path)
  for (const { from, to, status } of rules) {
    const found = matchSegments(segmentsOf(from), given)
    if (found !== undefined) return { to: yield* fillIn(to, found), status }
    yield
  }
  return undefined
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

/** Values of the placeholders in a path; `splat` is the value of `*`. */
type Placeholders = ReadonlyMap<string, string>

/** Matches segment by segment: `:name` matches any one, a final `*` everything after a slash. */
function matchSegments(wanted: readonly string[], given: readonly string[]): Placeholders | undefined {
  const hasSplat = wanted.at(-1) === '*'
  if (hasSplat ? given.length < wanted.length : given.length !== wanted.length) return undefined
  const placeholders = new Map<string, string>()
  for (const [index, segment] of (hasSplat ? wanted.slice(0, -1) : wanted).entries()) {
    if (segment.startsWith(':')) placeholders.set(segment.slice(1), given[index] ?? '')
    else if (segment !== given[index]) return undefined
  }
  placeholders.set('splat', hasSplat ? given.slice(wanted.length - 1).join('/') : '')
  return placeholders
}

/** @throws {@link FileNetworkError} if the result exceeds the limit on files of rules */
function* fillIn(to: string, placeholders: Placeholders): Steps<string> {
  let filled = to
  for (const [name, value] of placeholders) {
    yield
    const parts = filled.split(`:${name}`)
    const length = filled.length + (parts.length - 1) * (value.length - name.length - 1)
    if (length > REDIRECT_RULES_LIMIT) {
      throw new FileNetworkError(`'to' path is longer than ${REDIRECT_RULES_LIMIT} characters`)
    }
    filled = parts.join(value)
  }
  return filled
}
