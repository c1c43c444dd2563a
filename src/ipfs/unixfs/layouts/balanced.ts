import type { Chunk } from '../chunk.js'
import { unixfsType } from '../data.js'
import type { FileLayout, FileNode, FileParts } from './layout.js'

/**
 * All leaves at one depth, every node filled with as many links as allowed before the next is begun
 * (boxo, `importer/balanced`). A file of one chunk is a leaf alone. The metadata goes to the root.
 */
export const balancedLayout: FileLayout = async (chunks, parts, metadata) => {
  let first: Chunk | undefined
  const levels: FileNode[][] = []
  for await (const chunk of chunks) {
    if (first === undefined) {
      first = chunk
      continue
    }
    if (levels.length === 0) await append(levels, 0, await parts.leaf(first, unixfsType.file), parts)
    await append(levels, 0, await parts.leaf(chunk, unixfsType.file), parts)
  }
  if (levels.length === 0) return parts.leaf(first ?? parts.newChunk(0), unixfsType.file, metadata)

  for (let depth = 0; depth < levels.length - 1; depth++) {
    await append(levels, depth + 1, await parts.parent(levels[depth] as FileNode[]), parts)
  }
  return parts.parent(levels.at(-1) as FileNode[], metadata)
}

/** Adds a node to a level; a full level is closed only when one more node comes, so that the root stays open. */
async function append(levels: FileNode[][], depth: number, node: FileNode, parts: FileParts): Promise<void> {
  const nodes = levels[depth]
  if (nodes === undefined) levels.push([node])
  else if (nodes.length < parts.maxLinks) nodes.push(node)
  else {
    levels[depth] = [node]
    await append(levels, depth + 1, await parts.parent(nodes), parts)
  }
}
