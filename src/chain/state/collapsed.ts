import { joinPaths, type Nibbles } from './nibbles.js'
import { NodeRecord } from './nodeRecord.js'
import { decodeNode, nodeBehind, Reference } from './trieNode.js'
import type { BranchNode, Child, NewNode, NodeReader } from './trieNode.js'

/** A branch in the only form that is allowed: one with fewer than two ways out is a leaf or an extension. */
export function collapsed(reader: NodeReader, branch: BranchNode): Child | undefined {
  let only = -1
  for (const [nibble, child] of branch.children.entries()) {
    if (child === undefined) continue
    if (only !== -1 || branch.value !== undefined) return branch
    only = nibble
  }
  if (only !== -1) return prefixed(reader, Uint8Array.of(only), branch.children[only])
  if (branch.value === undefined) return undefined
  return { kind: 'leaf', path: new Uint8Array(0), value: branch.value }
}

/** A child with a piece of path before it, merged with the path that it may have itself. */
export function prefixed(reader: NodeReader, path: Nibbles, child: Child | undefined): Child | undefined {
  if (child === undefined || path.length === 0) return child
  const node = decoded(reader, child)
  if (node.kind === 'branch' || node.kind === 'patched branch') return { kind: 'extension', path, child }
  return { ...node, path: joinPaths(path, node.path) }
}

function decoded(reader: NodeReader, child: Child): NewNode {
  if (child instanceof Reference) return decodeNode(nodeBehind(reader, child))
  return child instanceof NodeRecord ? decodeNode(child) : child
}
