import { RLP } from '@ethereumjs/rlp'
import {
  type FeeMarketEIP1559TxData,
  createBlob4844Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
} from '@ethereumjs/tx'
import { Address, bigIntToUnpaddedBytes } from '@ethereumjs/util'
import { describe, expect, it, vi } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { testBlock } from '../../../test/support/callSite.js'
import { countTurns, endEverySlice } from '../../../test/support/turns.js'
import { keccak256, privateKeyToAddress, sign as signHash } from '../crypto.js'
import { TransactionRejectedError } from '../errors.js'
import { createRules, createSingleForkSchedule } from '../evm/forkSchedule.js'
import { EMPTY_CODE_HASH } from '../state/account.js'
import { Candidates } from '../mining/producer.js'
import type { AccountState, StateView } from '../types.js'
import { Mempool } from './mempool.js'
import type { Entry, MempoolOptions } from './senderQueue.js'
import { reinject } from './submitTransaction.js'
import type { PooledTransaction } from './transaction.js'
import { checkReplacement } from './validation.js'

const GWEI = 10n ** 9n
const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
const schedule = createSingleForkSchedule({ chainId: 31337n, hardfork: 'osaka' })
const keys = Array.from({ length: 4 }, (_, i) => new Uint8Array(32).fill(i + 1))
const [a, b, c, d] = keys as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const addressOf = (key: Uint8Array) => privateKeyToAddress(key)

/** A state in which each of the four accounts has a nonce and a balance. */
class TestState implements StateView {
  readonly root = new Uint8Array(32)
  readonly accounts = new Map<string, { nonce: bigint; balance: bigint }>()
  set(key: Uint8Array, nonce: bigint, balance = 10n ** 18n): void {
    this.accounts.set(addressOf(key).toString(), { nonce, balance })
  }
  getAccount(address: Uint8Array): AccountState | undefined {
    const account = this.accounts.get(address.toString())
    return account && { ...account, storageRoot: new Uint8Array(32), codeHash: EMPTY_CODE_HASH }
  }
  getCode = () => new Uint8Array(0)
  getStorage = () => new Uint8Array(32)
}

async function createPool(options: MempoolOptions = {}) {
  const state = new TestState()
  for (const key of keys) state.set(key, 0n)
  const pool = new Mempool(schedule, options)
  await pool.reset(state, testBlock)
  return { state, pool }
}

function sign(key: Uint8Array, fields: FeeMarketEIP1559TxData): Uint8Array {
  return createFeeMarket1559Tx(
    {
      chainId: 31337n,
      nonce: 0n,
      gasLimit: 21_000n,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: GWEI,
      to: new Address(new Uint8Array(20).fill(1)),
      ...fields,
    },
    { common: rules, allowUnlimitedInitCodeSize: true },
  )
    .sign(key)
    .serialize()
}

function tip(key: Uint8Array, nonce: bigint, gwei: bigint): Uint8Array {
  return sign(key, { nonce, maxPriorityFeePerGas: gwei * GWEI })
}

function blobEntry(maxFeePerGas: bigint, maxPriorityFeePerGas: bigint, maxFeePerBlobGas: bigint): Entry {
  const transaction = createBlob4844Tx(
    {
      ...{ chainId: 31337n, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas },
      to: new Address(new Uint8Array(20)),
      blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
    },
    { common: rules },
  )
  const known = { hash: a, sender: addressOf(a), impersonated: false, arrival: 0, cost: 0n }
  return { transaction, ...known, size: 0 }
}

/** Signs a transfer that ethereumjs would refuse to create. */
function signTransfer(key: Uint8Array, { nonce, value }: { nonce: bigint; value: bigint }): Uint8Array {
  const numbers = (...values: bigint[]) => values.map((number) => bigIntToUnpaddedBytes(number))
  const fields = [
    ...numbers(31337n, nonce, GWEI, 20n * GWEI, 21_000n),
    ...[addressOf(b), ...numbers(value), new Uint8Array(0), []],
  ]
  const { r, s, yParity } = signHash(keccak256(Uint8Array.of(2, ...RLP.encode(fields))), key)
  return Uint8Array.of(2, ...RLP.encode([...fields, ...numbers(BigInt(yParity), r, s)]))
}

