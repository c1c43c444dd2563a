import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { startCommand, stopCommand, type Command } from '../support/command.js'
import { until } from '../support/until.js'
import { addFile, callFileNetwork, callRpc } from '../support/rpc.js'

interface Payment {
  hash: string
  recipient: string
  value: string
}

interface Upload {
  cid: string
  content: Buffer
}

interface Receipt {
  status: string
  blockHash: string
  blockNumber: string
}

/** Everything the node has acknowledged, to check after each restart. */
interface Ledger {
  payments: Payment[]
  uploads: Upload[]
}

/**
 * Repeatedly kills the node while it mines and stores uploads in one data directory. Checks after each restart that
 * everything it ever acknowledged is still there.
 */
export async function surviveKills(rounds: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'standin-survival-'))
  const ledger: Ledger = { payments: [], uploads: [] }
  let checkedPayments = 0
  let checkedUploads = 0
  for (let round = 0; round < rounds; round++) {
    const command = await startCommand(['--data-dir', dataDir])
    const { url, ipfsUrl, accounts } = command.ready
    for (const payment of ledger.payments.slice(checkedPayments)) await checkPayment(url, payment)
    for (const upload of ledger.uploads.slice(checkedUploads)) await checkUpload(ipfsUrl, upload)
    checkedPayments = ledger.payments.length
    checkedUploads = ledger.uploads.length
    const work = [
      ...accounts.slice(0, 3).map(({ address }) => payUntilKilled(command, { url, from: address, ledger })),
      ...[1000, 700_000].map((size) => uploadUntilKilled(command, { ipfsUrl, size, ledger })),
    ]
    const failed = Promise.all(work)
    // Every other kill comes early, possibly before the first answer.
    const [payments, uploads] = [ledger.payments.length, ledger.uploads.length]
    const isUnderWay = () => ledger.payments.length > payments + 1 && ledger.uploads.length > uploads + 1
    if (round % 2 === 1) await Promise.race([until(isUnderWay), failed])
    await Promise.race([sleep(randomInt(1, 200)), failed])
    await stopCommand(command, 'SIGKILL')
    await failed
  }
  const command = await startCommand(['--data-dir', dataDir])
  for (const payment of ledger.payments) await checkPayment(command.ready.url, payment)
  for (const upload of ledger.uploads) await checkUpload(command.ready.ipfsUrl, upload)
  await stopCommand(command)
  await rm(dataDir, { recursive: true, force: true })
  expect(ledger.payments.length).toBeGreaterThanOrEqual(rounds)
  expect(ledger.uploads.length).toBeGreaterThanOrEqual(rounds)
}

async function payUntilKilled(
  command: Command,
  { url, from, ledger }: { url: string; from: string; ledger: Ledger },
): Promise<void> {
  for (;;) {
    const recipient = `0x${randomBytes(20).toString('hex')}`
    const value = `0x${randomInt(1, 1_000_000).toString(16)}`
    const hash = await untilKilled(
      command,
      callRpc<string>(url, 'eth_sendTransaction', [{ from, to: recipient, value }]),
    )
    if (hash === undefined) return
    ledger.payments.push({ hash, recipient, value })
  }
}

async function uploadUntilKilled(
  command: Command,
  { ipfsUrl, size, ledger }: { ipfsUrl: string; size: number; ledger: Ledger },
): Promise<void> {
  for (;;) {
    const content = randomBytes(size)
    const cid = await untilKilled(command, addFile(ipfsUrl, Uint8Array.from(content)))
    if (cid === undefined) return
    ledger.uploads.push({ cid, content })
  }
}

/**
 * Waits for an answer; undefined if the kill broke the connection before it arrived.
 *
 * @throws on a refusal, and on a connection that breaks while the node is alive
 */
async function untilKilled<Answer>(
  { child }: Pick<Command, 'child'>,
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    // fetch reports a lost connection as a TypeError, in headers and body alike.
    if (child.killed && (error instanceof TypeError || error instanceof SyntaxError)) return undefined
    throw error
  }
}

async function checkPayment(url: string, { hash, recipient, value }: Payment): Promise<void> {
  const receipt = await callRpc<Receipt | null>(url, 'eth_getTransactionReceipt', [hash])
  expect(receipt, `receipt of ${hash}`).toMatchObject({ status: '0x1' })
  const { blockHash = '', blockNumber = '' } = receipt ?? {}
  const block = await callRpc<{ hash: string; transactions: string[] }>(url, 'eth_getBlockByNumber', [
    blockNumber,
    false,
  ])
  expect(block).toMatchObject({ hash: blockHash, transactions: expect.arrayContaining([hash]) })
  const before = `0x${(BigInt(blockNumber) - 1n).toString(16)}`
  expect(await callRpc(url, 'eth_getBalance', [recipient, before])).toBe('0x0')
  expect(await callRpc(url, 'eth_getBalance', [recipient, blockNumber])).toBe(value)
  expect(await callRpc(url, 'eth_getBalance', [recipient, 'latest'])).toBe(value)
}

async function checkUpload(ipfsUrl: string, { cid, content }: Upload): Promise<void> {
  const file = await callFileNetwork(ipfsUrl, 'cat', cid)
  expect(Buffer.from(await file.arrayBuffer()).equals(content), `content of ${cid}`).toBe(true)
  const pin = await callFileNetwork(ipfsUrl, 'pin/ls', cid)
  expect(await pin.json()).toEqual({ Keys: { [cid]: expect.objectContaining({ Type: 'recursive' }) } })
}
