import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { callRpc } from '../../support/rpc.js'
import type { TorturedNode } from '../node.js'
import { callRaw } from '../requests.js'
import { SIGNER, TARGET, address, many, oncePerNode, refusalOf, sendCall, type Bomb } from './bomb.js'

/** Number of senders whose transactions fill the mempool, and the index of the first one's address. */
const SENDERS = 40_000
const FIRST_SENDER = 5e6

/** Funds many accounts, and adds a transaction of each to the mempool. */
async function addSenders(node: TorturedNode, first: number, count: number): Promise<void> {
  const { url } = node.ready
  const account = { nonce: 0, balance: '0xde0b6b3a7640000', code: '0x', storage: {} }
  const accounts = Object.fromEntries(many(count, (i) => [address(first + i), account]))
  await callRpc(url, 'anvil_loadState', [`0x${gzipSync(JSON.stringify({ accounts })).toString('hex')}`])
  await callRpc(url, 'evm_setAutomine', [false])
  await callRpc(url, 'anvil_autoImpersonateAccount', [true])
  for (let start = 0; start < count; start += 1000) {
    const calls = many(1000, (id) => {
      const from = address(first + start + id)
      const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
      return {
        jsonrpc: '2.0',
        id,
        method: 'eth_sendTransaction',
        params: [{ from, to: TARGET, gas: '0x5208', nonce: '0x0', ...fees }],
      }
    })
    await callRaw(node, JSON.stringify(calls))
  }
}

const fillPool = oncePerNode((node) => addSenders(node, FIRST_SENDER, SENDERS))

/** A bomb of one call for a mempool of many senders. */
function withManySenders(method: string, params: readonly unknown[] = []): Bomb {
  return {
    name: `a mempool of many senders: ${method}`,
    prepare: fillPool,
    run: (node, signal) => sendCall(node, method, params, signal),
  }
}

/** A sender with many transactions in the mempool, and their number. */
const BUSY_SENDER = address(6e6)
const TRANSACTIONS = 30_000

const fillQueue = oncePerNode(async (node) => {
  const { url } = node.ready
  await callRpc(url, 'anvil_dropAllTransactions', [])
  await callRpc(url, 'evm_setBlockGasLimit', ['0x1c9c380'])
  await callRpc(url, 'anvil_setBalance', [BUSY_SENDER, `0x${(10n ** 24n).toString(16)}`])
  await callRpc(url, 'anvil_impersonateAccount', [BUSY_SENDER])
  const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
  const params = [{ from: BUSY_SENDER, to: TARGET, gas: '0x5208', ...fees }]
  const calls = many(1000, (id) => ({ jsonrpc: '2.0', id, method: 'eth_sendTransaction', params }))
  for (let sent = 0; sent < TRANSACTIONS; sent += calls.length) await callRaw(node, JSON.stringify(calls))
})

/** Snapshots of the full mempool. */
const snapshots = new WeakMap<TorturedNode, string>()

/** A bomb of one call for a mempool with many transactions of one sender. */
function withBusySender(
  name: string,
  [method, params]: readonly [method: string, params: readonly unknown[]],
  happen?: (node: TorturedNode) => Promise<unknown>,
): Bomb {
  return {
    name: `a mempool of one sender: ${name}`,
    async prepare(node) {
      await fillQueue(node)
      const last = snapshots.get(node)
      if (last !== undefined) await callRpc(node.ready.url, 'evm_revert', [last])
      snapshots.set(node, await callRpc<string>(node.ready.url, 'evm_snapshot', []))
      await happen?.(node)
    },
    run: (node, signal) => sendCall(node, method, params, signal),
  }
}

/** A bomb that reverts to a mempool of many senders, after something has happened to it. */
function revertedWithManySenders(name: string, happen?: (node: TorturedNode) => Promise<unknown>): Bomb {
  let snapshot: string
  return {
    name: `a mempool of many senders: ${name}`,
    async prepare(node) {
      await fillPool(node)
      snapshot = await callRpc(node.ready.url, 'evm_snapshot', [])
      await happen?.(node)
    },
    run: (node, signal) => sendCall(node, 'evm_revert', [snapshot], signal),
  }
}

