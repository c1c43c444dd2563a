/** A kind of work is flat if the largest size costs at most so many times what the smallest does. */
const FLAT = 1.5

/** The rows of each kind of work that was measured at several sizes, the smallest size first. */
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
 * What the largest size that a node reached costs it, as a multiple of the smallest, of each kind of work.
 *
 * @returns with the goal of what is to be flat
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
    // Of what costs nothing there is no multiple.
    if (!Number.isFinite(times)) continue
    nodes[name] = { from: least.size, to: most.size, times }
  }
  return nodes
}
