import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { ValueEncoding, hexToBytes } from '@ethereumjs/util'
import { type Hex, concatHex, keccak256, numberToHex, pad } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

interface Witness {
  headers: { number: Hex; hash: Hex; parentHash: Hex; stateRoot: Hex; slotNumber: null }[]
  codes: Hex[]
  state: Hex[]
  keys: null
}

interface Block {
  number: Hex
  hash: Hex
  stateRoot: Hex
  timestamp: Hex
  miner: Hex
}

/** EIP-4788, EIP-2935, EIP-7002, EIP-7251. */
const beaconRoots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const history = '0x0000f90827f1c53a10cb7a02335b175320002935'
const queues = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
] as const
const HISTORY_LENGTH = 8191n

/** Takes a count, a slot and a value from its call data, and writes the value to that many slots after the slot. */
const filler = '5f355b801560185760403581602035015560019003600256' + '5b00'
/** Reads the hash of the third block before its own. */
const looker = '6003430340' + '00'

let node: StandinNode
let from: Hex
let fillerAddress: Hex
let lookerAddress: Hex

const call = <T>(method: string, ...params: unknown[]): Promise<T> =>
  node.request(method, params) as Promise<T>
const blockAt = (tag: string): Promise<Block> => call<Block>('eth_getBlockByNumber', tag, false)
const witnessOf = (block: unknown): Promise<Witness> => call<Witness>('debug_executionWitness', block)

async function send(fields: object): Promise<{ contractAddress: Hex }> {
  const hash = await call<Hex>('eth_sendTransaction', { from, gas: '0x100000', ...fields })
  return call('eth_getTransactionReceipt', hash)
}

async function deploy(runtime: string): Promise<Hex> {
  const length = (runtime.length / 2).toString(16).padStart(4, '0')
  return (await send({ data: `0x61${length}80600a5f395ff3${runtime}` })).contractAddress
}

function fill(first: bigint, count: bigint, value: bigint): Promise<unknown> {
  const words = [count, first - 1n, value].map((word) => pad(numberToHex(word)))
  return send({ to: fillerAddress, data: concatHex(words) })
}

beforeAll(async () => {
  node = await createNode({ port: 0 })
  from = (node.accounts[0]?.address ?? '0x').toLowerCase() as Hex
  fillerAddress = await deploy(filler)
  lookerAddress = await deploy(looker)
  await fill(1n, 40n, 7n)
})
afterAll(() => node.stop())

/** Hash of an empty trie, which has no node. */
const EMPTY_ROOT = keccak256('0x80').slice(2)

/** A trie of nodes that are found by their hashes; notes which are read, and knows which are new. */
function trieOver(nodes: ReadonlyMap<string, Uint8Array>, read: Set<string>, root: Hex): MerklePatriciaTrie {
  const made = new Map<string, Uint8Array>()
  const db = {
    get: async (key: string) => {
      if (made.has(key)) return made.get(key)
      if (key !== EMPTY_ROOT) read.add(key)
      return nodes.get(key)
    },
    put: async (key: string, value: Uint8Array) => void made.set(key, value),
    del: async () => undefined,
    batch: async (operations: readonly { key: string; value?: Uint8Array }[]) => {
      for (const { key, value } of operations) if (value !== undefined) made.set(key, value)
    },
    open: async () => undefined,
    shallowCopy: () => db,
  }
  return new MerklePatriciaTrie({
    db: db as never,
    root: hexToBytes(root),
    useKeyHashing: true,
    valueEncoding: ValueEncoding.Bytes,
  })
}

interface Proof {
  balance: Hex
  nonce: Hex
  codeHash: Hex
  storageHash: Hex
  storageProof: { key: Hex; value: Hex }[]
}

const trimmed = (quantity: Hex): Uint8Array =>
  quantity === '0x0'
    ? new Uint8Array(0)
    : hexToBytes(`0x${quantity.slice(2).padStart(quantity.length + (quantity.length % 2) - 2, '0')}`)

/**
 * Applies the outcome of a block to the tries of its witness, additions first.
 *
 * @returns the new state root, and the nodes that were read
 */
