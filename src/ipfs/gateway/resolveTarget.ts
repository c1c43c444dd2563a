import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { checkBlockData } from '../dag/codecs.js'
import {
  type ContentPath,
  KeyNotFoundError,
  ListSegmentError,
  NoSegmentsError,
  type ResolvedPath,
  UnreifiedError,
  resolvePath,
} from '../dag/path.js'
import { errorText } from '../../encoding/errorText.js'
import { LinkNotFoundError, isMissingBlock } from '../errors.js'
import type { BlockSource } from '../unixfs/entry.js'
import { GatewayError, rootsHeader } from './headers.js'
import type { GatewayTarget, ResolvedTarget } from './request.js'
import { goEscape, goQuote } from '../text/goQuote.js'

/** Kubo's suffix for a failed fetch: it looked for peers and found none. */
export const noProviders = ': retrieval: no providers found for the CID (phase: path resolution)'

/**
 * Resolves the path of a target to a stored block. A path that continues inside a block's data resolves to that block
 * if blocks are sent, and fails otherwise.
 *
 * @param options.path - the resolved path, if known
 * @throws {@link GatewayError} with boxo's message (`gateway/backend_blocks.go`)
 */
export async function resolveTarget(
  source: BlockSource,
  target: GatewayTarget,
  options: { sends: 'blocks' | 'data'; path?: ResolvedPath | undefined },
): Promise<ResolvedTarget> {
  const { cid, cids, remainder } = options.path ?? (await followPath(source, target))
  if (remainder.length > 0 && options.sends === 'data') throw unreadable(target, { cid, cids, remainder })
  try {
    await source.get(cid)
  } catch (error) {
    throw unresolved(target, error)
  }
  return { ...target, cid, roots: cids }
}

/**
 * Rejects data that does not match its codec. Files are checked when they are read.
 *
 * @throws {@link GatewayError}
 */
export async function checkReadable(source: BlockSource, target: GatewayTarget, cid: CID): Promise<void> {
  if (cid.code === codecCode.dagPb) return
  try {
    await checkBlockData(cid.code, await source.get(cid))
  } catch (error) {
    throw unresolved(target, error)
  }
}

/** @throws {@link GatewayError} */
export async function followPath(source: BlockSource, target: GatewayTarget): Promise<ResolvedPath> {
  try {
    return await resolvePath(source, target.content)
  } catch (thrown) {
    const error = reasonOf(thrown)
    throw isAbsence(error)
      ? unresolved(target, await missingLink(source, target.content))
      : unresolved(target, error)
  }
}

/** Returns why a path failed: a non-numeric key into a list is reported as such, at any depth. */
function reasonOf(error: unknown): unknown {
  return error instanceof LinkNotFoundError && error.cause instanceof ListSegmentError ? error.cause : error
}

/** Whether a path does not exist, as opposed to hitting an unreadable block. */
export function isAbsence(thrown: unknown): boolean {
  const error = reasonOf(thrown)
  return (
    isMissingBlock(error) ||
    error instanceof LinkNotFoundError ||
    error instanceof KeyNotFoundError ||
    error instanceof NoSegmentsError ||
    error instanceof UnreifiedError
  )
}

/** Returns the error for the first missing segment; a missing block counts as one without links. */
async function missingLink(source: BlockSource, path: ContentPath): Promise<LinkNotFoundError> {
  const { segments } = path
  let parent: CID = path.root
  // How many segments lead somewhere, and how many do not: the search is short even in a path of thousands.
  let [found, missing] = [0, segments.length]
  while (missing - found > 1) {
    const middle = (found + missing) >> 1
    try {
      parent = (await resolvePath(source, { ...path, segments: segments.slice(0, middle) })).cid
      found = middle
    } catch {
      missing = middle
    }
  }
  return new LinkNotFoundError(segments[found] ?? '', parent)
}

/** Creates the error for a target that cannot be resolved: 404 if a link or block is missing, otherwise 500. */
export function unresolved({ contentPath }: GatewayTarget, error: unknown): GatewayError {
  const isLink = error instanceof LinkNotFoundError
  const status = isLink || isMissingBlock(error) ? 404 : 500
  const reason = isLink ? errorText(error) : `${errorText(error)}${noProviders}`
  const failure = new GatewayError(
    status,
    `failed to resolve ${goEscape(contentPath, { ascii: true })}: ${reason}`,
  )
  failure.cause = error
  return failure
}

/** Creates the error for a path that ends inside a block's data, not at a link. */
function unreadable(target: GatewayTarget, { cid, cids, remainder }: ResolvedPath): GatewayError {
  const rest = `/${remainder.join('/')}`
  const block = `/${target.content.namespace}/${cid}`
  return new GatewayError(
    501,
    `${goQuote(rest)} of ${goQuote(block + rest)} could not be returned: reading IPLD Kinds other than ` +
      `Links (CBOR Tag 42) is not implemented: try reading ${goQuote(block)} instead`,
    rootsHeader({ roots: cids }),
  )
}