/** Returns all candidates in order, as letter and nonce. */
async function order(
  pool: Mempool,
  baseFee = 1n,
  skip: (name: string) => boolean = () => false,
): Promise<string[]> {
  const names: string[] = []
  const candidates = runToCompletion(Candidates.of(pool, baseFee))
  for (let next = candidates.next(); next !== undefined; next = candidates.next()) {
    const name = nameOf(next)
    names.push(name)
    if (skip(name)) candidates.skipSender()
  }
  return names
}

function nameOf({ sender, transaction }: PooledTransaction): string {
  const index = keys.findIndex((key) => addressOf(key).toString() === sender.toString())
  return `${'abcd'.charAt(index)}${transaction.nonce}`
}

describe('Mempool', () => {
  it('recovers sender and hash', async () => {
    const { pool } = await createPool()
    const raw = sign(a, {})
    const pooled = await pool.add(raw)
    expect(pooled.sender).toEqual(addressOf(a))
    expect(pool.get(pooled.hash)).toMatchObject({ hash: pooled.hash, impersonated: false })
    expect(pool.size).toBe(1)
  })

  it('reinjects transactions even if nonce gaps are rejected', async () => {
    const { pool } = await createPool({ automineBaseFee: () => 1n })
    const waiting = [sign(a, { nonce: 1n }), sign(b, { nonce: 0n }), sign(a, { nonce: 0n })]
    await expect(pool.add(waiting[0]!)).rejects.toThrow('Nonce too high')
    const stored = waiting.map((raw, i) => ({ raw, sender: addressOf(i === 1 ? b : a), impersonated: false }))
    endEverySlice()
    // One yield to decode each, and one to add it.
    expect(await countTurns(() => reinject(pool, rules, stored))).toBeGreaterThanOrEqual(2 * stored.length)
    vi.restoreAllMocks()
    expect((await pool.inOrderOfArrival()).map(nameOf)).toEqual(['a0', 'b0', 'a1'])
  })

  it('offers the best tip whose nonce is next, ties by arrival', async () => {
    const { pool } = await createPool()
    const sent: [Uint8Array, bigint, bigint][] = [
      [a, 0n, 2n],
      [b, 0n, 5n],
      [c, 0n, 5n],
      [a, 1n, 9n],
      [d, 0n, 1n],
    ]
    for (const [key, nonce, gwei] of sent) await pool.add(tip(key, nonce, gwei))
    expect(await order(pool)).toEqual(['b0', 'c0', 'a0', 'a1', 'd0'])
    expect(await order(pool, 1n, (name) => name === 'a0')).toEqual(['b0', 'c0', 'a0', 'd0'])
    // At this base fee, at most 1 gwei is left for a tip, so arrival decides.
    expect(await order(pool, 19n * GWEI)).toEqual(['a0', 'b0', 'c0', 'a1', 'd0'])
    expect(await order(pool, 21n * GWEI)).toEqual([])
    expect(pool.hasCandidates(21n * GWEI)).toBe(false)
    expect(pool.hasCandidates(20n * GWEI)).toBe(true)
    pool.options.order = 'fifo'
    expect(await order(pool)).toEqual(['a0', 'b0', 'c0', 'a1', 'd0'])
  })

  it('orders many senders like a sort', async () => {
    const { pool } = await createPool({ order: 'fees' })
    for (let nonce = 0n; nonce < 12n; nonce++) {
      for (const [i, key] of keys.entries())
        await pool.add(tip(key, nonce, ((nonce * 7n + BigInt(i) * 5n) % 11n) + 1n))
    }
    const left = new Map(keys.map((_, i) => [i, 0n]))
    const expected: string[] = []
    while (expected.length < 48) {
      const heads = [...left].filter(([, nonce]) => nonce < 12n)
      const tipOf = ([i, nonce]: [number, bigint]) => ((nonce * 7n + BigInt(i) * 5n) % 11n) + 1n
      const arrival = ([i, nonce]: [number, bigint]) => Number(nonce) * 4 + i
      heads.sort((x, y) => Number(tipOf(y) - tipOf(x)) || arrival(x) - arrival(y))
      const [i, nonce] = heads[0] as [number, bigint]
      expected.push(`${'abcd'.charAt(i)}${nonce}`)
      left.set(i, nonce + 1n)
    }
    expect(await order(pool)).toEqual(expected)
  })

  it('queues after a gap and announces when it is filled', async () => {
    const { pool } = await createPool()
    const announced: string[] = []
    pool.subscribe((transaction) => announced.push(nameOf(transaction)))
    await pool.add(sign(a, { nonce: 2n }))
    await pool.add(sign(a, { nonce: 1n }))
    expect(announced).toEqual([])
    expect(pool.pendingNonce(addressOf(a))).toBe(0n)
    expect(pool.contentFrom(addressOf(a))).toMatchObject({ pending: [], queued: [{}, {}] })
    endEverySlice()
    // One yield for each transaction that waited for this one.
    expect(await countTurns(() => pool.add(sign(a, {})))).toBeGreaterThanOrEqual(2)
    vi.restoreAllMocks()
    expect(announced).toEqual(['a0', 'a1', 'a2'])
    expect(pool.pendingNonce(addressOf(a))).toBe(3n)
    expect(await order(pool)).toEqual(['a0', 'a1', 'a2'])
  })

  it('replaces for 10% more of both fees', async () => {
    const { pool } = await createPool()
    const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
      sign(a, { maxFeePerGas, maxPriorityFeePerGas })
    const first = await pool.add(fees(1000n, 100n))
    const refusal = /^replacement transaction underpriced$/
    await expect(pool.add(fees(1099n, 110n))).rejects.toThrow(refusal)
    await expect(pool.add(fees(1100n, 109n))).rejects.toThrow(refusal)
    await expect(pool.add(fees(2000n, 100n))).rejects.toThrow(refusal)
    const second = await pool.add(fees(1100n, 110n))
    expect(pool.get(first.hash)).toBeUndefined()
    expect(pool.get(second.hash)).toBeDefined()
    expect(pool.size).toBe(1)
  })

  // Values and messages of geth 1.17.10.
  it.each<[cap: bigint, tip: bigint, blobFee: bigint, message: string]>([
    [15n * GWEI, GWEI, 20n, 'tip cap 1000000000 <= 2000000000 queued'],
    [15n * GWEI, 4n * GWEI, 20n, 'fee cap 15000000000 < 10000000000 queued + 100% replacement penalty'],
    [20n * GWEI, 3n * GWEI, 9n, 'blob gas fee cap 9 <= 10 queued'],
    [20n * GWEI, 3n * GWEI, 20n, 'tip cap 3000000000 < 2000000000 queued + 100% replacement penalty'],
  ])('replaces no blob transaction by one with the fees %i, %i and %i', (cap, tipCap, blobFee, message) => {
    const replaced = blobEntry(10n * GWEI, 2n * GWEI, 10n)
    const refusal = `replacement transaction underpriced: new tx ${message.startsWith('blob') ? '' : 'gas '}${message}`
    expect(() => checkReplacement(blobEntry(cap, tipCap, blobFee), replaced, { capReplaces: false })).toThrow(
      new TransactionRejectedError(refusal),
    )
  })

  it('follows the chain: removes mined transactions and makes their successors pending', async () => {
    const { pool, state } = await createPool()
    for (let nonce = 0n; nonce < 3n; nonce++) await pool.add(sign(a, { nonce }))
    await pool.add(sign(b, { nonce: 1n }))
    const announced: string[] = []
    pool.subscribe((transaction) => announced.push(nameOf(transaction)))
    state.set(a, 2n)
    state.set(b, 1n)
    await pool.reset(state, testBlock)
    expect(await order(pool)).toEqual(['a2', 'b1'])
    expect(announced).toEqual(['b1'])
    expect(pool.size).toBe(2)
    state.set(a, 2n, 1n)
    await pool.reset(state, testBlock)
    expect(await order(pool)).toEqual(['b1'])
    state.set(b, 2n)
    await pool.reset(state, testBlock)
    expect(pool.size).toBe(0)
    expect(pool.content()).toEqual([])
  })

  it('drops one, all of a sender, and all', async () => {
    const { pool } = await createPool()
    for (let nonce = 0n; nonce < 3n; nonce++) await pool.add(sign(a, { nonce }))
    const [, second] = pool.contentFrom(addressOf(a)).pending
    await pool.add(sign(b, {}))
    const version = pool.version
    expect(pool.drop((second as PooledTransaction).hash)).toBeDefined()
    expect(pool.version).toBeGreaterThan(version)
    expect(pool.drop((second as PooledTransaction).hash)).toBeUndefined()
    expect(await order(pool)).toEqual(['a0', 'b0'])
    expect(pool.contentFrom(addressOf(a)).queued.map(nameOf)).toEqual(['a2'])
    await pool.dropFrom(addressOf(a))
    expect(await order(pool)).toEqual(['b0'])
    pool.dropAll()
    expect([pool.size, await order(pool)]).toEqual([0, []])
  })

  it('restores a snapshot', async () => {
    const { pool, state } = await createPool()
    const kept = await pool.add(sign(a, {}))
    const snapshot = pool.snapshot()
    const later = await pool.add(sign(b, {}))
    state.set(a, 1n)
    await pool.reset(state, testBlock)
    state.set(a, 0n)
    for (let round = 0; round < 2; round++) {
      await pool.restore(snapshot)
      await pool.reset(state, testBlock)
      expect(pool.get(kept.hash)).toBeDefined()
      expect(pool.get(later.hash)).toBeUndefined()
      expect(await order(pool)).toEqual(['a0'])
      await pool.add(sign(a, { nonce: 1n }))
    }
  })

  it('drops what exceeds the gas limit of the head to which a snapshot is restored', async () => {
    const { pool, state } = await createPool()
    await pool.add(sign(a, { gasLimit: 100_000n }))
    await pool.add(sign(b, {}))
    const snapshot = pool.snapshot()
    for (let round = 0; round < 2; round++) {
      await pool.restore(snapshot)
      await pool.reset(state, testBlock, { gasLimit: 50_000n })
      expect(await order(pool)).toEqual(['b0'])
    }
  })

  it('looks only at senders whose accounts have changed, unless a check failed midway', async () => {
    const { pool, state } = await createPool()
    for (const key of keys) await pool.add(sign(key, {}))
    const read = vi.spyOn(state, 'getAccount')
    await pool.reset(state, testBlock, { changed: [addressOf(b)] })
    expect(read.mock.calls).toEqual([[addressOf(b)]])
    read.mockImplementationOnce(() => {
      throw new Error('the remote is gone')
    })
    await expect(pool.reset(state, testBlock, { changed: [addressOf(a)] })).rejects.toThrow('gone')
    state.set(a, 1n)
    await pool.reset(state, testBlock, { changed: [] })
    expect(await order(pool)).toEqual(['b0', 'c0', 'd0'])
  })

  it('asks at the next block whether senders can pay whose balances were set, with the checks of anvil', async () => {
    const { pool, state } = await createPool({ anvilBaseFee: () => 0n })
    for (const key of keys) await pool.add(sign(key, {}))
    state.set(a, 0n, 1n)
    await pool.reset(state, testBlock, { changed: [addressOf(a)] })
    await pool.reset(state, testBlock, { changed: [] })
    expect(pool.size).toBe(4)
    const read = vi.spyOn(state, 'getAccount')
    await pool.reset(state, { ...testBlock }, { changed: [addressOf(b)] })
    expect(read.mock.calls).toEqual([[addressOf(b)], [addressOf(a)]])
    expect(await order(pool)).toEqual(['b0', 'c0', 'd0'])
  })

  it('is full at its capacity', async () => {
    const { pool } = await createPool({ capacity: 1 })
    await pool.add(sign(a, {}))
    await expect(pool.add(sign(b, {}))).rejects.toThrow(new TransactionRejectedError('txpool is full'))
    await pool.add(sign(a, { maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: 2n * GWEI }))
  })

  it('is full at its capacity in bytes', async () => {
    const small = sign(a, {})
    const large = sign(b, { data: new Uint8Array(100), gasLimit: 30_000n })
    const { pool } = await createPool({ byteCapacity: small.length + large.length })
    const full = new TransactionRejectedError('txpool is full')
    await pool.add(small)
    const { hash } = await pool.add(large)
    await expect(pool.add(sign(c, {}))).rejects.toThrow(full)
    const fees = { maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: 2n * GWEI }
    await expect(
      pool.add(sign(a, { ...fees, data: Uint8Array.of(1, 2, 3), gasLimit: 30_000n })),
    ).rejects.toThrow(full)
    pool.drop(hash)
    await pool.add(sign(c, {}))
  })

  it('accepts transactions of impersonated accounts', async () => {
    const { pool } = await createPool()
    const transaction = createLegacyTx(
      { nonce: 0n, gasLimit: 21_000n, gasPrice: 5n, to: new Address(addressOf(a)) },
      { common: rules },
    )
    const hash = new Uint8Array(32).fill(5)
    await pool.addKnown({ transaction, hash, sender: addressOf(b), impersonated: true })
    expect(await order(pool, 5n)).toEqual(['b0'])
  })

  describe("rejects with geth's message", () => {
    const funds = 'insufficient funds for gas * price + value'
    const cost = 21_000n * 20n * GWEI
    const ether = 10n ** 18n

    it.each<[string, FeeMarketEIP1559TxData, string]>([
      ['nonce low', { nonce: 0n }, 'nonce too low: next nonce 1, tx nonce 0'],
      ['gas over the block', { gasLimit: 30_000_001n }, 'exceeds block gas limit'],
      [
        'gas below intrinsic',
        { gasLimit: 20_999n },
        'intrinsic gas too low: gas 20999, minimum needed 21000',
      ],
      [
        'gas below the floor',
        { gasLimit: 22_000n, data: new Uint8Array(50).fill(1) },
        'insufficient gas for floor data gas cost: gas 22000, minimum needed 23000',
      ],
      [
        'initcode too large',
        { to: undefined, data: new Uint8Array(49_153), gasLimit: 5_000_000n },
        'max initcode size exceeded: code size 49153 limit 49152',
      ],
      [
        'size',
        { data: new Uint8Array(131_072), gasLimit: 5_000_000n },
        /^oversized data: transaction size 131\d\d\d, limit 131072$/.source,
      ],
      ['funds', { value: ether }, `${funds}: balance ${ether}, tx cost ${ether + cost}, overshot ${cost}`],
    ])('%s', async (_, fields, words) => {
      const { pool, state } = await createPool()
      state.set(a, 1n)
      await pool.reset(state, testBlock)
      const refused = pool.add(sign(a, { nonce: 1n, ...fields }))
      await expect(refused).rejects.toThrow(TransactionRejectedError)
      await expect(refused).rejects.toMatchObject({
        message: words.startsWith('^') ? expect.stringMatching(words) : words,
      })
    })

    // geth 1.17.10 checks a value beyond 256 bits between nonce and intrinsic gas.
    it('a value beyond 256 bits', async () => {
      const { pool } = await createPool()
      const value = 2n ** 256n
      await expect(pool.add(signTransfer(a, { nonce: 0n, value }))).rejects.toThrow(
        new TransactionRejectedError(funds),
      )
      await expect(pool.add(signTransfer(a, { nonce: 2n ** 64n - 1n, value }))).rejects.toThrow(
        new TransactionRejectedError('nonce has max value'),
      )
    })

    it('known transactions, even after they were mined', async () => {
      const { pool, state } = await createPool()
      const raw = sign(a, {})
      await pool.add(raw)
      await expect(pool.add(raw)).rejects.toMatchObject({ message: 'already known' })
      state.set(a, 1n)
      await pool.reset(state, testBlock)
      await expect(pool.add(raw)).rejects.toThrow(
        new TransactionRejectedError('nonce too low: next nonce 1, tx nonce 0'),
      )
    })

    it('funds that other transactions of the sender need', async () => {
      const { pool, state } = await createPool()
      state.set(a, 0n, 2n * cost + 5n)
      await pool.reset(state, testBlock)
      await pool.add(sign(a, {}))
      await pool.add(sign(a, { nonce: 1n }))
      await expect(pool.add(sign(a, { nonce: 2n }))).rejects.toThrow(
        `${funds}: balance ${2n * cost + 5n}, queued cost ${2n * cost}, tx cost ${cost}, overshot ${cost - 5n}`,
      )
      const fees = { maxFeePerGas: 22n * GWEI, maxPriorityFeePerGas: 2n * GWEI }
      await expect(pool.add(sign(a, fees))).rejects.toThrow(
        `${funds}: balance ${2n * cost + 5n}, queued cost ${2n * cost}, tx bumped ${cost / 10n}, overshot ${cost / 10n - 5n}`,
      )
    })

    it('fees, caps and replay protection by options', async () => {
      const { pool } = await createPool({
        minimumTip: 2n * GWEI,
        transactionFeeCap: 10n ** 15n,
        requireReplayProtection: true,
      })
      await expect(pool.add(sign(a, {}))).rejects.toThrow(
        'transaction gas price below minimum: gas tip cap 1000000000, minimum needed 2000000000',
      )
      await expect(pool.add(sign(a, { maxFeePerGas: 10n ** 12n }))).rejects.toThrow(
        'tx fee (0.02 ether) exceeds the configured cap (0.00 ether)',
      )
      const unprotected = createLegacyTx(
        { nonce: 0n, gasLimit: 21_000n, gasPrice: 2n * GWEI, to: new Address(new Uint8Array(20)) },
        { common: createRules({ chainId: 31337n, hardfork: 'homestead' }) },
      ).sign(a)
      await expect(pool.add(unprotected.serialize())).rejects.toThrow(
        'only replay-protected (EIP-155) transactions allowed over RPC',
      )
      const open = await createPool()
      await expect(open.pool.add(unprotected.serialize())).resolves.toMatchObject({ sender: addressOf(a) })
    })

    it('other chains and forks', async () => {
      const { pool } = await createPool()
      const elsewhere = createFeeMarket1559Tx(
        { chainId: 5n, gasLimit: 21_000n, maxFeePerGas: GWEI, to: new Address(new Uint8Array(20)) },
        { common: createRules({ chainId: 5n, hardfork: 'osaka' }) },
      ).sign(a)
      await expect(pool.add(elsewhere.serialize())).rejects.toThrow(
        'invalid sender: invalid chain id for signer: have 5 want 31337',
      )
      const berlin = new Mempool(createSingleForkSchedule({ chainId: 31337n, hardfork: 'berlin' }))
      await berlin.reset(new TestState(), testBlock)
      await expect(berlin.add(sign(a, {}))).rejects.toThrow(
        'transaction type not supported: type 2 rejected, pool not yet in London',
      )
      const capped = new Mempool(
        createSingleForkSchedule({ chainId: 31337n, hardfork: 'osaka', transactionGasLimitCap: true }),
      )
      await capped.reset(new TestState(), testBlock)
      await expect(capped.add(sign(a, { gasLimit: 16_777_217n }))).rejects.toThrow(
        'transaction gas limit too high (cap: 16777216, tx: 16777217)',
      )
    })
  })
})