async function applied(
  { state, headers }: Witness,
  { number }: Block,
  accounts: ReadonlyMap<Hex, readonly bigint[]>,
): Promise<{ root: string; read: Set<string> }> {
  const nodes = new Map(state.map((rlp) => [keccak256(rlp).slice(2), hexToBytes(rlp)]))
  const read = new Set<string>()
  const trie = trieOver(nodes, read, headers.at(-1)?.stateRoot ?? '0x')
  for (const [address, slots] of accounts) {
    const key = hexToBytes(address)
    const before = await trie.get(key)
    const proof = await call<Proof>(
      'eth_getProof',
      address,
      slots.map((slot) => pad(numberToHex(slot))),
      number,
    )
    let { storageHash } = proof
    if (before !== null && slots.length > 0) {
      const [, , root] = RLP.decode(before) as Uint8Array[]
      const storage = trieOver(nodes, read, `0x${Buffer.from(root as Uint8Array).toString('hex')}`)
      const values = proof.storageProof.map(({ key, value }) => [hexToBytes(key), trimmed(value)] as const)
      for (const [slot] of values) await storage.get(slot)
      for (const [slot, value] of values) if (value.length > 0) await storage.put(slot, RLP.encode(value))
      for (const [slot, value] of values) if (value.length === 0) await storage.del(slot)
      storageHash = `0x${Buffer.from(storage.root()).toString('hex')}`
    }
    const fields = [
      trimmed(proof.nonce),
      trimmed(proof.balance),
      hexToBytes(storageHash),
      hexToBytes(proof.codeHash),
    ]
    await trie.put(key, RLP.encode(fields))
  }
  return { root: `0x${Buffer.from(trie.root()).toString('hex')}`, read }
}

/** What every block reads and writes, besides its transactions. */
async function systemAccounts(block: Block): Promise<[Hex, bigint[]][]> {
  const slot = BigInt(block.timestamp) % HISTORY_LENGTH
  return [
    [beaconRoots, [slot, slot + HISTORY_LENGTH]],
    [history, [(BigInt(block.number) - 1n) % HISTORY_LENGTH]],
    ...queues.map((queue): [Hex, bigint[]] => [queue, [0n, 1n, 2n, 3n]]),
  ]
}

describe('debug_executionWitness', () => {
  it('has the nodes that a deletion needs, and no others', async () => {
    const slots = Array.from({ length: 40 }, (_, index) => BigInt(index + 1))
    for (const [first, count, value] of [
      [1n, 9n, 0n],
      [10n, 20n, 0n],
      [35n, 12n, 3n],
      [2n, 38n, 0n],
    ] as const) {
      await fill(first, count, value)
      const block = await blockAt('latest')
      const witness = await witnessOf(block.number)
      const touched = slots
        .concat([41n, 42n, 43n, 44n, 45n, 46n])
        .filter((slot) => slot >= first && slot < first + count)
      const accounts = new Map<Hex, readonly bigint[]>([
        [from, []],
        [block.miner, []],
        [fillerAddress, touched],
        ...(await systemAccounts(block)),
      ])
      const { root, read } = await applied(witness, block, accounts)
      expect(root).toBe(block.stateRoot)
      expect(witness.state.map((rlp) => keccak256(rlp).slice(2)).sort()).toEqual([...read].sort())
      expect(witness.state).toEqual([...witness.state].sort())
    }
  })

  it('has the codes that are run, and the headers back to the oldest whose hash is read', async () => {
    await send({ to: lookerAddress })
    const block = await blockAt('latest')
    const { codes, headers, keys } = await witnessOf({ blockHash: block.hash })
    const run = await Promise.all(
      [lookerAddress, beaconRoots, history, ...queues].map((address) =>
        call<Hex>('eth_getCode', address, 'latest'),
      ),
    )
    expect(codes).toEqual(run.sort())
    const number = Number(block.number)
    expect(headers.map((header) => Number(header.number))).toEqual([number - 3, number - 2, number - 1])
    for (const { number: of, hash } of headers) expect((await blockAt(of)).hash).toBe(hash)
    expect(headers[0]).toHaveProperty('slotNumber', null)
    expect(keys).toBeNull()
  })

  it('is refused where there is no block or no parent', async () => {
    const unknown = `0x${'ab'.repeat(32)}`
    await expect(witnessOf('0x0')).rejects.toThrow('block {0x0 <nil> false} found, but parent missing')
    await expect(witnessOf('0xfff')).rejects.toThrow('block {0xfff <nil> false} not found')
    await expect(witnessOf(unknown)).rejects.toThrow(`block {<nil> ${unknown} false} not found`)
  })
})
