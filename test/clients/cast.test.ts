import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foundryProgram } from '../support/foundry.js'
import { everyTransaction, type EveryTransaction } from '../conformance/support/everyTransaction.js'

const run = promisify(execFile)

const program = foundryProgram('cast')
if (program === undefined) console.warn("skipped: foundry's cast is not in test/peers")

describe.skipIf(program === undefined)(
  "foundry's cast, a strict decoder (skipped where it has no build)",
  () => {
    let chain: EveryTransaction
    beforeAll(async () => {
      chain = await everyTransaction({ pendingFields: 'geth' })
    })
    afterAll(() => chain.node.stop())

    /** Runs cast against the node. @returns its output */
    async function cast(...parameters: string[]): Promise<string> {
      const { stdout } = await run(program ?? '', [...parameters, '--rpc-url', chain.node.url])
      return stdout.trim()
    }

    test('reads every transaction and its receipt', async () => {
      for (const hash of Object.values(chain.hashes)) {
        const transaction = JSON.parse(await cast('tx', hash, '--json'))
        expect(transaction.hash).toBe(hash)
        const receipt = JSON.parse(await cast('receipt', hash, '--json'))
        expect(receipt.transactionHash).toBe(hash)
        expect(receipt.from).toBe(transaction.from)
      }
    })

    test('reads every block, with hashes and with full transactions', async () => {
      const head = Number(await cast('block-number'))
      expect(head).toBe(Object.keys(chain.hashes).length)
      for (let number = 0; number <= head; number++) {
        const block = JSON.parse(await cast('block', String(number), '--json'))
        const full = JSON.parse(await cast('block', String(number), '--full', '--json'))
        expect(full.hash).toBe(block.hash)
        expect(full.transactions).toHaveLength(block.transactions.length)
      }
      await cast('block', 'pending', '--json')
    })

    test('decodes a raw transaction to the one it reads', async () => {
      const { legacy, blob, setCode } = chain.hashes
      for (const hash of [legacy, blob, setCode]) {
        const raw = (await chain.node.request('eth_getRawTransactionByHash', [hash])) as string
        const { stdout } = await run(program ?? '', ['decode-transaction', raw])
        expect(JSON.parse(JSON.parse(stdout) as string)).toMatchObject({ hash })
      }
    })

    test('reads logs', async () => {
      const logs = JSON.parse(await cast('logs', '--from-block', '0', '--to-block', 'latest', '--json'))
      expect(logs).toHaveLength(2)
      expect(logs[1].transactionHash).toBe(chain.hashes['setCode'])
    })

    test('reads proofs, storage, code and fees', async () => {
      const proof = JSON.parse(await cast('proof', chain.contract, '0x0', '--json'))
      expect(proof.address.toLowerCase()).toBe(chain.contract)
      expect(proof.storageProof).toHaveLength(1)
      expect(await cast('storage', chain.contract, '0')).toBe(`0x${'00'.repeat(32)}`)
      expect(await cast('code', chain.delegate)).toBe(`0xef0100${chain.contract.slice(2)}`)
      expect(Number(await cast('base-fee'))).toBeGreaterThan(0)
      expect(Number(await cast('gas-price'))).toBeGreaterThan(0)
    })

    test('sends a transaction of its own and waits for it', async () => {
      const [, , , sender] = chain.node.accounts
      const receipt = JSON.parse(
        await cast(
          'send',
          chain.delegate,
          'emitPlain()',
          '--private-key',
          sender?.privateKey ?? '',
          '--json',
        ),
      )
      expect(receipt).toMatchObject({ status: '0x1', from: sender?.address.toLowerCase() })
      expect(await cast('call', chain.delegate, 'emitPlain()')).toBe('0x')
    })
  },
)
