import { commands } from '../../../src/ipfs/commands/registry.js'
import { globalOptions } from '../../../src/ipfs/request/command.js'
import { createNode } from '../../../src/index.js'
import { DifferenceClasses } from '../support/classes.js'
import { numberOption } from '../support/processes.js'
import { Random } from '../support/random.js'
import { classOf, compare } from './compare.js'
import { expectedDifferences } from './expected.js'
import { createGenerator } from './generate.js'
import { type PeerAnswer, type PeerRequest, exchange } from './http.js'
import { type Peer, findKubo, startKubo } from './peer.js'

/** Result of a comparison. */
export interface RunResult {
  requests: number
  identical: number
  classes: DifferenceClasses
}

/** Number of requests after which both peers get a new, empty repository. */
const episodeLength = 2000

/** Number of requests after which MFS is cleared on both peers, so that a difference does not persist. */
const resetInterval = 100

/**
 * Sends the same seeded requests to this node and to Kubo, in episodes that begin with empty repositories. Their seeds
 * are logged, so that each can be repeated alone.
 *
 * @returns undefined if Kubo can be neither found nor built
 */
export async function compareWithKubo(options: {
  seed: number
  requests: number
  log: (line: string) => void
}): Promise<RunResult | undefined> {
  const { seed, requests, log } = options
  const program = await findKubo()
  if (program === undefined) return undefined
  const classes = new DifferenceClasses(expectedDifferences)
  const result = { requests: 0, identical: 0, classes }
  try {
    for (let episode = 0; result.requests < requests; episode++) {
      const random = new Random(seed + 1_000_000 * episode)
      const length = Math.min(episodeLength, requests - result.requests)
      const known = classes.unexplained
      await playEpisode({ program, random, length, result, log })
      const found = classes.unexplained - known
      log(
        `${result.requests} of ${requests}, seed ${seed + 1_000_000 * episode}: ${found} unexplained classes`,
      )
    }
  } catch (error) {
    for (const line of classes.report()) log(line)
    throw error
  }
  return result
}

/** A peer does not answer a request that it must answer. */
class PeerError extends Error {
  readonly peer: Peer

  constructor(peer: Peer, message: string) {
    super(message)
    this.peer = peer
  }
}

/**
 * Compares the answers to generated requests on empty repositories. Ends early if Kubo stops answering: its lock of
 * pins can block forever, and with it all later requests that need the lock; and some requests end it.
 */
async function playEpisode({
  program,
  random,
  length,
  result,
  log,
}: {
  program: string
  random: Random
  length: number
  result: RunResult
  log: (line: string) => void
}): Promise<void> {
  const kubo = await startKubo(program)
  const node = await createNode({ importProfile: 'unixfs-v0-2015' })
  const own: Peer = { api: node.ipfsUrl, gateway: node.ipfsUrl, stop: () => node.stop() }
  let sent = 'its start'
  try {
    await reconcile(own, kubo)
    const generator = createGenerator(random, commands, globalOptions)
    for (let index = 0; index < length; index++) {
      if (index % resetInterval === 0) await Promise.all([own, kubo].map(reset))
      const request = generator.next()
      sent = describe(request)
      const [ours, theirs] = await Promise.all([send(own, request), sendToKubo(kubo, request)])
      if (theirs.isLate && !ours.isLate) throw new PeerError(kubo, 'no answer')
      result.requests++
      const mismatches = compare(request, ours, theirs)
      if (mismatches.length === 0) {
        result.identical++
        generator.learn(request, theirs)
      } else {
        generator.abandon()
        await reconcile(own, kubo)
        if (/^\/api\/v0\/block\/rm/.test(request.target)) generator.forget()
      }
      // Kubo loses a pin that it cannot add again.
      if (/^\/api\/v0\/pin\/add/.test(request.target) && theirs.status !== 200) await reconcile(own, kubo)
      // What a request with an expired timeout changes is a matter of chance.
      if (/[?&]timeout=(-|0(&|$))/.test(request.target)) {
        await reconcile(own, kubo)
        generator.forget()
      }
      // What is not pinned differs, even if the answers do not show it.
      if (/^\/api\/v0\/repo\/gc/.test(request.target)) generator.forget()
      for (const mismatch of mismatches) {
        result.classes.add({
          name: classOf(request, mismatch),
          request: sent,
          ours: mismatch.ours,
          theirs: mismatch.theirs,
        })
      }
    }
  } catch (error) {
    if (!(error instanceof PeerError) || error.peer !== kubo) {
      throw new Error(`this node failed after ${sent}`, { cause: error })
    }
    log(`Kubo failed after ${sent.slice(0, 300)}, so the next episode begins: ${error.message.slice(0, 300)}`)
  } finally {
    await Promise.allSettled([own.stop(), kubo.stop()])
  }
}

