import { readAll } from '../blockSize.js'
import { type ResolvedPath, parsePath, resolvePath } from '../dag/path.js'
import { errorText } from '../../encoding/errorText.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import type { CommandReply } from '../request/reply.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import { readFile } from '../unixfs/readFile.js'
import { GatewayError, cacheHeader, escapeUrlPath } from './headers.js'
import { matchRedirectRule, parseRedirectRules, REDIRECT_RULES_LIMIT } from './redirectRules.js'
import type { GatewayRequest, GatewayTarget } from './request.js'
import { isAbsence } from './resolveTarget.js'
import { goQuote } from '../text/goQuote.js'
import { encodeEscapes } from '../../encoding/byteText.js'

/**
 * Result of a `_redirects` file: the target to serve instead, with its resolved path if known, or the answer itself.
 */
export type RuleOutcome = { target: GatewayTarget; path?: ResolvedPath | undefined } | { reply: CommandReply }

/**
 * Applies the `_redirects` file at the root of a site if the requested path does not exist
 * (https://specs.ipfs.tech/http-gateways/web-redirects-file/; boxo, `gateway/handler_unixfs_redirects.go`).
 *
 * @throws {@link GatewayError} for a redirect, or if the file is invalid
 */
export async function followRules(
  source: BlockSource,
  request: GatewayRequest,
  target: GatewayTarget,
): Promise<RuleOutcome> {
  const found = await find(source, target)
  if (found !== 'missing') return { target, path: found }
  const root = target.immutablePath.split('/').slice(0, 3).join('/')
  const file = `${root}/_redirects`
  try {
    const entry = await entryAt(source, file)
    if (entry === undefined) return { target }
    const rules = await readRules(source, entry)
    const matching = matchRedirectRule(rules, `/${target.content.segments.join('/')}`)
    const match = await runInSlices(matching, new TimeSlice())
    if (match === undefined) return { target }
    if (match.status === 200) {
      const content = parsePath(root + match.to)
      return { target: { ...target, content } }
    }
    if (match.status >= 400) {
      return { reply: await servePage(source, { ...match, target, path: root + match.to }) }
    }
    throw new GatewayError(match.status, 'moved by a rule', { Location: withQuery(match.to, request.search) })
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    const text = `trouble processing _redirects file at ${goQuote(file)}: ${errorText(error)}`
    throw new GatewayError(isAbsence(error) ? 404 : 500, text)
  }
}

/** Resolves a target's path; undefined if a block is unreadable, which is reported when it is served. */
async function find(
  source: BlockSource,
  { content }: GatewayTarget,
): Promise<ResolvedPath | 'missing' | undefined> {
  try {
    const path = await resolvePath(source, content)
    await source.get(path.cid)
    return path
  } catch (error) {
    if (error instanceof FileNetworkError) return isAbsence(error) ? 'missing' : undefined
    throw error
  }
}

async function entryAt(source: BlockSource, path: string): Promise<UnixfsEntry | undefined> {
  try {
    return await loadEntry(source, (await resolvePath(source, parsePath(path))).cid)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

async function readRules(
  source: BlockSource,
  entry: UnixfsEntry,
): Promise<ReturnType<typeof parseRedirectRules>> {
  if (entry.type !== 'file') throw new FileNetworkError(' _redirects is not a file')
  try {
    if (entry.size > REDIRECT_RULES_LIMIT) {
      throw new FileNetworkError(`redirects file size cannot exceed ${REDIRECT_RULES_LIMIT} bytes`)
    }
    const content = await readAll(readFile(source, entry), REDIRECT_RULES_LIMIT)
    return parseRedirectRules(Buffer.from(content).toString())
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    throw new FileNetworkError(`could not parse _redirects: ${error.message}`, { cause: error })
  }
}

/** Serves the page that a rule names for a missing path, with the rule's status. */
async function servePage(
  source: BlockSource,
  { status, path, target }: { status: number; path: string; target: GatewayTarget },
): Promise<CommandReply> {
  const { cid } = await resolvePath(source, parsePath(path))
  const page = await loadEntry(source, cid)
  if (page.type !== 'file') {
    throw new FileNetworkError(`could not convert node for ${status} page to file`)
  }
  return {
    status,
    headers: {
      'Content-Type': 'text/html',
      'Content-Length': String(page.size),
      ETag: `"${cid}"`,
      ...(target.name === undefined ? cacheHeader({}) : {}),
    },
    body: readFile(source, page, { start: 0, end: page.size }),
  }
}

/** Merges the request's query into a rule's address, sorted by name. */
function withQuery(to: string, search: string): string {
  const [, path = '', own = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(to) ?? []
  const query = new URLSearchParams([...new URLSearchParams(own), ...new URLSearchParams(search)])
  query.sort()
  const isPath = path.startsWith('/')
  const slash = isPath && path.endsWith('/') && path !== '/' ? '/' : ''
  const clean = isPath ? `/${cleanSegments(path).join('/')}${slash}` : path
  const shown = search === '' ? own : String(query).replaceAll('*', '%2A')
  const address = isPath ? escapeUrlPath(decoded(clean)) : clean
  const whole = address + (shown === '' ? '' : `?${shown}`) + fragment
  return whole.replace(/[^\x21-\x7e]+/gu, (characters) => encodeEscapes(characters, encodeURIComponent))
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
