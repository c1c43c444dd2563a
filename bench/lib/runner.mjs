import { startNode } from './nodes.mjs'
import { summarise } from './statistics.mjs'
import { Stage } from './workload.mjs'

/** A node that takes longer for a measurement is excluded from the rest of the group. */
const TIMEOUT_MILLISECONDS = 120_000

/** Number of the warm-up round. */
const FIRST = -1

/**
 * @typedef {object} Measure one row of the table
 * @property {string} title
 * @property {string} unit
 * @property {'higher' | 'lower'} better
 * @property {import('./goals.mjs').Goal} [goal]
 * @property {(running: object) => Promise<number | undefined | { value: number, answer: string }>} run
 *   resolves to undefined if the node does not support it; answers are compared between nodes
 */

/**
 * @typedef {object} Group rows that share running nodes
 * @property {string} id
 * @property {Measure[]} measures
 * @property {boolean} [withReference] whether to measure bare node:http too
 * @property {number} [roundsFactor] multiplies the number of rounds; defaults to 1
 * @property {boolean} [startsCold] whether the first round counts
 * @property {(running: object) => Promise<void>} [prepare]
 * @property {{ name: string, sizes: number[], grow: (running: object, from: number, to: number) => Promise<void> }} [growth]
 */

/**
 * Runs the measures of a group, alternating between the nodes, so that noise on the machine affects all of them. The
 * first round after the start is reported separately unless the group starts cold.
 */
export async function runGroup(group, { nodes, rounds, log }) {
  const results = new Results(log)
  const started = []
  for (const node of nodes) {
    if (node.isReference && !group.withReference) continue
    await results.attempt(node.name, 'start', async () => {
      const running = await startNode(node)
      running.stage = new Stage(running.client)
      started.push(running)
      if (!node.isReference) await group.prepare?.(running)
    })
    const latest = started.at(-1)
    if (latest?.name === node.name) await stopIfOut(latest, results)
  }
  const sizes = group.growth?.sizes ?? [undefined]
  const roundCount = rounds * (group.roundsFactor ?? 1)
  let reached = 0
  let isFirst = !group.startsCold
  for (const size of sizes) {
    if (size !== undefined) {
      for (const running of started) {
        if (results.isOut(running.name)) continue
        await results.attempt(running.name, `growth to ${size}`, () =>
          group.growth.grow(running, reached, size),
        )
        await stopIfOut(running, results)
      }
      reached = size
    }
    for (let round = isFirst ? FIRST : 0; round < roundCount; round++) {
      for (const measure of group.measures) {
        for (const running of rotate(started, round)) {
          if (results.isOut(running.name)) continue
          if (measure.once && round !== 0) continue
          const place = { measure, size, round, node: running.name }
          await results.attempt(running.name, measure.title, async () =>
            results.add(place, await measure.run(Object.assign(running, { round, size }))),
          )
          await stopIfOut(running, results)
        }
      }
    }
    isFirst = false
  }
  for (const running of started) await running.stop()
  return results.rows(group)
}

/** Returns nodes beginning with another one in each round: the first pays for what the client compiles or collects. */
function rotate(nodes, round) {
  const first = Math.max(round, 0) % nodes.length
  return [...nodes.slice(first), ...nodes.slice(0, first)]
}

/** Stops an excluded node: its unfinished work would slow the others down. */
async function stopIfOut(running, results) {
  if (results.isOut(running.name)) await running.stop('SIGKILL')
}

class Results {
  #values = new Map()
  #first = new Map()
  #answers = new Map()
  #out = new Set()
  #log
  notes = []

  constructor(log) {
    this.#log = log
  }

  isOut(name) {
    return this.#out.has(name)
  }

  /** Runs work. A node that takes too long, or fails to start or grow, is excluded from then on. */
  async attempt(name, what, work) {
    if (this.isOut(name)) return
    let timer
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('took too long')), TIMEOUT_MILLISECONDS)
    })
    try {
      await Promise.race([work(), late])
    } catch (error) {
      this.#note(`${name}, ${what}: ${error.message.slice(0, 300)}`)
      if (error.message === 'took too long' || what === 'start' || what.startsWith('growth'))
        this.#out.add(name)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Records a result. Answers are compared within a round only, because the next one may request something else. */
  add({ measure, size, round, node }, result) {
    if (result === undefined) return
    const { value, answer } = typeof result === 'number' ? { value: result } : result
    const key = `${measure.title}\0${size ?? ''}\0${node}`
    if (round === FIRST) this.#first.set(key, value)
    else this.#values.set(key, [...(this.#values.get(key) ?? []), value])
    if (answer === undefined) return
    const place = size === undefined ? measure.title : `${measure.title}, ${size}`
    const asked = `${place}\0${round}`
    const known = this.#answers.get(asked)
    if (known === undefined) this.#answers.set(asked, { node, answer })
    else if (known.answer !== answer && known.node !== node) {
      const note = `${place}: ${node} answers ${answer.slice(0, 100)}, ${known.node} ${known.answer.slice(0, 100)}`
      this.#note(note)
    }
  }

  /** Logs a note once, even if it recurs in every round. */
  #note(note) {
    if (this.notes.includes(note)) return
    this.notes.push(note)
    this.#log(`  ${note}`)
  }

  rows(group) {
    const rows = []
    for (const size of group.growth?.sizes ?? [undefined]) {
      for (const { title, unit, better, goal } of group.measures) {
        const nodes = {}
        for (const [key, values] of this.#values) {
          const [ofTitle, ofSize, node] = key.split('\0')
          if (ofTitle !== title || ofSize !== String(size ?? '')) continue
          nodes[node] = { ...summarise(values), first: this.#first.get(key) }
        }
        if (Object.keys(nodes).length > 0) {
          rows.push({ group: group.id, title, unit, better, goal, size, grows: group.growth?.name, nodes })
        }
      }
    }
    return { rows, notes: this.notes }
  }
}
