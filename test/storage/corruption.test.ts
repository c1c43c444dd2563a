import { request } from 'node:http'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyData } from '../../src/node/verifyData.js'
import { startDevnet, stopDevnet, type Devnet } from '../devnet/support.js'
import { addFile } from '../support/rpc.js'
import { fillChain } from './support.js'

const blocks = 20
let folder: string
let pristine: string
/** Asks a node the questions; returns the JSON of the answers by question, undefined if refused. */
let questions: (devnet: Devnet) => Map<string, Promise<string | undefined>>
let answers: Map<string, string | undefined>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'standin-corruption-'))
  pristine = join(folder, 'pristine')
  const devnet = await startDevnet({ dataDir: pristine, ipfsPort: 0, deterministic: true })
  const { contract, hashes } = await fillChain(devnet, blocks)
  const cids = await Promise.all([
    addFile(devnet.node.ipfsUrl, Buffer.alloc(600_000, 'a long file ')),
    addFile(devnet.node.ipfsUrl, Buffer.from('a short file')),
  ])
  await stopDevnet(devnet)
  questions = ({ call, from, to, node }) => {
    const asked = new Map<string, Promise<string | undefined>>()
    const record = (name: string, answer: Promise<unknown>): void => {
      asked.set(
        name,
        answer.then((value) => JSON.stringify(value)).catch(() => undefined),
      )
    }
    const ask = (method: string, ...params: unknown[]): void =>
      record(`${method} ${JSON.stringify(params)}`, call(method, ...params))
    ask('eth_blockNumber')
    for (let number = 0; number <= blocks; number++) {
      const block = numberToHex(number)
      ask('eth_getBlockByNumber', block, true)
      ask('eth_getBlockReceipts', block)
      ask('eth_getBalance', from, block)
      ask('eth_getProof', to, [], block)
      ask('eth_getProof', contract, ['0x0', '0x3'], block)
      ask('eth_getCode', contract, block)
    }
    for (const hash of hashes) {
      ask('eth_getTransactionByHash', hash)
      ask('eth_getTransactionReceipt', hash)
    }
    ask('eth_getLogs', { fromBlock: '0x0', toBlock: numberToHex(blocks) })
    ask('eth_getLogs', { fromBlock: '0x0', address: contract })
    for (const cid of cids) {
      record(`cat ${cid}`, cat(node.ipfsUrl, cid))
    }
    return asked
  }
  // The second start turns LevelDB's logs into tables, the third adds new logs.
  for (let round = 0; round < 2; round++) {
    const again = await startDevnet({ dataDir: pristine, ipfsPort: 0 })
    await again.call('anvil_setBalance', `0x${'77'.repeat(20)}`, numberToHex(round + 1))
    answers = new Map()
    for (const [name, answer] of questions(again)) answers.set(name, await answer)
    await stopDevnet(again)
  }
  expect([...answers.values()]).not.toContain(undefined)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Reads a file. Like Kubo, the node reports errors after the header of an answer in a trailer. */
function cat(ipfsUrl: string, cid: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(`/api/v0/cat?arg=${cid}`, ipfsUrl), { method: 'POST' }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200 && response.trailers['x-stream-error'] === undefined) resolve(text)
        else reject(new Error(text))
      })
    })
    sent.on('error', reject).end()
  })
}

/** Lists the files that hold data, without locks and LevelDB's text logs. */
function dataFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(LOG|LOG\.old|LOCK|lock)$/.test(entry.name))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((name) => statSync(join(directory, name)).size > 0)
    .sort()
}

/** Returns a seeded generator (mulberry32) of numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Opens a damaged directory; returns why it was refused, or the answers that differ. */
async function openDamaged(dataDir: string): Promise<{ refusal?: string; wrong: string[] }> {
  let devnet: Devnet
  try {
    devnet = await startDevnet({ dataDir, ipfsPort: 0 })
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error), wrong: [] }
  }
  const wrong: string[] = []
  for (const [name, answer] of questions(devnet)) {
    const text = await answer
    if (text === undefined || text === answers.get(name)) continue
    wrong.push(`${name}: ${text.slice(0, 200)}`)
  }
  await stopDevnet(devnet).catch(() => undefined)
  return { wrong }
}

describe('answers are right or refused', () => {
  const damages = {
    'a flipped bit': (bytes: Buffer, random: () => number) => {
      const at = Math.floor(random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      return bytes
    },
    'a flipped bit near the end': (bytes: Buffer, random: () => number) => {
      const at = bytes.length - 1 - Math.floor(random() * Math.min(64, bytes.length))
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      return bytes
    },
    'a cut': (bytes: Buffer, random: () => number) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  }

  test.each(Object.entries(damages))(
    'after %s in any file',
    async (kind, damage) => {
      const random = randomNumbers(kind.length)
      const files = dataFiles(pristine)
      expect(files.some((name) => name.endsWith('.ldb'))).toBe(true)
      for (const name of files) {
        // LevelDB logs the latest writes: without the end of the log, it has an earlier but valid state.
        if (kind === 'a cut' && name.endsWith('.log')) continue
        const copy = mkdtempSync(join(folder, 'copy-'))
        await cp(pristine, copy, { recursive: true })
        const path = join(copy, name)
        writeFileSync(path, damage(readFileSync(path), random))
        const { refusal, wrong } = await openDamaged(copy)
        expect(wrong, `${kind} in ${name}`).toEqual([])
        if (refusal !== undefined) expect(refusal, `${kind} in ${name}`).toContain(copy)
        rmSync(copy, { recursive: true })
      }
    },
    240_000,
  )
})

test('verify names a damaged file block', async () => {
  const copy = mkdtempSync(join(folder, 'copy-'))
  await cp(pristine, copy, { recursive: true })
  const segment = join(copy, 'files/blocks/00000001.blocks')
  const bytes = readFileSync(segment)
  const at = bytes.indexOf('a long file')
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(segment, bytes)
  const problems: string[] = []
  await verifyData(copy, (line) => problems.push(line))
  expect(problems).toEqual([
    expect.stringMatching(/^files: block \w+: block in storage has different hash than requested: \w+$/),
  ])
})

test.skipIf(process.platform === 'win32')('only its owner can read a data directory', () => {
  expect(statSync(pristine).mode & 0o777).toBe(0o700)
  for (const name of ['chain', 'chain/records', 'files/blocks']) {
    expect(statSync(join(pristine, name)).mode & 0o777).toBe(0o700)
  }
  for (const name of ['manifest.json', 'chain/records/000000.rec', 'files/blocks/00000001.blocks']) {
    expect(statSync(join(pristine, name)).mode & 0o777).toBe(0o600)
  }
})
