import { createNode } from '../../../src/index.js'
import { compareAnswers } from '../geth/compare.js'
import { DifferenceClasses } from '../support/classes.js'
import { sharedMethods } from '../support/document.js'
import { numberOption, textOption } from '../support/processes.js'
import { Random } from '../support/random.js'
import { excludedMethods } from './documented.js'
import { expectedDifferences } from './expected.js'
import { Generator, type Step } from './generate.js'
import { normalAnswer } from './normal.js'
import { type Mode, type PeerName, findPeer, modes } from './peer.js'
import { contracts, programs } from './programs.js'

/** Options for a comparison with a development node. */
export interface RunOptions {
  peer: PeerName
  seed: number
  requests: number
  /** Compares only methods whose names match; the others are sent nevertheless. */
  methods?: RegExp | undefined
  log: (line: string) => void
}

/** Result of a comparison. */
export interface RunResult {
  identical: number
  classes: DifferenceClasses
}

const GAS_LIMIT = 30_000_000
/** Compared after every step that changes the state. */
const readHead: Step = { method: 'eth_getBlockByNumber', params: ['latest', false], changesState: false }
/** Replaces `$filter`, `$snapshot` and the like before there is an answer: an unknown hash, and too large for an id. */
const unknownId = `0x${'ef'.repeat(32)}`
/** Maximum number of requests to a pair of nodes. */
const EPISODE = 25
/** Timestamp of the first block of an episode, in seconds: the year 2100, ahead of every clock. */
const FIRST_TIME = 4_102_444_800

/**
 * Sends the same seeded controls, transactions and reads to this node and to a development node. New ones are started
 * after every {@link EPISODE} requests, and when their states diverge.
 *
 * @returns undefined if the other node is not installed
 */
export async function compareWithPeer(options: RunOptions): Promise<RunResult | undefined> {
  const { peer: name, seed, requests, methods: wanted, log } = options
  const startPeer = findPeer(name, GAS_LIMIT)
  if (startPeer === undefined) return undefined
  const mode = modes[name]
  const startPair = () =>
    Promise.all([createNode({ port: 0, compat: mode, gasLimit: GAS_LIMIT }), startPeer()])
  const stop = (pair: readonly { stop(): Promise<void> }[]) => Promise.all(pair.map((node) => node.stop()))
  const classes = new DifferenceClasses(expectedDifferences[name])
  let identical = 0
  let pair = await startPair()
  try {
    const random = new Random(seed)
    const [node, peer] = pair
    const methods = await sharedMethods(node.url, peer.url, (method) => !excludedMethods.test(method))
    const generator = new Generator(random, mode, methods)
    for (let index = 0; index < requests;) {
      // The first pair has answered the probe for shared methods.
      const [started] = await Promise.all([startPair(), stop(pair)])
      pair = started
      const sides: readonly [Side, Side] = [new Side(pair[0].url, name), new Side(pair[1].url, name)]
      await Promise.all(sides.map((side) => beginEpisode(side, mode)))
      generator.beginEpisode()
      const before: Step[] = []
      for (let at = 0; at < EPISODE && index < requests; at++) {
        index++
        if (index % 1000 === 0) log(`${index} of ${requests}, ${classes.unexplained} unexplained classes`)
        const step = await generator.next()
        const [ours, theirs] = await Promise.all([sides[0].send(step), sides[1].send(step)])
        const isWanted = wanted?.test(step.method) ?? true
        const difference = compareAnswers(JSON.stringify(step), ours, theirs)
        if (difference === undefined) identical++
        else if (isWanted) classes.add({ ...difference, request: describe(step, before) })
        if (isDown(theirs)) break
        if (!step.changesState) continue
        before.push(step)
        if (difference !== undefined) break
        const [ourHead, theirHead] = await Promise.all([sides[0].send(readHead), sides[1].send(readHead)])
        const heads = compareAnswers(JSON.stringify(readHead), ourHead, theirHead)
        if (heads === undefined) continue
        classes.add({
          ...heads,
          name: `head after ${step.method} | ${heads.name}`,
          request: describe(readHead, before),
        })
        break
      }
    }
  } catch (error) {
    for (const line of classes.report()) log(line)
    throw error
  } finally {
    await stop(pair)
  }
  return { identical, classes }
}

