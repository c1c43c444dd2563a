import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { conformancePath } from './support/folder.js'
import { everyTransaction, type EveryTransaction } from './support/everyTransaction.js'

const schemaFile = conformancePath('result-schemas.json')

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

/** Reads the schemas with oneOf as anyOf: an empty list is valid both as logs and as hashes. */
function readSchemas(): Record<string, JsonSchema> {
  return JSON.parse(readFileSync(schemaFile ?? '', 'utf8').replaceAll('"oneOf":', '"anyOf":')) as Record<
    string,
    JsonSchema
  >
}

/** Allows null for every string: the pending block and its transactions have null members. */
function nullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(nullable)
  if (typeof schema !== 'object' || schema === null) return schema
  if ('type' in schema && schema.type === 'string') return { anyOf: [schema, { type: 'null' }] }
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, nullable(value)]))
}

describe.skipIf(schemaFile === undefined)(
  'results against the schemas of the standard (skipped if absent)',
  () => {
    const schemas = schemaFile === undefined ? {} : readSchemas()
    const tested = new Set<string>()
    let chain: EveryTransaction

    beforeAll(async () => {
      chain = await everyTransaction()
    })
    afterAll(() => chain.node.stop())

    /** Calls a method and validates its result against the method's schema. */
    async function check(method: string, params: readonly unknown[] = []): Promise<unknown> {
      const schema = schemas[method]
      if (schema === undefined) throw new Error(`there is no schema of ${method}`)
      tested.add(method)
      const result = await chain.node.request(method, params)
      const fitting = params.includes('pending') ? (nullable(schema) as JsonSchema) : schema
      const { error } = z.fromJSONSchema(fitting).safeParse(result)
      const call = `${method} ${JSON.stringify(params)} gave ${JSON.stringify(result)?.slice(0, 500)}`
      expect(error?.issues ?? [], call).toEqual([])
      return result
    }

    test('every kind of transaction was mined with its type and status', async () => {
      const found: Record<string, [string, string]> = {}
      for (const [kind, hash] of Object.entries(chain.hashes)) {
        const receipt = (await check('eth_getTransactionReceipt', [hash])) as { type: string; status: string }
        found[kind] = [receipt.type, receipt.status]
      }
      expect(found).toEqual({
        creation: ['0x2', '0x1'],
        legacy: ['0x0', '0x1'],
        unprotected: ['0x0', '0x1'],
        accessList: ['0x1', '0x1'],
        feeMarket: ['0x2', '0x1'],
        logs: ['0x2', '0x1'],
        failed: ['0x2', '0x0'],
        blob: ['0x3', '0x1'],
        setCode: ['0x4', '0x1'],
      })
    })

    test('transactions', async () => {
      for (const hash of Object.values(chain.hashes)) {
        const { blockHash, blockNumber } = (await check('eth_getTransactionByHash', [hash])) as Record<
          string,
          string
        >
        await check('eth_getTransactionByBlockHashAndIndex', [blockHash, '0x0'])
        await check('eth_getTransactionByBlockNumberAndIndex', [blockNumber, '0x0'])
        await check('debug_getRawTransaction', [hash])
        await check('debug_traceTransaction', [hash])
      }
      expect(await check('debug_getBadBlocks', [])).toEqual([])
      expect(await check('eth_getTransactionByHash', [`0x${'12'.repeat(32)}`])).toBeNull()
      expect(await check('eth_getTransactionReceipt', [`0x${'12'.repeat(32)}`])).toBeNull()
    })

    test('blocks', async () => {
      const head = Number(await check('eth_blockNumber'))
      for (let number = 0; number <= head; number++) {
        const block = `0x${number.toString(16)}`
        for (const full of [true, false]) {
          const { hash } = (await check('eth_getBlockByNumber', [block, full])) as { hash: string }
          await check('eth_getBlockByHash', [hash, full])
          if (full) continue
          await check('eth_getBlockTransactionCountByHash', [hash])
          if (number > 0) await check('debug_traceBlockByHash', [hash])
        }
        await check('eth_getBlockTransactionCountByNumber', [block])
        await check('eth_getBlockReceipts', [block])
        await check('debug_getRawBlock', [block])
        await check('debug_getRawHeader', [block])
        await check('debug_getRawReceipts', [block])
        if (number > 0) await check('debug_traceBlockByNumber', [block])
      }
      expect(await check('eth_getBlockByNumber', ['0xffff', false])).toBeNull()
      expect(await check('eth_getBlockByHash', [`0x${'12'.repeat(32)}`, false])).toBeNull()
      expect(await check('eth_getBlockReceipts', ['0xffff'])).toBeNull()
    })

    test('the pending block, with a pending transaction', async () => {
      const { node } = chain
      await node.request('evm_setAutomine', [false])
      const [from, to] = node.accounts.map(({ address }) => address)
      await check('eth_sendTransaction', [{ from, to, value: '0x1' }])
      await check('eth_getBlockByNumber', ['pending', true])
      await check('eth_getBlockByNumber', ['pending', false])
      await check('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])
      await check('txpool_content')
      await check('txpool_contentFrom', [from])
      await check('txpool_status')
      await node.request('evm_setAutomine', [true])
    })

    test('state', async () => {
      const { contract, delegate } = chain
      for (const block of ['latest', 'earliest', 'safe', 'finalized', 'pending', '0x1']) {
        for (const address of [contract, delegate, `0x${'77'.repeat(20)}`]) {
          await check('eth_getBalance', [address, block])
          await check('eth_getCode', [address, block])
          await check('eth_getTransactionCount', [address, block])
          await check('eth_getStorageAt', [address, '0x0', block])
          await check('eth_getStorageValues', [{ [address]: [`0x${'00'.repeat(32)}`] }, block])
          await check('eth_getProof', [address, ['0x0', `0x${'01'.repeat(32)}`], block])
        }
      }
    })

    test('calls', async () => {
      const [from, to] = chain.node.accounts.map(({ address }) => address)
      const call = { from, to, value: '0x1' }
      await check('eth_call', [call, 'latest'])
      await check('eth_estimateGas', [call])
      await check('eth_createAccessList', [{ from, to: chain.contract, data: '0x12345678' }])
      const blockStateCalls = [
        { calls: [call, { from, data: '0x60006000fd' }] },
        { blockOverrides: { time: '0x7fffffff' } },
      ]
      await check('eth_simulateV1', [{ blockStateCalls }, 'latest'])
      await check('eth_simulateV1', [{ blockStateCalls, returnFullTransactions: true, traceTransfers: true }])
    })

    test('logs and filters', async () => {
      const whole = { fromBlock: 'earliest', toBlock: 'latest' }
      expect(await check('eth_getLogs', [whole])).not.toEqual([])
      expect(await check('eth_getLogs', [{ ...whole, address: `0x${'77'.repeat(20)}` }])).toEqual([])
      const logFilter = await check('eth_newFilter', [whole])
      const blockFilter = await check('eth_newBlockFilter')
      const transactionFilter = await check('eth_newPendingTransactionFilter')
      const [from, to] = chain.node.accounts.map(({ address }) => address)
      await chain.node.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
      for (const filter of [logFilter, blockFilter, transactionFilter])
        await check('eth_getFilterChanges', [filter])
      await check('eth_getFilterLogs', [logFilter])
      await check('eth_uninstallFilter', [logFilter])
    })

    test('fees and the description of the node', async () => {
      await check('eth_feeHistory', ['0x5', 'latest', [10, 50]])
      await check('eth_feeHistory', ['0x5', 'pending', []])
      for (const method of [
        'eth_accounts',
        'eth_baseFee',
        'eth_blobBaseFee',
        'eth_capabilities',
        'eth_chainId',
        'eth_coinbase',
        'eth_config',
        'eth_gasPrice',
        'eth_maxPriorityFeePerGas',
        'eth_syncing',
        'net_version',
      ]) {
        await check(method)
      }
    })

    test('signatures', async () => {
      const [from, to] = chain.node.accounts.map(({ address }) => address)
      await check('eth_sign', [from, '0x1234'])
      const transaction = {
        from,
        to,
        gas: '0x5208',
        maxFeePerGas: '0x4a817c800',
        maxPriorityFeePerGas: '0x1',
        nonce: '0x0',
      }
      await check('eth_signTransaction', [transaction])
      await check('eth_fillTransaction', [transaction])
    })

    test('a block that is built but not mined', async () => {
      const { hash, timestamp } = (await chain.node.request('eth_getBlockByNumber', ['latest', false])) as {
        hash: string
        timestamp: string
      }
      const attributes = {
        timestamp: `0x${(Number(timestamp) + 12).toString(16)}`,
        prevRandao: `0x${'00'.repeat(32)}`,
        suggestedFeeRecipient: `0x${'00'.repeat(20)}`,
        withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: chain.delegate, amount: '0x3' }],
        parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
      }
      await check('testing_buildBlockV1', [hash, attributes, [], '0x'])
      expect(await chain.node.request('eth_getBlockByNumber', ['latest', false])).toMatchObject({ hash })
    })

    test('a raw transaction', async () => {
      const raw = await chain.node.request('eth_getRawTransactionByHash', [chain.hashes['legacy']])
      tested.add('eth_sendRawTransaction')
      await expect(chain.node.request('eth_sendRawTransaction', [raw])).rejects.toThrow(/nonce too low/)
    })

    test('every standard method of the node was tested', async () => {
      const document = (await chain.node.request('rpc.discover')) as { methods: { name: string }[] }
      const answered = document.methods.map(({ name }) => name).filter((name) => name in schemas)
      expect(answered.filter((name) => !tested.has(name))).toEqual([])
    })
  },
)