/** Reads a stream of the controls with many readers, while something happens. */
function followed(
  name: string,
  path: string,
  { prepare, happens }: { prepare?: (node: TorturedNode) => Promise<unknown>; happens?: Bomb['run'] },
): Bomb {
  return {
    name: `/_standin${path}: ${name}`,
    ...(prepare && { prepare }),
    async run(node, signal) {
      const agent = new Agent({ maxSockets: Infinity })
      const readers = many(500, () => {
        const request = get(new URL(`/_standin${path}`, node.ready.url), { agent }, (answer) =>
          answer.resume(),
        )
        return request.on('error', () => undefined)
      })
      await sleep(500)
      const refusal = await happens?.(node, signal)
      await sleep(500)
      for (const reader of readers) reader.destroy()
      return refusal
    },
  }
}

function control(node: TorturedNode, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(`/_standin${path}`, node.ready.url), init)
}

function setFaults(node: TorturedNode, faults: readonly object[], signal?: AbortSignal): Promise<Response> {
  return control(node, '/faults', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ faults }),
    ...(signal !== undefined && { signal }),
  })
}

/** A bomb that sets faults. */
function faults(name: string, make: () => readonly object[]): Bomb {
  return {
    name: `/_standin/faults: ${name}`,
    async run(node, signal) {
      const response = await setFaults(node, make(), signal)
      return refusalOf({ status: response.status, text: await response.text() })
    },
    refusal: 'status 400',
  }
}

const delay = { type: 'delay', milliseconds: 1 }

