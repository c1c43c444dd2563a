/**
 * Goal of a row. Limits in milliseconds or work per second were set on one machine; the yardstick scales them to this
 * one.
 *
 * @typedef {object} Goal
 * @property {number} [times] factor applied to the result of another row or node
 * @property {number} [plus] amount added to the result of another row or node
 * @property {number} [limit] absolute figure
 * @property {string} [of] node that `times` and `plus` refer to
 * @property {string} [title] row that `times` and `plus` refer to; defaults to the same row
 * @property {string} [name] label of that node or row in the table
 * @property {Yardstick} [yardstick] scales `limit` and `plus`; without it they apply to any machine
 * @property {string} [also] further condition, in words
 */

/**
 * A reference program for the same kind of work, with its result on the machine where the goals were set (two cores,
 * November 2026).
 *
 * @typedef {object} Yardstick
 * @property {string} node
 * @property {string} [title] its row; defaults to the goal's row
 * @property {number} figure
 */

export const BARE = 'bare node:http'

/** Titles of rows that others are compared with. */
export const COLD_START = 'cold start to the first answer'
export const overHttp = (inFlight) => `eth_blockNumber over HTTP, ${inFlight} in flight`

/** Starting a process, and small requests one after another. */
export const starting = { node: BARE, title: COLD_START, figure: 63 }
export const oneRequest = { node: BARE, title: overHttp(1), figure: 13_600 }

const medianIn = (row, node) => row?.nodes[node]?.median
const rowIn = (rows, title) => rows.find((row) => row.title === title)

/** Returns how much longer the same work takes in this run than where the goals were set; 1 means equal. */
function slowness({ yardstick }, row, rows) {
  if (yardstick === undefined) return 1
  const { node, title, figure } = yardstick
  const measuring = title === undefined ? row : rowIn(rows, title)
  const here = medianIn(measuring, node)
  if (here === undefined) return undefined
  return measuring.better === 'higher' ? figure / here : here / figure
}

/** Formats the goal of a row; empty if it has none. */
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
 * Returns the goal of a row as a figure for this run; undefined if it has no figure, or its reference was not measured.
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