function send(peer: Peer, request: PeerRequest): Promise<PeerAnswer> {
  return exchange(request.to === 'api' ? peer.api : peer.gateway, request)
}

/** Bytes of a refused body that Go reads before it closes the connection. */
const drainedBytes = 256 * 1024

/**
 * Sends a request to Kubo, and again if its answer was lost: Go closes a connection half a second after it has refused a
 * request whose long body it does not read. A client that is still sending then sees only the reset.
 */
async function sendToKubo(kubo: Peer, request: PeerRequest): Promise<PeerAnswer> {
  const answer = await send(kubo, request)
  const isLost = answer.status === 0 && !answer.isLate && (request.body?.length ?? 0) > drainedBytes
  return isLost ? send(kubo, request) : answer
}

function describe({ method, target, headers, body }: PeerRequest): string {
  const sent = body === undefined ? '' : ` ${JSON.stringify(Buffer.from(body).toString('latin1'))}`
  return `${method} ${target} ${JSON.stringify(headers)}${sent}`
}

/** Removes pins and MFS entries of only one peer, so that a difference does not persist. */
async function reconcile(...peers: readonly Peer[]): Promise<void> {
  const pins = await Promise.all(peers.map(listPins))
  const common = pins.reduce((shared, listed) => shared.filter((pin) => listed.includes(pin)))
  await Promise.all(
    peers.map(async (peer, index) => {
      for (const pin of pins[index] ?? []) {
        if (!common.includes(pin)) await post(peer, `pin/rm?arg=${pin.split(' ')[0]}`)
      }
    }),
  )
  await Promise.all(peers.map(resetImports))
  const roots = await Promise.all(
    peers.map(async (peer) => (await post(peer, 'files/stat?arg=/')).toString()),
  )
  if (new Set(roots).size > 1) await Promise.all(peers.map(emptyFiles))
}

/** Reads pins with their modes and names. */
async function listPins(peer: Peer): Promise<string[]> {
  const listed: string[] = []
  for (const type of ['recursive', 'direct']) {
    const { Keys = {} } = await postForJson<{ Keys?: Record<string, { Name: string }> }>(
      peer,
      `pin/ls?names=true&type=${type}`,
    )
    for (const [cid, { Name }] of Object.entries(Keys)) listed.push(`${cid} ${type} ${Name}`)
  }
  return listed
}

/** Posts a request and parses the answer. @throws {@link PeerError} if that is not JSON */
async function postForJson<T>(peer: Peer, target: string): Promise<T> {
  const answer = (await post(peer, target)).toString()
  try {
    return JSON.parse(answer) as T
  } catch {
    throw new PeerError(peer, `it answers ${target} with ${JSON.stringify(answer)}`)
  }
}

async function post(peer: Peer, target: string): Promise<Buffer> {
  return (await exchange(peer.api, { to: 'api', method: 'POST', target: `/api/v0/${target}`, headers: {} }))
    .body
}

async function emptyFiles(peer: Peer): Promise<void> {
  const { Entries } = await postForJson<{ Entries: { Name: string }[] | null }>(peer, 'files/ls?arg=/')
  for (const { Name } of Entries ?? []) {
    await post(peer, `files/rm?recursive=true&force=true&arg=${encodeURIComponent(`/${Name}`)}`)
  }
}

/** Clears MFS and resets the configuration that requests may have changed. */
async function reset(peer: Peer): Promise<void> {
  await emptyFiles(peer)
  await resetImports(peer)
}

/** Resets the import settings that requests may have changed. */
async function resetImports(peer: Peer): Promise<void> {
  const { Value } = await postForJson<{ Value: Record<string, unknown> | null }>(peer, 'config?arg=Import')
  for (const [key, value] of Object.entries(Value ?? {})) {
    if (value !== null) await post(peer, `config?arg=Import.${key}&arg=null&json=true`)
  }
}

/**
 * The command line: `npm run differential -- kubo [--seed N] [--requests N]`. Exits with status 1 on a difference that
 * nothing explains.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const result = await compareWithKubo({
    seed: numberOption(argv, 'seed', 1),
    requests: numberOption(argv, 'requests', 2000),
    log: (line) => console.error(line),
  })
  if (result === undefined) {
    console.error('Kubo not found: install Go, or set STANDIN_KUBO to the path of the program')
    return 2
  }
  console.log(`${result.identical} of ${result.requests} answers are identical`)
  for (const line of result.classes.report()) console.log(line)
  return result.classes.unexplained === 0 ? 0 : 1
}
