import { formatOf } from '../cid/formatOf.js'
import type { NetworkContext } from '../networkContext.js'
import type { UnixfsMetadata } from '../unixfs/data.js'
import { createEditContext } from '../unixfs/edit/editContext.js'
import { setMetadata } from '../unixfs/edit/setMetadata.js'
import { splitPath } from './filesPath.js'

/** Stores mode or time with the entry at a cleaned path of the mutable files; what is undefined stays. */
export async function changeMetadata(
  { files, blockstore }: Pick<NetworkContext, 'files' | 'blockstore'>,
  path: string,
  metadata: UnixfsMetadata,
): Promise<void> {
  const { directory, name } = splitPath(path.replace(/(?<=.)\/$/, ''))
  if (name === '') {
    await files.change([], (root) => {
      root.entry = { ...root.entry, ...definedOf(metadata) }
    })
    return
  }
  await files.exclusivelyAt(path, async () => {
    const { cid } = await files.lookUp(path)
    const parent = await files.lookUp(directory.join('/'))
    const session = blockstore.openSession()
    try {
      const context = createEditContext(blockstore, session.put, await formatOf(parent.cid))
      const node = await setMetadata(context, cid, metadata)
      await context.stored()
      await files.change(directory, ({ links }) => void links.set({ ...node, name }))
    } finally {
      session.end()
    }
  })
}

function definedOf({ mode, modified }: UnixfsMetadata): UnixfsMetadata {
  return { ...(mode !== undefined && { mode }), ...(modified && { modified }) }
}
