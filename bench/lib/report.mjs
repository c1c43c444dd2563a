import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalInRun, goalText } from './goals.mjs'
import { risesOf, worksOf } from './rise.mjs'

const round = (value) => {
  if (value === undefined) return '-'
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** Returns the ratio to the best peer; above 1 is better, whether high or low values are. */
function againstBest({ better, nodes }, own) {
  const peers = Object.entries(nodes).filter(([name]) => name !== own && !name.startsWith('bare'))
  const mine = nodes[own]?.median
  if (mine === undefined || peers.length === 0) return '-'
  const medians = peers.map(([, { median }]) => median)
  const best = better === 'higher' ? Math.max(...medians) : Math.min(...medians)
  const ratio = better === 'higher' ? mine / best : best / mine
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)} ×` : '-'
}

/** Formats the table of a run. Each cell is the median, followed by minimum and maximum. */
export function formatTable(rows, names) {
  const head = ['Work', 'unit', ...names, `${names[0]} : best peer`, 'goal', 'in this run']
  const lines = rows.map((row) => {
    const size = row.size === undefined ? '' : `, ${row.size.toLocaleString('en-US')} ${row.grows}`
    const cells = names.map((name) => {
      const found = row.nodes[name]
      return found === undefined ? '-' : `${round(found.median)} (${round(found.low)}–${round(found.high)})`
    })
    const inRun = goalInRun(row, rows)
    return [
      ...[row.title + size, row.unit, ...cells, againstBest(row, names[0])],
      ...[goalText(row), inRun === undefined ? '' : round(inRun)],
    ]
  })
  return joinTable(head, lines)
}

function joinTable(head, lines) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}

/** Formats the results of the warm-up round; empty if there was none. */
function formatFirst(rows, names) {
  const lines = rows.flatMap(({ title, unit, nodes }) => {
    if (names.every((name) => nodes[name]?.first === undefined)) return []
    return [[title, unit, ...names.map((name) => round(nodes[name]?.first))]]
  })
  if (lines.length === 0) return ''
  const table = joinTable(['Work', 'unit', ...names], lines)
  return `\n\nThe first round after the start, which the table above excludes:\n\n${table}`
}

/** Formats how the cost of each kind of work rises with the size; empty if nothing was measured at several sizes. */
function formatRises(rows, names) {
  const lines = risesOf(rows).map(({ title, grows, goal, nodes }) => {
    const cells = names.map((name) => {
      const found = nodes[name]
      if (found === undefined) return '-'
      const [from, to] = [found.from, found.to].map((size) => size.toLocaleString('en-US'))
      return `${found.times.toFixed(2)} × (${from} to ${to})`
    })
    return [title, grows, ...cells, goal === undefined ? '' : `≤ ${goal}`]
  })
  if (lines.length === 0) return ''
  const table = joinTable(['Work', 'of', ...names, 'goal'], lines)
  return `\n\nCost at the largest size reached, as a multiple of the cost at the smallest:\n\n${table}`
}

const COLOURS = ['#1b6ca8', '#c0392b', '#e1a100', '#5d8c3e', '#7d4fa0']
const [WIDTH, HEIGHT, MARGIN] = [640, 360, 56]

/** Plots the cost of one kind of work over size, both on logarithmic axes. @returns SVG */
export function plotSeries(title, unit, series) {
  const points = series.flatMap(({ points: list }) => list)
  const range = (values) => [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))]
  const [xLow, xHigh] = range(points.map(({ x }) => x))
  const [yLow, yHigh] = range(points.map(({ y }) => Math.max(y, 1e-3)))
  const place = (value, [low, high], from, to) =>
    from + ((Math.log10(value) - low) / (high - low || 1)) * (to - from)
  const x = (value) => place(value, [xLow, xHigh], MARGIN, WIDTH - 120).toFixed(1)
  const y = (value) => place(Math.max(value, 1e-3), [yLow, yHigh], HEIGHT - MARGIN, MARGIN).toFixed(1)
  const text = (left, top, words, more = '') =>
    `<text x="${left}" y="${top}" font-size="12" ${more}>${words}</text>`
  const lines = series.map(({ name, points: list }, index) => {
    const colour = COLOURS[index % COLOURS.length]
    const path = list.map((point) => `${x(point.x)},${y(point.y)}`).join(' ')
    const last = list.at(-1)
    return (
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>` +
      list.map((point) => `<circle cx="${x(point.x)}" cy="${y(point.y)}" r="3" fill="${colour}"/>`).join('') +
      text(Number(x(last.x)) + 8, Number(y(last.y)) + 4, `${name} ${round(last.y)}`, `fill="${colour}"`)
    )
  })
  const sizes = [...new Set(points.map((point) => point.x))]
  const ticks = sizes.map((size) =>
    text(x(size), HEIGHT - MARGIN + 18, size.toLocaleString('en-US'), 'text-anchor="middle"'),
  )
  const bounds = [yLow, yHigh].map((power) =>
    text(MARGIN - 6, Number(y(10 ** power)) + 4, round(10 ** power), 'text-anchor="end"'),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(MARGIN, 24, `${title} (${unit})`, 'font-weight="bold"'),
    `<path d="M${MARGIN},${MARGIN - 10}V${HEIGHT - MARGIN}H${WIDTH - 110}" fill="none" stroke="#888"/>`,
    ...ticks,
    ...bounds,
    ...lines,
    '</svg>',
  ].join('\n')
}

function withGoal(row, rows) {
  return { ...row, goal: goalText(row), goalInRun: goalInRun(row, rows) }
}

/** Writes the table, figures and plots of a run into a directory. @returns the table */
export function writeReport(directory, { rows, notes, names, machine }) {
  mkdirSync(directory, { recursive: true })
  const table = formatTable(rows, names)
  const more = `${formatRises(rows, names)}${formatFirst(rows, names)}`
  const remarks =
    notes.length === 0 ? '' : `\n\nSkipped or different:\n\n${notes.map((note) => `- ${note}`).join('\n')}\n`
  writeFileSync(join(directory, 'results.md'), `${machine}\n\n${table}${more}${remarks}\n`)
  writeFileSync(
    join(directory, 'results.json'),
    `${JSON.stringify({ machine, rows: rows.map((row) => withGoal(row, rows)), rises: risesOf(rows), notes }, undefined, 2)}\n`,
  )
  for (const { key, sizes } of worksOf(rows)) {
    const series = names
      .map((name) => ({
        name,
        points: sizes.flatMap(({ size, nodes }) => (nodes[name] ? [{ x: size, y: nodes[name].median }] : [])),
      }))
      .filter(({ points }) => points.length > 0)
    const [{ title, grows, unit }] = sizes
    const file = `${key.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.svg`
    writeFileSync(join(directory, file), plotSeries(`${title}, over ${grows}`, unit, series))
  }
  return table
}
