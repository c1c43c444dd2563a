import { commands } from '../../../src/ipfs/commands/registry.js'
import { globalOptions } from '../../../src/ipfs/request/parseQuery.js'
import { createNode } from '../../../src/index.js'
import { classOf, compare } from './compare.js'
import type { Difference } from './compare.js'
import { expectedDifferences } from './expected.js'
import { createGenerator } from './generate.js'
import { exchange } from './http.js'
import type { PeerAnswer, PeerRequest } from './http.js'
import { findKubo, startKubo } from './peer.js'
import type { Peer } from './peer.js'
import { createRandom } from './random.js'

/** How a comparison is run. */
export interface RunOptions {
  seed: number
  requests: number
  log: (line: string) => void
}

/** A class of differences with its smallest example. */
export interface DifferenceClass {
  name: string
  count: number
  request: PeerRequest
  difference: Difference
}

/** What a comparison found. */
export interface RunResult {
  requests: number
  identical: number
  /** How often each meant difference was seen, by its reason. */
  expected: Map<string, number>
  unexplained: DifferenceClass[]
}

/** Requests after which the mutable files are emptied on both sides, so that one difference does not stay. */
const episode = 150

/**
 * Sends the same seeded requests to this node and to Kubo.
 *
 * @returns undefined where Kubo can neither be found nor built
 */
export async function compareWithKubo({ seed, requests, log }: RunOptions): Promise<RunResult | undefined> {
  const program = await findKubo()
  if (program === undefined) return undefined
  const kubo = await startKubo(program)
  const node = await createNode({ importProfile: 'unixfs-v0-2015' })
  const own: Peer = { api: node.ipfsUrl, gateway: node.ipfsUrl, stop: () => node.stop() }
  const classes = new Map<string, DifferenceClass>()
  const result: RunResult = { requests, identical: 0, expected: new Map(), unexplained: [] }
  try {
    const generator = createGenerator(createRandom(seed), commands, globalOptions)
    for (let index = 0; index < requests; index++) {
      if (index % episode === 0) await Promise.all([own, kubo].map(emptyFiles))
      if (index % 1000 === 999) log(`${index + 1} of ${requests}, ${classes.size} unexplained classes`)
      const request = generator.next()
      const [ours, theirs] = await Promise.all([send(own, request), send(kubo, request)])
      generator.learn(request, theirs)
      const differences = compare(request, ours, theirs)
      if (differences.length === 0) result.identical++
      for (const difference of differences) record({ request, difference, ours, theirs })
    }
  } finally {
    await Promise.allSettled([own.stop(), kubo.stop()])
  }
  result.unexplained = [...classes.values()].sort((a, b) => b.count - a.count)
  return result

  function record(seen: {
    request: PeerRequest
    difference: Difference
    ours: PeerAnswer
    theirs: PeerAnswer
  }): void {
    const { request, difference } = seen
    const meant = expectedDifferences.find(({ matches }) => matches(seen))
    if (meant) {
      result.expected.set(meant.reason, (result.expected.get(meant.reason) ?? 0) + 1)
      return
    }
    const name = classOf(request, difference)
    const known = classes.get(name)
    if (known === undefined) classes.set(name, { name, count: 1, request, difference })
    else {
      known.count++
      if (sizeOf(request) < sizeOf(known.request)) Object.assign(known, { request, difference })
    }
  }
}

function send(peer: Peer, request: PeerRequest): Promise<PeerAnswer> {
  return exchange(request.to === 'api' ? peer.api : peer.gateway, request)
}

function sizeOf({ target, body }: PeerRequest): number {
  return target.length + (body?.length ?? 0)
}

async function emptyFiles(peer: Peer): Promise<void> {
  const post = (target: string): Promise<PeerAnswer> =>
    exchange(peer.api, { to: 'api', method: 'POST', target: `/api/v0/${target}`, headers: {}, changes: true })
  const { body } = await post('files/ls?arg=/')
  const { Entries } = JSON.parse(body.toString()) as { Entries: { Name: string }[] | null }
  for (const { Name } of Entries ?? []) {
    await post(`files/rm?recursive=true&force=true&arg=${encodeURIComponent(`/${Name}`)}`)
  }
  await post('files/chcid?arg=/&cid-version=0')
}

/** The command line: `npm run differential -- kubo [--seed N] [--requests N]`. Ends with status 1 on a class that nothing explains. */
export async function main(argv: readonly string[]): Promise<number> {
  const value = (name: string, fallback: number): number => {
    const index = argv.indexOf(`--${name}`)
    return index < 0 ? fallback : Number(argv[index + 1])
  }
  const result = await compareWithKubo({
    seed: value('seed', 1),
    requests: value('requests', 2000),
    log: (line) => console.error(line),
  })
  if (result === undefined) {
    console.error('Kubo is missing: install Go, or name the program in STANDIN_KUBO')
    return 2
  }
  console.log(`${result.identical} of ${result.requests} answers are identical`)
  for (const [reason, count] of result.expected) console.log(`meant, ${count} times: ${reason}`)
  for (const { name, count, request, difference } of result.unexplained)
    console.log(describe(name, count, request, difference))
  return result.unexplained.length === 0 ? 0 : 1
}

function describe(
  name: string,
  count: number,
  request: PeerRequest,
  { what, ours, theirs }: Difference,
): string {
  const { method, target, headers, body } = request
  const sent =
    body === undefined
      ? ''
      : `\n  body   ${JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 600))}`
  return `\n[${count}] ${name}\n  ${method} ${target}\n  ${JSON.stringify(headers)}${sent}\n  ${what}\n  ours   ${ours}\n  kubo   ${theirs}`
}
