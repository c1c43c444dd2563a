/** The logs of one block that satisfy a condition. */
export interface Posting {
  /** The block's ordinal. */
  ordinal: number
  /** Ascending indices of logs in the block; undefined means all of them. */
  indices?: readonly number[]
}

/** A forward-only cursor over postings ordered by ordinal. */
export interface PostingCursor {
  /** Returns the next posting at or after an ordinal. Ordinals must not decrease between calls. */
  seek(ordinal: number): Promise<Posting | undefined>
  close(): Promise<void>
}

/** Cursors that seek together. Those of thousands would all ask for a turn before the first of them used it. */
const SEEKS_AT_ONCE = 64

/** Returns the union of cursors over different values of one field: an OR. No log is in two of them. */
export function anyOf(cursors: readonly PostingCursor[]): PostingCursor {
  if (cursors.length === 1) return cursors[0]!
  const heads: (Posting | undefined)[] = []
  let started = false
  return {
    async seek(ordinal) {
      const behind = cursors.flatMap((_, i) =>
        !started || (heads[i]?.ordinal ?? Infinity) < ordinal ? [i] : [],
      )
      started = true
      for (let start = 0; start < behind.length; start += SEEKS_AT_ONCE) {
        const group = behind.slice(start, start + SEEKS_AT_ONCE)
        const moved = await Promise.all(group.map((i) => cursors[i]!.seek(ordinal)))
        group.forEach((i, at) => (heads[i] = moved[at]))
      }
      return mergeFirst(heads)
    },
    async close() {
      for (const cursor of cursors) await cursor.close()
    },
  }
}

/** Returns the union of the postings of the first block among the heads. */
function mergeFirst(heads: readonly (Posting | undefined)[]): Posting | undefined {
  let first: Posting[] = []
  for (const head of heads) {
    if (head === undefined || head.ordinal > (first[0]?.ordinal ?? Infinity)) continue
    if (head.ordinal === first[0]?.ordinal) first.push(head)
    else first = [head]
  }
  if (first.length <= 1) return first[0]
  return { ordinal: first[0]!.ordinal, indices: unite(first.map(({ indices }) => indices ?? [])) }
}

/**
 * Iterates over the intersection of cursors: an AND over conditions. The cursors leapfrog each other, so the cost
 * follows the rarest of them.
 */
export async function* allOf(cursors: readonly PostingCursor[], from: number): AsyncGenerator<Posting> {
  let ordinal = from
  for (;;) {
    let indices: readonly number[] | undefined
    let agreed = 0
    while (agreed < cursors.length) {
      indices = undefined
      agreed = 0
      for (const cursor of cursors) {
        const posting = await cursor.seek(ordinal)
        if (posting === undefined) return
        if (posting.ordinal > ordinal) {
          ordinal = posting.ordinal
          if (agreed > 0) break
        }
        agreed++
        if (posting.indices !== undefined) {
          indices = indices === undefined ? posting.indices : intersect(indices, posting.indices)
        }
      }
    }
    if (indices === undefined || indices.length > 0) yield { ordinal, ...(indices && { indices }) }
    ordinal++
  }
}

/** Returns the indices that are in both ascending lists. */
function intersect(a: readonly number[], b: readonly number[]): number[] {
  const common: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i]! < b[j]!) i++
    else if (a[i]! > b[j]!) j++
    else {
      common.push(a[i]!)
      i++
      j++
    }
  }
  return common
}

/** Returns the indices that are in one of several disjoint lists, in ascending order. */
function unite(lists: readonly (readonly number[])[]): number[] {
  return [...Uint32Array.from(lists.flat()).sort()]
}
