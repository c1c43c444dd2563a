/** Half bytes, one per element: the digits that a trie branches on. */
export type Nibbles = Uint8Array

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

/** Whether the rest of a key from the `depth`th half byte on is the path of a leaf, given in the compact form. */
export function endsAtLeaf(key: Uint8Array, depth: number, encodedPath: Uint8Array): boolean {
  const odd = depth & 1
  const head = 0x20 + (odd === 1 ? 0x10 + nibbleAt(key, depth) : 0)
  const start = (depth + odd) >>> 1
  if (encodedPath[0] !== head || encodedPath.length - 1 !== key.length - start) return false
  for (let i = 1; i < encodedPath.length; i++) if (encodedPath[i] !== key[start + i - 1]) return false
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

/** Whether a path in the compact form belongs to a leaf. */
export function isLeafPath(encoded: Uint8Array): boolean {
  return ((encoded[0] ?? 0) & 0x20) !== 0
}

/** The half bytes of a path in the compact form. */
export function decodePath(encoded: Uint8Array): Nibbles {
  return nibblesOf(encoded, ((encoded[0] ?? 0) & 0x10) !== 0 ? 1 : 2)
}