/** Bombs of crowds: readers of the controls, names that callers choose, and, last, senders of transactions. */
export const crowds: readonly Bomb[] = [
  {
    name: '/_standin/metrics: a thousand methods with long names',
    prepare: oncePerNode(async (node) => {
      const calls = many(1000, (id) => ({ jsonrpc: '2.0', id, method: `${id}`.padEnd(1000, '"') }))
      await callRaw(node, JSON.stringify(calls))
    }),
    async run(node, signal) {
      const response = await control(node, '/metrics', { signal })
      return refusalOf({ status: response.status, text: await response.text() })
    },
  },
  faults('twenty thousand of an unknown action', () => many(20_000, () => ({ action: { type: 'none' } }))),
  faults('an error with 200,000 objects of data', () => [
    {
      match: { method: 'none' },
      action: { type: 'error', code: 1, message: '', data: many(2e5, () => ({})) },
    },
  ]),
  followed('five hundred readers of a thousand faults', '/events', {
    prepare: (node) =>
      setFaults(
        node,
        many(1000, (i) => ({ id: `${i}`, match: { method: `none${i}` }, action: delay })),
      ),
    async happens(node) {
      await sleep(500)
      await control(node, '/faults', { method: 'DELETE' })
      return undefined
    },
  }),
  followed(
    'five hundred readers of calls with fourteen kilobytes',
    '/requests?format=stream&method=eth_call',
    {
      happens: (node, signal) =>
        sendCall(node, 'eth_call', [{ to: TARGET, data: `0x${'01'.repeat(7000)}` }], signal),
    },
  ),
  withManySenders('txpool_status'),
  withManySenders('txpool_content'),
  withManySenders('txpool_inspect'),
  withManySenders('eth_pendingTransactions'),
  withManySenders('eth_getBlockByNumber', ['pending', false]),
  withManySenders('anvil_setBalance', [SIGNER, '0x3635c9adc5dea00000']),
  withManySenders('evm_snapshot'),
  revertedWithManySenders('evm_revert'),
  revertedWithManySenders('evm_revert from an empty mempool', (node) =>
    callRpc(node.ready.url, 'anvil_dropAllTransactions', []),
  ),
  withManySenders('evm_mine'),
  {
    name: 'a mempool of many senders: anvil_reorg of ten full blocks',
    async prepare(node) {
      await fillPool(node)
      await callRpc(node.ready.url, 'hardhat_mine', ['0xa'])
    },
    run: (node, signal) => sendCall(node, 'anvil_reorg', [10, []], signal),
  },
  {
    ...withManySenders('eth_gasPrice'),
    name: 'a mempool of many senders: eth_gasPrice after sixteen full blocks',
    async prepare(node) {
      await fillPool(node)
      for (let block = 0; block < 16; block++) {
        await callRpc(node.ready.url, 'anvil_setNextBlockBaseFeePerGas', ['0x1'])
        await callRpc(node.ready.url, 'evm_mine', [])
      }
    },
  },
  ...['evm_mine', 'eth_feeHistory'].map((method) => ({
    ...withManySenders(method, method === 'evm_mine' ? [] : ['0x1', 'latest', [50]]),
    name: `a mempool of many senders: ${method} of a block of ten thousand transactions`,
    async prepare(node: TorturedNode) {
      await fillPool(node)
      await callRpc(node.ready.url, 'evm_setBlockGasLimit', ['0xcdfe600'])
      await callRpc(node.ready.url, 'anvil_setNextBlockBaseFeePerGas', ['0x1'])
      if (method === 'eth_feeHistory') await callRpc(node.ready.url, 'evm_mine', [])
    },
  })),
  withManySenders('evm_setBlockGasLimit', ['0x1c9c380']),
  {
    ...withManySenders('anvil_rollback', [1]),
    name: 'a mempool of many senders: anvil_rollback after a low gas limit',
    async prepare(node) {
      await callRpc(node.ready.url, 'evm_setBlockGasLimit', ['0x1c9c380'])
      await addSenders(node, FIRST_SENDER + SENDERS, 20_000)
      await callRpc(node.ready.url, 'evm_setBlockGasLimit', ['0x5000'])
    },
  },
  withManySenders('anvil_dropAllTransactions'),
  withBusySender('evm_mine', ['evm_mine', []]),
  withBusySender('anvil_reorg of ten full blocks', ['anvil_reorg', [10, []]], (node) =>
    callRpc(node.ready.url, 'hardhat_mine', ['0xa']),
  ),
  withBusySender('anvil_setNonce beyond all', [
    'anvil_setNonce',
    [BUSY_SENDER, `0x${TRANSACTIONS.toString(16)}`],
  ]),
  withBusySender('anvil_setBalance that pays for none', ['anvil_setBalance', [BUSY_SENDER, '0x1']]),
  withBusySender('evm_setBlockGasLimit that fits none', ['evm_setBlockGasLimit', ['0x5000']]),
  withBusySender('anvil_removePoolTransactions', ['anvil_removePoolTransactions', [BUSY_SENDER]]),
  withBusySender('txpool_contentFrom', ['txpool_contentFrom', [BUSY_SENDER]]),
  withBusySender('evm_setAutomine', ['evm_setAutomine', [true]]),
  {
    name: 'a mempool of one sender: eth_resend of no transaction',
    async prepare(node) {
      await callRpc(node.ready.url, 'evm_setAutomine', [false])
      await callRpc(node.ready.url, 'evm_setBlockGasLimit', ['0x1c9c380'])
      const transfer = {
        from: SIGNER,
        to: TARGET,
        gas: '0x10000',
        data: `0x${'01'.repeat(500)}`,
        gasPrice: '0x77359400',
      }
      const calls = many(1000, (id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_sendTransaction',
        params: [transfer],
      }))
      for (let round = 0; round < 10; round++) await callRaw(node, JSON.stringify(calls))
    },
    run: (node, signal) =>
      sendCall(
        node,
        'eth_resend',
        [{ from: SIGNER, to: TARGET, gas: '0x5208', nonce: '0x1', gasPrice: '0x1' }],
        signal,
      ),
    refusal: 'not found',
  },
  // Leaves the mempool empty for later bombs.
  withBusySender('anvil_dropAllTransactions', ['anvil_dropAllTransactions', []]),
]
