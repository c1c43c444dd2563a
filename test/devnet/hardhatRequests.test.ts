import { type Hex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

const from: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const stranger: Hex = `0x${'51'.repeat(20)}`
const contract: Hex = `0x${'c0'.repeat(20)}`
const signer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

async function errorOf({ node }: Devnet, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { error?: unknown }).error
}

const refusal = (code: number, message: string, data: unknown = null) => ({
  code,
  message,
  data: { message, data },
})

// All expected answers are those of hardhat 2.28.6.
describe('under --compat hardhat', () => {
  test('a message is checked before its sender, block and nonce are looked up', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const wei = numberToHex(2_000_000_000)
    const sent: [fields: object, error: unknown][] = [
      [{ from: stranger }, refusal(-32000, 'Unknown account 0x5151515151515151515151515151515151515151')],
      [
        { from: stranger, to: from, chainId: '0x1', gasPrice: wei, maxFeePerGas: wei },
        refusal(-32602, 'Invalid chainId 1 provided, expected 31337 instead.'),
      ],
      [
        { from: stranger, to: from, gasPrice: wei, maxFeePerGas: wei },
        refusal(-32000, 'Cannot send both gasPrice and maxFeePerGas params'),
      ],
      [
        { from: stranger, to: from, gasPrice: wei, maxPriorityFeePerGas: '0x1' },
        refusal(-32000, 'Cannot send both gasPrice and maxPriorityFeePerGas'),
      ],
      [
        { from: stranger, to: from, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
        refusal(-32000, 'maxPriorityFeePerGas (2) is bigger than maxFeePerGas (1)'),
      ],
      [
        { from: stranger, to: from, authorizationList: [] },
        refusal(-32000, 'Invalid EIP-7702 transaction: authorization list is empty.'),
      ],
      [
        { from, authorizationList: [] },
        refusal(-32000, 'Invalid EIP-7702 transaction: to (receiver) parameter is missing.'),
      ],
      [{ from }, refusal(-32000, 'Contract creation without any data provided')],
    ]
    for (const [fields, error] of sent) {
      expect(await errorOf(devnet, 'eth_sendTransaction', fields)).toEqual(error)
    }
    const called: [fields: object, error: unknown][] = [
      [{ from }, refusal(-32000, 'Contract creation without any data provided')],
      [
        { to: from, gas: '0x1000001' },
        refusal(-32000, 'transaction gas limit (16777217) is greater than the cap (16777216)'),
      ],
      [
        { to: from, gasPrice: wei, authorizationList: [] },
        refusal(-32000, 'Cannot send both gasPrice and authorizationList'),
      ],
    ]
    for (const [fields, error] of called) expect(await errorOf(devnet, 'eth_call', fields)).toEqual(error)
    expect(await devnet.call('eth_call', { to: from, chainId: '0x1' })).toBe('0x')
    expect(await devnet.height()).toBe(0)
  })

  test('an invalid transaction, or one for another chain, is an invalid argument', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const send = (raw: string) => errorOf(devnet, 'eth_sendRawTransaction', raw)
    for (const raw of ['0x', '0x01', '0xc0', '0x02c0']) {
      expect(await send(raw)).toEqual(refusal(-32602, 'input too short'))
    }
    expect(await send('0x7f')).toEqual(refusal(-32602, 'Invalid transaction type 127.'))
    const fields = { chainId: 5, nonce: 0, gas: 21_000n, to: stranger }
    const legacy = await signer.signTransaction({ ...fields, type: 'legacy', gasPrice: 10n ** 9n })
    expect(await send(legacy)).toEqual(
      refusal(-32602, 'Trying to send an incompatible EIP-155 transaction, signed for another chain.'),
    )
    const typed = await signer.signTransaction({ ...fields, type: 'eip1559', maxFeePerGas: 10n ** 9n })
    expect(await send(typed)).toEqual(
      refusal(
        -32602,
        'Trying to send a raw transaction with an invalid chainId. The expected chainId is 31337',
      ),
    )
  })

  test('errors about arguments contain the request', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    expect(await errorOf(devnet, 'hardhat_setBalance', 'x', '0x1')).toMatchObject({
      code: -32602,
      data: { data: { method: 'hardhat_setBalance', params: ['x', '0x1'] } },
    })
    expect(await errorOf(devnet, 'eth_unknown')).toEqual(
      refusal(-32004, 'Method eth_unknown is not supported', { method: 'eth_unknown', params: [] }),
    )
  })

  test('errors about unknown blocks contain the head', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const hash = `0x${'ab'.repeat(32)}`
    const latest = 'Latest block number is 0'
    for (const [method, ...params] of [
      ['eth_getBalance', from, { blockHash: hash }],
      ['eth_call', { to: from }, { blockHash: hash }],
    ] as const) {
      expect(await errorOf(devnet, method, ...params)).toEqual(
        refusal(-32000, `Received invalid block tag ${hash}. ${latest}`),
      )
    }
    expect(await errorOf(devnet, 'eth_feeHistory', '0x1', '0x10', [])).toEqual(
      refusal(-32000, `Received invalid block tag 16. ${latest}`),
    )
    expect(await errorOf(devnet, 'eth_feeHistory', '0x0', 'latest', [])).toEqual(
      refusal(-32000, 'blockCount should be at least 1'),
    )
    expect(await errorOf(devnet, 'eth_getLogs', { blockHash: hash })).toEqual(
      refusal(-32602, 'blockHash cannot be found'),
    )
  })

  test('an estimate is the gas used, or the result of the search', async () => {
    const { call } = await startDevnet({ compat: 'hardhat' })
    const estimate = async (code: Hex) => {
      await call('hardhat_setCode', contract, code)
      return call('eth_estimateGas', { from, to: contract })
    }
    expect(await call('eth_estimateGas', { from, to: stranger, value: '0x1' })).toBe('0x5209')
    // Logs a word: LOG1 of the caller with the block number as its topic.
    expect(await estimate('0x335f524360205fa1')).toBe('0x5607')
    // Reverts unless 30,000 gas are left, which determines the result of the search.
    expect(await estimate('0x620075305a10600a57005b5f5ffd')).toBe('0xc828')
  })

  test('hardhat_reset ends impersonations', async () => {
    const { call } = await startDevnet({ compat: 'hardhat' })
    await call('hardhat_impersonateAccount', stranger)
    await call('hardhat_reset')
    expect(await call('hardhat_stopImpersonatingAccount', stranger)).toBe(false)
  })

  test('fee histories, log ranges and traces are refused with its messages', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const word = `0x${'ab'.repeat(32)}`
    const percentile = (index: number, value: number): string =>
      `The reward percentile number ${index} is invalid. It must be a float between 0 and 100, but is ${value} instead.`
    const requests: [method: string, params: unknown[], error: unknown][] = [
      ['eth_feeHistory', ['0x401', 'latest', [50]], refusal(-32000, 'blockCount should be at most 1024')],
      ['eth_feeHistory', [1, 'latest', [50, 101, 20]], refusal(-32000, percentile(2, 101))],
      ['eth_feeHistory', [1, '0x99', [-1]], refusal(-32000, percentile(1, -1))],
      [
        'eth_getLogs',
        [{ blockHash: word, fromBlock: '0x0' }],
        refusal(-32602, 'blockHash is mutually exclusive with fromBlock/toBlock'),
      ],
      [
        'debug_traceTransaction',
        [word],
        refusal(-32000, `Unable to find a block containing transaction ${word}`),
      ],
    ]
    for (const [method, params, error] of requests) {
      expect(await errorOf(devnet, method, ...params), method).toEqual(error)
    }
  })

  test('block and log filters return existing blocks', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    expect(await errorOf(devnet, 'eth_newFilter', { blockHash: `0x${'ab'.repeat(32)}` })).toEqual(
      refusal(-32602, 'blockHash cannot be found'),
    )
  })

  test('controls accept numbers as wide as block fields', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const refused: [method: string, ...params: unknown[]][] = [
      ['hardhat_setNextBlockBaseFeePerGas', numberToHex(2n ** 128n)],
      ['hardhat_mine', numberToHex(2n ** 64n)],
      ['hardhat_mine', '0x1', numberToHex(2n ** 64n)],
      ['evm_mine', null],
      ['evm_mine', {}],
    ]
    for (const [method, ...params] of refused) {
      expect([method, await errorOf(devnet, method, ...params)]).toEqual([
        method,
        expect.objectContaining({ code: -32602 }),
      ])
    }
    expect(await devnet.call('hardhat_setNextBlockBaseFeePerGas', numberToHex(2n ** 128n - 1n))).toBe(true)
    expect(await devnet.height()).toBe(0)
  })

  test("a transaction of type 3, or with blob hashes under hardhat's name for them, must be raw", async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const unsupported = (what: string, issue: number) =>
      `An EIP-4844 (shard blob) ${what} was received, but Hardhat only supports them via \`eth_sendRawTransaction\`. See https://github.com/NomicFoundation/hardhat/issues/${issue}`
    const blobHash = `0x01${'ab'.repeat(31)}`
    for (const fields of [{ to: from, type: '0x3' }, { type: '0x3' }, { to: from, blobHashes: [blobHash] }]) {
      expect(await errorOf(devnet, 'eth_sendTransaction', { from, ...fields })).toEqual(
        refusal(-32000, unsupported('transaction', 5023)),
      )
    }
    expect(await errorOf(devnet, 'eth_call', { from, to: from, blobHashes: [blobHash] })).toEqual(
      refusal(-32000, unsupported('call request', 5182)),
    )
    for (const type of ['0x100', 'x', 256]) {
      expect(await errorOf(devnet, 'eth_sendTransaction', { from, to: from, type })).toMatchObject({
        code: -32602,
      })
    }
    const { transactionHash } = await devnet.send({
      to: stranger,
      type: '0x4',
      blobVersionedHashes: [blobHash],
    })
    expect(await devnet.call('eth_getTransactionByHash', transactionHash)).toMatchObject({ type: '0x2' })
    expect(await devnet.call('eth_call', { from, to: from, type: '0x3', maxFeePerBlobGas: '0x1' })).toBe('0x')
  })

  test('validates the configuration of a reset', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const place = 'HardhatNetworkConfig | undefined'
    const forking = `${place}/forking: RpcForkConfig | undefined | undefined`
    const url = `${forking}/jsonRpcUrl: string`
    const number = `${forking}/blockNumber: number | undefined`
    const refused: [given: unknown, mistakes: string][] = [
      [null, `Invalid value null supplied to : ${place}`],
      [5, `Invalid value 5 supplied to : ${place}`],
      [{ forking: null }, `Invalid value null supplied to : ${forking}`],
      [{ forking: {} }, `Invalid value undefined supplied to : ${url}`],
      [
        { forking: { blockNumber: '0x1' } },
        `Invalid value undefined supplied to : ${url}, Invalid value "0x1" supplied to : ${number}`,
      ],
      [
        { forking: { jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: 'x' } },
        `Invalid value "x" supplied to : ${number}`,
      ],
    ]
    for (const [given, mistakes] of refused) {
      const message = `Errors encountered in param 0: ${mistakes}`
      expect(await errorOf(devnet, 'hardhat_reset', given)).toEqual({
        code: -32602,
        message,
        data: { message },
      })
    }
    const message = 'Expected between 0 and 1 arguments and got 3'
    expect(await errorOf(devnet, 'hardhat_reset', { forking: {} }, 1, 2)).toEqual({
      code: -32602,
      message,
      data: { message },
    })
    expect(await devnet.call('hardhat_reset')).toBe(true)
    expect(await devnet.call('hardhat_reset', { other: 1 })).toBe(true)
  })

  test('anything that is not a request is refused without an id and with its text as data', async () => {
    const { node } = await startDevnet({ compat: 'hardhat' })
    const headers = { 'content-type': 'application/json' }
    const post = async (body: string) => (await fetch(node.url, { method: 'POST', headers, body })).json()
    const refused = (code: number, message: string) => ({
      jsonrpc: '2.0',
      id: null,
      error: { code, message, data: { message } },
    })
    const invalid = refused(-32600, 'Invalid request')
    for (const body of [
      '5',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":null,"method":"eth_chainId","params":[]}',
      '{"jsonrpc":"2.0","id":true,"method":"eth_chainId","params":[]}',
      '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}',
      '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}',
      '{"jsonrpc":"2.0","method":"eth_chainId","params":[]}',
    ]) {
      expect([body, await post(body)]).toEqual([body, invalid])
    }
    expect(await post('[]')).toEqual([])
    expect(await post('[1]')).toEqual([invalid])
    expect(await post('')).toEqual(refused(-32700, 'Parse error: Unexpected end of JSON input'))
    expect(await post('{')).toMatchObject({ error: { code: -32700 } })
  })
})
