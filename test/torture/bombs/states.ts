import { gzipSync } from 'node:zlib'
import { callRpc } from '../../support/rpc.js'
import { isFull } from '../settings.js'
import { startTorturedNode } from '../node.js'
import { type Hex, callRaw } from '../requests.js'
import { address, hash, many, oncePerNode, rpc, sendCall, type Bomb } from './bomb.js'

/** Makes an anvil dump with many accounts. */
function stateOf(count: number): Hex {
  const account = (i: number) => ({
    nonce: 1,
    balance: '0x1',
    code: hash(i),
    storage: { [hash(0)]: hash(1) },
  })
  return dumpOf({ accounts: Object.fromEntries(many(count, (i) => [address(i + 1e6), account(i)])) })
}

function dumpOf(state: object): Hex {
  return `0x${gzipSync(JSON.stringify(state)).toString('hex')}`
}

/** Makes an anvil dump with a contract of many slots. */
function stateOfSlots(count: number): Hex {
  const storage = Object.fromEntries(many(count, (i) => [hash(i), hash(i)]))
  return dumpOf({ accounts: { [address(2e6)]: { nonce: 1, balance: '0x1', code: '0x00', storage } } })
}

/** Makes an anvil dump with a contract of so many bytes of code. */
function stateOfCode(length: number): Hex {
  const code = `0x${'5b'.repeat(length)}`
  return dumpOf({ accounts: { [address(3e6)]: { nonce: 1, balance: '0x1', code, storage: {} } } })
}

/** Loads the state and blocks of another node's chain, every tenth block with a transaction. */
function stateOfBlocks(count: number): Bomb {
  const dump = oncePerNode(async () => {
    const other = await startTorturedNode()
    const { url } = other.ready
    const [from] = await callRpc<Hex[]>(url, 'eth_accounts', [])
    for (let block = 0; block < count; block += 10) {
      await callRpc(url, 'eth_sendTransaction', [{ from, to: from, gas: '0x5208' }])
      await callRpc(url, 'anvil_mine', ['0x9'])
    }
    const dumped = await callRpc<Hex>(url, 'anvil_dumpState', [])
    await other.stop()
    return dumped
  })
  return {
    name: `anvil_loadState: a chain of ${count} blocks`,
    prepare: dump,
    run: async (node, signal) => sendCall(node, 'anvil_loadState', [await dump(node)], signal),
  }
}

/** Goes back to the first of many snapshots. */
function revertToFirst(count: number): Bomb {
  let first: Hex = '0x0'
  return {
    ...rpc(`the first of ${count} snapshots`, 'evm_revert', () => [first]),
    async prepare(node) {
      first = await callRpc(node.ready.url, 'evm_snapshot', [])
      const snapshots = many(1000, (id) => ({ jsonrpc: '2.0', id, method: 'evm_snapshot', params: [] }))
      for (let taken = 0; taken < count; taken += 1000) await callRaw(node, JSON.stringify(snapshots))
    },
  }
}

/** Bombs of states: large dumps, what reads all accounts, and snapshots. */
export const states: readonly Bomb[] = [
  revertToFirst(9000),
  rpc('a state of 20,000 accounts', 'anvil_loadState', () => [stateOf(20_000)]),
  rpc('a state of a contract of 100,000 slots', 'anvil_loadState', () => [stateOfSlots(100_000)]),
  rpc('an invalid state of ten megabytes', 'anvil_loadState', () => [`0x${'ab'.repeat(1e7)}`]),
  rpc('a gigabyte in a megabyte', 'anvil_loadState', () => [
    `0x${gzipSync(Buffer.alloc(2 ** 30)).toString('hex')}`,
  ]),
  {
    ...rpc('thirty megabytes of empty objects', 'anvil_loadState', () => [
      `0x${gzipSync(`[${'{},'.repeat(1e7)}{}]`).toString('hex')}`,
    ]),
    refusal: 'There are more than 2097152 arrays and objects',
  },
  {
    ...rpc('a string of a hundred megabytes', 'anvil_loadState', () => [
      `0x${gzipSync(`"${'a'.repeat(1e8)}"`).toString('hex')}`,
    ]),
    refusal: 'A string has more than 16777218 characters',
  },
  ...[
    ['a hundred megabytes that are no value', 'a'],
    ['a hundred megabytes of spaces', ' '],
  ].map(([name = '', character = '']): Bomb => ({
    ...rpc(name, 'anvil_loadState', () => [`0x${gzipSync(`[${character.repeat(1e8)}]`).toString('hex')}`]),
    refusal: 'Failed to decode state dump',
  })),
  {
    ...rpc('half a million members', 'anvil_loadState', () => [
      `0x${gzipSync(`{${many(5e5, (index) => `"${index.toString(36)}":1`).join(',')}}`).toString('hex')}`,
    ]),
    refusal: 'An object has more than 170000 members',
  },
  rpc('the whole state after that', 'anvil_dumpState', () => [true]),
  rpc('the genesis of that', 'standin_dumpGenesis', () => []),
  rpc('a state of a contract of eight megabytes of code', 'anvil_loadState', () => [stateOfCode(2 ** 23)]),
  {
    ...rpc('a state of a contract of thirty megabytes of code', 'anvil_loadState', () => [stateOfCode(3e7)]),
    refusal: 'A string has more than 16777218 characters',
  },
  {
    ...rpc('a balance of ten million decimal digits', 'anvil_loadState', () => [
      dumpOf({
        accounts: { [address(4e6)]: { nonce: 1, balance: '9'.repeat(1e7), code: '0x', storage: {} } },
      }),
    ]),
    refusal: 'balance',
  },
  stateOfBlocks(3500),
  stateOfBlocks(30_000),
  // Takes half a minute.
  ...(isFull ? [rpc('a state of 160,000 accounts', 'anvil_loadState', () => [stateOf(160_000)])] : []),
]
