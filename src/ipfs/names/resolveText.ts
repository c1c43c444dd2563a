import { type ResolvedPath, parsePath, resolvePath } from '../dag/path.js'
import { cleanSegments } from '../mfs/filesPath.js'
import type { NetworkContext } from '../networkContext.js'
import type { BlockSource } from '../unixfs/entry.js'

/**
 * Follows a path as requests write it: a CID, `<cid>/path`, `/ipfs/<cid>/path` or `/ipns/<name>/path`.
 *
 * @throws {@link InvalidPathError}; {@link LinkNotFoundError} when a segment leads nowhere; what the name system says
 */
export async function resolveText(
  { blockstore, names }: { blockstore: BlockSource } & Pick<NetworkContext, 'names'>,
  text: string,
): Promise<ResolvedPath> {
  const isName = text.startsWith('/ipns/') && cleanSegments(text).length > 1
  const path = isName ? await names.resolve(`/${cleanSegments(text).join('/')}`) : text
  return resolvePath(blockstore, parsePath(path))
}