/** Whether the connection was closed without an answer: anvil panics on some requests. */
function isDown(answer: string): boolean {
  return answer.startsWith('{"closed"')
}

function describe({ method, params, body }: Step, before: readonly Step[]): string {
  if (body !== undefined) return body
  const lines = before.map((step) => `${step.method} ${JSON.stringify(step.params)}`)
  return [`${method} ${JSON.stringify(params)}`, ...lines.reverse()].join('\n         after ')
}

/** Deploys the contracts, and mines a block at a time that both nodes share. */
async function beginEpisode(side: Side, mode: Mode): Promise<void> {
  // Anvil runs the calls of a batch in any order.
  const together = contracts.flatMap((contract, index): [method: string, params: unknown[]][] => [
    [`${mode}_setCode`, [contract, Object.values(programs)[index]]],
    [`${mode}_stopImpersonatingAccount`, [contract]],
  ])
  const body = together.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  await side.send({ method: 'a body', params: [], changesState: true, body: JSON.stringify(body) })
  const next = { method: 'evm_setNextBlockTimestamp', params: [FIRST_TIME], changesState: true }
  await side.send(next)
  await side.send({ method: 'evm_mine', params: [], changesState: true })
  await side.send({ method: 'eth_getBlockByNumber', params: ['latest', false], changesState: false })
}

/** One of the two nodes, and the ids and hashes that it has returned. */
class Side {
  readonly #url: string
  readonly #peer: PeerName
  readonly #known = new Map<string, unknown>()

  constructor(url: string, peer: PeerName) {
    this.#url = url
    this.#peer = peer
  }

  /** Sends a request. @returns the normalized answer as JSON */
  async send({ method, params, body }: Step): Promise<string> {
    if (body !== undefined) return this.#sendBody(body)
    const filled = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith('$') ? (this.#known.get(value) ?? unknownId) : value,
    )
    const response = await this.#post(filled).catch((error: unknown) => (error as Error).message)
    if (typeof response === 'string') return JSON.stringify({ closed: response })
    const answer = JSON.parse(await response.text()) as Record<string, unknown>
    this.#remember(method, answer['result'])
    return JSON.stringify(normalAnswer(this.#peer, method, answer))
  }

  async #sendBody(body: string): Promise<string> {
    const response = await this.#post(body).catch((error: unknown) => (error as Error).message)
    if (typeof response === 'string') return JSON.stringify({ closed: response })
    const text = await response.text()
    return text === '' ? '"nothing"' : text.replace(/ at line \d+ column \d+/g, '')
  }

  #post(body: string): Promise<Response> {
    return fetch(this.#url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }

  #remember(method: string, result: unknown): void {
    if (result === undefined || result === null) return
    if (/^eth_new.*Filter$/.test(method)) this.#known.set('$filter', result)
    if (/^eth_send.*Transaction$/.test(method)) this.#known.set('$transaction', result)
    if (method === 'evm_snapshot') this.#known.set('$snapshot', result)
    if (method === 'eth_getBlockByNumber') this.#known.set('$block', (result as { hash: unknown }).hash)
  }
}

/**
 * The command `npm run differential -- anvil|hardhat|hardhat3 [--seed N] [--requests N] [--methods REGEXP]`. Returns 1 if
 * differences remain unexplained.
 */
export async function main(argv: readonly string[], peer: PeerName): Promise<number> {
  const requests = numberOption(argv, 'requests', 2000)
  const methods = textOption(argv, 'methods')
  const result = await compareWithPeer({
    peer,
    seed: numberOption(argv, 'seed', 1),
    requests,
    methods: methods === undefined ? undefined : new RegExp(methods),
    log: (line) => console.error(line),
  })
  if (result === undefined) {
    const directory = { anvil: '', hardhat: '/hardhat2', hardhat3: '/hardhat3' }[peer]
    console.error(`${peer} not found: npm install --prefix test/peers${directory}`)
    return 2
  }
  console.log(`${result.identical} of ${requests} answers are identical`)
  for (const line of result.classes.report()) console.log(line)
  return result.classes.unexplained === 0 ? 0 : 1
}
