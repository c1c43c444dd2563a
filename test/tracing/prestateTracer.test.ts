import { keccak256, pad, toHex, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf, TracedNode, type Receipt } from './tracedNode.js'

interface Account {
  balance?: Hex
  nonce?: number
  code?: Hex
  codeHash?: Hex
  storage?: Record<Hex, Hex>
}
type Accounts = Record<Hex, Account>
interface Diff {
  pre: Accounts
  post: Accounts
}

let chain: TracedNode
let store: Hex
let nested: Hex

beforeAll(async () => {
  chain = await TracedNode.start()
  store = await chain.deploy('Store')
  nested = await chain.deploy('NestedCaller')
})
afterAll(() => chain.stop())

function prestateOf(receipt: Receipt, tracerConfig: object = {}): Promise<Accounts> {
  return chain.trace<Accounts>(receipt.transactionHash, { tracer: 'prestateTracer', tracerConfig })
}

function diffOf(receipt: Receipt, tracerConfig: object = {}): Promise<Diff> {
  const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true, ...tracerConfig } }
  return chain.trace<Diff>(receipt.transactionHash, config)
}

/** Reads an account at a block over JSON-RPC, in the tracer's format. */
async function accountAt(
  address: string,
  block: Hex,
): Promise<Required<Omit<Account, 'storage' | 'codeHash'>>> {
  const code = await chain.call<Hex>('eth_getCode', address, block)
  const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', address, block))
  return { balance: await chain.call<Hex>('eth_getBalance', address, block), nonce, code }
}

function before({ blockNumber }: Receipt): Hex {
  return toHex(BigInt(blockNumber) - 1n)
}

describe('prestateTracer', () => {
  it('shows every touched account as of the parent block', async () => {
    const data = inputOf('NestedCaller', 'forward', [store, inputOf('Store', 'setNumber', [6n])])
    const receipt = await chain.send({ to: nested, data })
    const accounts = await prestateOf(receipt)
    expect(new Set(Object.keys(accounts))).toEqual(
      new Set([chain.alice, nested, store, await chain.call<Hex>('eth_coinbase')]),
    )
    for (const [address, { storage = {}, codeHash, nonce = 0, code = '0x', balance }] of Object.entries(
      accounts,
    )) {
      expect({ nonce, code, balance }).toEqual(await accountAt(address, before(receipt)))
      expect(codeHash).toBe(code === '0x' ? undefined : keccak256(code))
      for (const [slot, value] of Object.entries(storage)) {
        expect(value).toBe(await chain.call('eth_getStorageAt', address, slot, before(receipt)))
      }
    }
    expect(accounts[store]?.storage).toEqual({ [pad('0x0')]: pad('0x0') })
    expect(Object.keys(accounts)).toEqual(Object.keys(accounts).sort())
  })

  it('shows the changes in diff mode', async () => {
    await chain.send({ to: store, data: inputOf('Store', 'fill', [20n, 3n, 1n]) })
    const receipt = await chain.send({
      to: store,
      data: inputOf('Store', 'fill', [21n, 3n, 0n]),
      value: '0x0',
    })
    const { pre, post } = await diffOf(receipt)
    expect(Object.keys(pre).sort()).toEqual(Object.keys(post).sort())
    for (const [address, account] of Object.entries(post)) {
      const after = await accountAt(address, receipt.blockNumber)
      const earlier = await accountAt(address, before(receipt))
      expect(account.balance).toBe(after.balance === earlier.balance ? undefined : after.balance)
      expect(account.nonce).toBe(after.nonce === earlier.nonce ? undefined : after.nonce)
      expect(account.code).toBeUndefined()
      expect(pre[address as Hex]?.balance).toBe(earlier.balance)
    }
    // Slots 21 and 22 go from 1 to 0, slot 23 stays 0.
    expect(pre[store]?.storage).toEqual({ [pad(toHex(21))]: pad('0x1'), [pad(toHex(22))]: pad('0x1') })
    expect(post[store]).toEqual({})
  })

  it('shows created accounts in the post state, and destroyed ones nowhere', async () => {
    const receipt = await chain.send({ to: store, data: inputOf('Store', 'createChild', [5n]) })
    const { pre, post } = await diffOf(receipt)
    const [child] = Object.keys(post).filter((address) => !(address in pre)) as Hex[]
    const code = await chain.call<Hex>('eth_getCode', child, 'latest')
    expect(post[child as Hex]).toEqual({
      code,
      codeHash: keccak256(code),
      nonce: 1,
      storage: { [pad('0x0')]: pad('0x5') },
    })
    const gone = await chain.send({
      to: store,
      data: inputOf('Store', 'createAndDestroy', [pad('0x1'), chain.bob]),
      value: '0x5',
    })
    const destroyed = await diffOf(gone)
    expect(new Set(Object.keys(destroyed.post))).toEqual(
      new Set([chain.alice, chain.bob, store, await chain.call<Hex>('eth_coinbase')]),
    )
    const grown =
      BigInt(destroyed.post[chain.bob]?.balance ?? 0) - BigInt(destroyed.pre[chain.bob]?.balance ?? 0)
    expect(grown).toBe(5n)
  })

  it('gives a touched but absent account a zero code hash like geth', async () => {
    const absent = `0x${'5b'.repeat(20)}` as const
    const { pre, post } = await diffOf(await chain.send({ to: absent, value: '0x0' }))
    expect(post[absent]).toEqual({ codeHash: pad('0x0') })
    expect(pre).not.toHaveProperty(absent)
  })

  it('shows a destroyed account only in the prestate', async () => {
    const old = await TracedNode.start({ hardfork: 'shanghai' })
    try {
      // PUSH20 bob SELFDESTRUCT
      const to = await old.deployCode(`73${old.bob.slice(2)}ff`)
      await old.send({ to: old.alice })
      const { transactionHash } = await old.send({ to, value: '0x9' })
      const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
      const { pre, post } = await old.trace<Diff>(transactionHash, config)
      expect(pre[to]).toMatchObject({ balance: '0x0', nonce: 1 })
      expect(post).not.toHaveProperty(to)
    } finally {
      await old.stop()
    }
  })

  it('omits code and storage, and shows empty accounts on request', async () => {
    const fresh = `0x${'5a'.repeat(20)}` as const
    const receipt = await chain.send({ to: fresh, value: '0x1' })
    expect(await prestateOf(receipt)).not.toHaveProperty(fresh)
    expect((await prestateOf(receipt, { includeEmpty: true }))[fresh]).toEqual({ balance: '0x0' })
    const call = await chain.send({ to: store, data: inputOf('Store', 'increment') })
    const bare = await prestateOf(call, { disableCode: true, disableStorage: true })
    expect(bare[store]).not.toHaveProperty('code')
    expect(bare[store]).not.toHaveProperty('storage')
    expect(bare[store]).toHaveProperty('codeHash')
    const diff = await diffOf(call, { disableStorage: true })
    expect(diff.post).not.toHaveProperty(store)
    const both = { tracer: 'prestateTracer', tracerConfig: { diffMode: true, includeEmpty: true } }
    await expect(chain.trace(call.transactionHash, both)).rejects.toThrow(
      'cannot use diffMode with includeEmpty',
    )
  })
})
