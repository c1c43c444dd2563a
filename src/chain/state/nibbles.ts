/** Half bytes, one per element: the digits that a trie branches on. */
export type Nibbles = Uint8Array

/** What the first byte of a leaf's path has in the compact form, and that of an extension has not. */
export const LEAF_FLAG = 0x20

/** The half bytes of a key from the `from`th on. */
export function nibblesOf(key: Uint8Array, from: number): Nibbles {
  const nibbles = new Uint8Array(key.length * 2 - from)
  for (let i = 0; i < nibbles.length; i++) nibbles[i] = nibbleAt(key, from + i)
  return nibbles
}

/** The half byte of a key at an index. */
export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >>> 1] ?? 0
  return (index & 1) === 0 ? byte >>> 4 : byte & 0x0f
}

/** How many half bytes of a path a key has from the `depth`th of its own on. */
export function commonWithKey(path: Nibbles, key: Uint8Array, depth: number): number {
  const limit = Math.min(path.length, key.length * 2 - depth)
  let count = 0
  while (count < limit && path[count] === nibbleAt(key, depth + count)) count++
  return count
}

/** Whether the rest of a key from the `depth`th half byte on is a path. */
export function endsWith(key: Uint8Array, depth: number, path: Nibbles): boolean {
  return key.length * 2 - depth === path.length && commonWithKey(path, key, depth) === path.length
}

/**
 * Whether the rest of a key from the `depth`th half byte on is the path of a leaf.
 *
 * @param bytes - with the path in the compact form from `start` up to but not including `end`
 */
export function endsAtLeaf(
  key: Uint8Array,
  depth: number,
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
): boolean {
  const odd = depth & 1
  const head = LEAF_FLAG + (odd === 1 ? 0x10 + nibbleAt(key, depth) : 0)
  const from = (depth + odd) >>> 1
  if (bytes[start] !== head || end - start - 1 !== key.length - from) return false
  for (let i = start + 1, at = from; i < end; i++, at++) if (bytes[i] !== key[at]) return false
  return true
}

/** Two paths, one behind the other. */
export function joinPaths(first: Nibbles, second: Nibbles): Nibbles {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

/** A path in the compact form of nodes: hex prefix encoding (Yellow Paper, appendix C). */
export function encodePath(path: Nibbles, { leaf }: { leaf: boolean }): Uint8Array {
  const odd = path.length & 1
  const bytes = new Uint8Array((path.length >>> 1) + 1)
  bytes[0] = (leaf ? 0x20 : 0) + (odd === 1 ? 0x10 + (path[0] ?? 0) : 0)
  for (let i = odd, position = 1; i < path.length; i += 2) {
    bytes[position++] = ((path[i] ?? 0) << 4) | (path[i + 1] ?? 0)
  }
  return bytes
}

/** The rest of a key of whole bytes from the `depth`th half byte on, as the path of a leaf in the compact form. */
export function leafPath(key: Uint8Array, depth: number): Uint8Array {
  const odd = depth & 1
  const start = (depth + odd) >>> 1
  const bytes = new Uint8Array(1 + key.length - start)
  bytes[0] = LEAF_FLAG + (odd === 1 ? 0x10 + nibbleAt(key, depth) : 0)
  for (let i = 1; i < bytes.length; i++) bytes[i] = key[start + i - 1] ?? 0
  return bytes
}

/** Whether a path in the compact form belongs to a leaf. */
export function isLeafPath(encoded: Uint8Array): boolean {
  return ((encoded[0] ?? 0) & LEAF_FLAG) !== 0
}

/** The half bytes of a path in the compact form. */
export function decodePath(encoded: Uint8Array): Nibbles {
  return nibblesOf(encoded, ((encoded[0] ?? 0) & 0x10) !== 0 ? 1 : 2)
}
