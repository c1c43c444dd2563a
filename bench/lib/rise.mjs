/** Maximum ratio of the cost at the largest size to that at the smallest for work that counts as flat. */
const FLAT = 1.5

/** Groups the rows of work measured at several sizes by kind, smallest size first. */
export function worksOf(rows) {
  const works = new Map()
  for (const row of rows) {
    if (row.size === undefined) continue
    const key = `${row.group} ${row.title}`
    works.set(key, [...(works.get(key) ?? []), row])
  }
  return [...works].flatMap(([key, sizes]) => (sizes.length > 1 ? [{ key, sizes }] : []))
}

/**
 * Returns the cost at the largest size each node reached, as a multiple of the cost at the smallest, for each kind of
 * work. `goal` is set if the work should be flat.
 */
export function risesOf(rows) {
  return worksOf(rows).map(({ sizes }) => {
    const [{ title, grows, goal }] = sizes
    return { title, grows, goal: goal?.also === 'flat' ? FLAT : undefined, nodes: riseByNode(sizes) }
  })
}

function riseByNode(sizes) {
  const nodes = {}
  for (const name of new Set(sizes.flatMap((row) => Object.keys(row.nodes)))) {
    const reached = sizes.filter((row) => row.nodes[name] !== undefined)
    const [least, most] = [reached[0], reached.at(-1)]
    if (least === most) continue
    const times = most.nodes[name].median / least.nodes[name].median
    // The smallest size may have cost zero.
    if (!Number.isFinite(times)) continue
    nodes[name] = { from: least.size, to: most.size, times }
  }
  return nodes
}
