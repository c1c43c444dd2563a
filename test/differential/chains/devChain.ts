import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilAnswering } from '../geth/peer.js'
import { freePort, runToEnd, startProgram, stopProcess } from '../support/processes.js'
import type { Random } from '../support/random.js'
import { Transactions } from './transactions.js'

/** A chain made by geth in developer mode. */
export interface DevChain {
  /** File with the exported blocks. */
  chain: string
  /** Hash of the last block. */
  head: string
  transactions: number
}

interface DevOptions {
  program: string
  directory: string
  /**
   * Genesis file, which funds the senders. Its fork is Osaka: geth's own developer genesis activates forks that are
   * only planned.
   */
  genesis: string
  random: Random
  blocks: number
}

/** Sends random transactions to geth in developer mode, and exports the blocks it makes. */
export async function makeDevChain({
  program,
  directory,
  genesis,
  random,
  blocks,
}: DevOptions): Promise<DevChain> {
  const common = ['--datadir', join(directory, 'dev'), '--state.scheme', 'hash']
  await runToEnd(program, [...common, 'init', genesis])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = startProgram(
    program,
    [
      ...[...common, '--gcmode', 'archive', '--dev', '--ipcdisable', '--verbosity', '0'],
      ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(port), '--http.api', 'eth'],
    ],
    { stdio: 'ignore', cwd: directory },
  )
  const request = async (method: string, params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  let head: string
  let count = 0
  try {
    await untilAnswering(url)
    const chainId = Number(await request('eth_chainId', []))
    const transactions = new Transactions(random, { fork: 'osaka', chainId })
    for (let block = 0; block < blocks; block++) {
      const hashes: unknown[] = []
      // An account must not have pending transactions with and without blobs at the same time.
      const senders = new Set<string>()
      for (let left = 1 + random.below(4); left > 0; left--, count++) {
        const { raw, sender } = await transactions.next()
        if (senders.has(sender)) await untilMined(request, hashes)
        senders.add(sender)
        hashes.push(await request('eth_sendRawTransaction', [raw]))
      }
      await untilMined(request, hashes)
    }
    head = ((await request('eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash
  } finally {
    await stopProcess(child)
  }
  const chain = join(directory, 'dev.rlp')
  await runToEnd(program, [...common, '--verbosity', '0', 'export', chain])
  return { chain, head, transactions: count }
}

type Request = (method: string, params: unknown[]) => Promise<unknown>

/** How long to wait for a transaction to be mined. */
const MINING_TIMEOUT_MILLISECONDS = 30_000

async function untilMined(request: Request, hashes: readonly unknown[]): Promise<void> {
  for (const hash of hashes) {
    for (const end = Date.now() + MINING_TIMEOUT_MILLISECONDS; ; await sleep(20)) {
      if ((await request('eth_getTransactionReceipt', [hash])) !== null) break
      if (Date.now() > end) throw new Error(`geth does not mine ${String(hash)}`)
    }
  }
}
