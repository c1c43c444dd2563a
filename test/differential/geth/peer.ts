import { createHmac, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, freePort, runToEnd, startProgram, stopProcess } from '../support/processes.js'
import { withDistantMerge } from '../support/genesis.js'
import type { ChainFiles } from './chain.js'

/** Release of geth to compare with. */
const release = '1.17.10'

/** Finds geth, or builds it. @returns its path; undefined if neither geth nor Go is installed */
export function findGeth(): Promise<string | undefined> {
  return findProgram({
    name: 'geth',
    goPackage: `github.com/ethereum/go-ethereum/cmd/geth@v${release}`,
    version: release,
    variable: 'STANDIN_GETH',
  })
}

/** A running geth node. */
export interface Geth {
  url: string
  wsUrl: string
  /** Calls a method of the engine API. @returns its result */
  engine(method: string, params: readonly unknown[]): Promise<unknown>
  stop(): Promise<void>
}

const STARTUP_MILLISECONDS = 60_000
const apis = 'eth,net,web3,debug,txpool,rpc'

/**
 * Imports a chain into a new geth data directory and starts a node on it.
 *
 * @param gasCap - gas cap of one call; this node's is ten block gas limits, as the provider documents
 * @param gasLimit - gas limit of the pending block
 * @param isMerged - whether the chain has a proof of stake, so that the engine API can name its head
 */
export async function startGeth(
  program: string,
  directory: string,
  { genesis, chain, facts: { blockHashes } }: ChainFiles,
  { gasCap, gasLimit, isMerged = true }: { gasCap: bigint; gasLimit: bigint; isMerged?: boolean },
): Promise<Geth> {
  const dataDir = join(directory, 'geth')
  const head = blockHashes.at(-1)
  const common = ['--datadir', dataDir, '--state.scheme', 'hash', '--cache.preimages']
  const gethGenesis = join(directory, 'geth.json')
  await writeFile(gethGenesis, withDistantMerge(await readFile(genesis, 'utf8')))
  await runToEnd(program, [...common, 'init', gethGenesis])
  const printed = await runToEnd(program, [...common, '--gcmode', 'archive', 'import', chain])
  if (/invalid block|Import error|bad block/i.test(printed)) throw new Error(printed.slice(-2000))
  const [port, wsPort, enginePort] = [await freePort(), await freePort(), await freePort()]
  const secret = randomBytes(32)
  const secretFile = join(directory, 'jwt.hex')
  await writeFile(secretFile, secret.toString('hex'))
  const child = startProgram(
    program,
    [
      ...[...common, '--gcmode', 'archive', '--syncmode', 'full'],
      ...['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable'],
      ...['--authrpc.port', String(enginePort), '--authrpc.jwtsecret', secretFile],
      ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(port), '--http.api', apis],
      ...['--ws', '--ws.addr', '127.0.0.1', '--ws.port', String(wsPort), '--ws.api', apis],
      ...['--rpc.gascap', String(gasCap), '--rpc.evmtimeout', '30s', '--verbosity', '0'],
      ...['--miner.gaslimit', String(gasLimit)],
    ],
    // debug_getBadBlocks writes files into the working directory.
    { stdio: 'ignore', cwd: directory },
  )
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(url)
  const engine = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${enginePort}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token(secret)}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    if (!text.includes('"VALID"')) throw new Error(`geth refuses ${method}: ${text}`)
    return (JSON.parse(text) as { result: unknown }).result
  }
  // The head is also the safe and the finalized block, as on this node.
  const forkchoice = { headBlockHash: head, safeBlockHash: head, finalizedBlockHash: head }
  if (isMerged) await engine('engine_forkchoiceUpdatedV3', [forkchoice, null])
  return { url, wsUrl: `ws://127.0.0.1:${wsPort}`, engine, stop: () => stopProcess(child) }
}

/** Makes a JSON Web Token for the engine API. */
function token(secret: Buffer): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat: Math.floor(Date.now() / 1000) })}`
  return `${claims}.${createHmac('sha256', secret).update(claims).digest('base64url')}`
}

export async function untilAnswering(url: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  for (const end = Date.now() + STARTUP_MILLISECONDS; Date.now() < end; await sleep(100)) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
    if (response?.ok) return
  }
  throw new Error(`${url} does not answer`)
}
