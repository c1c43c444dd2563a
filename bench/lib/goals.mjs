/**
 * What a row should reach. A limit of milliseconds or of work a second was set on one machine; its yardstick carries it
 * over to this one.
 *
 * @typedef {object} Goal
 * @property {number} [times] so many times what another row or node reaches
 * @property {number} [plus] so much more than it
 * @property {number} [limit] a figure
 * @property {string} [of] the node that `times` and `plus` speak of
 * @property {string} [title] the row that they speak of, where it is another one
 * @property {string} [name] what that is called in the table
 * @property {Yardstick} [yardstick] for `limit` and `plus`; without it the figure is for any machine
 * @property {string} [also] what a figure does not tell
 */

/**
 * A program that does work of the same kind, and what it reached on the machine on which the goals were set (two cores,
 * November 2026).
 *
 * @typedef {object} Yardstick
 * @property {string} node
 * @property {string} [title] its row; that of the goal itself unless given
 * @property {number} figure
 */

export const BARE = 'bare node:http'

/** Titles of rows that others are held against. */
export const COLD_START = 'cold start to the first answer'
export const overHttp = (inFlight) => `eth_blockNumber over HTTP, ${inFlight} in flight`

/** Starting a process, and small requests one after another. */
export const starting = { node: BARE, title: COLD_START, figure: 63 }
export const oneRequest = { node: BARE, title: overHttp(1), figure: 13_600 }

const medianIn = (row, node) => row?.nodes[node]?.median
const rowIn = (rows, title) => rows.find((row) => row.title === title)

/** How long the same work takes in this run, 1 being the time that it took on the machine of the goals. */
function slowness({ yardstick }, row, rows) {
  if (yardstick === undefined) return 1
  const { node, title, figure } = yardstick
  const measuring = title === undefined ? row : rowIn(rows, title)
  const here = medianIn(measuring, node)
  if (here === undefined) return undefined
  return measuring.better === 'higher' ? figure / here : here / figure
}

/** The goal of a row in words; empty if it has none. */
export function goalText({ goal, better }) {
  if (goal === undefined) return ''
  const { times, plus, limit, of, name = of, also } = goal
  const figure = [
    ...(times === undefined ? [] : [times === 1 ? name : `${times} × ${name}`]),
    ...(plus === undefined ? [] : [`${name} + ${plus}`]),
    ...(limit === undefined ? [] : [limit.toLocaleString('en-US')]),
  ]
  const sign = better === 'higher' ? '≥' : '≤'
  return [...figure.map((words) => `${sign} ${words}`), ...(also === undefined ? [] : [also])].join(', ')
}

/**
 * What the goal of a row comes to in a run; undefined where that is no figure, or the run did not measure what it depends
 * on.
 */
export function goalInRun(row, rows) {
  const { goal, better } = row
  if (goal === undefined) return undefined
  const { times, plus, limit, of, title } = goal
  const factor = slowness(goal, row, rows)
  if (factor === undefined) return undefined
  if (limit !== undefined) return better === 'higher' ? limit / factor : limit * factor
  const reached = medianIn(title === undefined ? row : rowIn(rows, title), of)
  if (reached === undefined) return undefined
  return times === undefined ? reached + plus * factor : times * reached
}
