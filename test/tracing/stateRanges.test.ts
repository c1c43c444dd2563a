import { keccak256, numberToHex, pad, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

interface DumpedAccount {
  balance: string
  nonce: number
  root: Hex
  codeHash: Hex
  code?: Hex
  storage?: Record<Hex, string>
  address: Hex
  key: Hex
}

interface Dump {
  root: string
  accounts: Record<string, DumpedAccount>
  next?: Hex
}

/** Runtime code that stores the first word of its call data in the slot given by the second. */
const writer = '0x5f35602035555f5ff3'
const contract = `0x${'c0de'.repeat(10)}`
const recipient = `0x${'ab'.repeat(20)}`

let node: StandinNode
let from: Hex
const call = <T>(method: string, ...params: unknown[]): Promise<T> =>
  node.request(method, params) as Promise<T>

beforeAll(async () => {
  node = await createNode({ port: 0 })
  from = (node.accounts[0]?.address ?? '0x').toLowerCase() as Hex
  await call('anvil_setCode', contract, writer)
  await call('eth_sendTransaction', { from, to: recipient, value: '0x7' })
  await call('evm_setAutomine', false)
  for (const [value, slot] of [
    [5n, 1n],
    [6n, 2n],
  ] as const) {
    const data = `${pad(numberToHex(value))}${pad(numberToHex(slot)).slice(2)}`
    await call('eth_sendTransaction', { from, to: contract, data, gas: '0x20000' })
  }
  await call('evm_mine')
})
afterAll(() => node.stop())

describe('a state', () => {
  it('is dumped by account, with code and storage', async () => {
    const dump = await call<Dump>('debug_dumpBlock', 'latest')
    const { stateRoot } = await call<{ stateRoot: Hex }>('eth_getBlockByNumber', 'latest', false)
    expect(`0x${dump.root}`).toBe(stateRoot)
    const accounts = Object.values(dump.accounts)
    const dumped = accounts.find(({ address }) => address === contract)
    expect(dumped).toMatchObject({
      balance: '0',
      nonce: 0,
      code: writer,
      codeHash: keccak256(writer),
      key: keccak256(contract as Hex),
      storage: { [pad('0x1')]: '05', [pad('0x2')]: '06' },
    })
    expect(accounts.find(({ address }) => address === recipient)).toMatchObject({ balance: '7', nonce: 0 })
    expect(accounts.find(({ address }) => address === from)).toMatchObject({ nonce: 3 })
  })

  it('is listed page by page in order of hashed addresses', async () => {
    const all = await call<Dump>('debug_accountRange', 'latest', '0x', 256, true, true, false)
    const keys = Object.values(all.accounts)
      .map(({ key }) => key)
      .sort()
    const paged: Hex[] = []
    for (let start: Hex | undefined = '0x'; start !== undefined;) {
      const page: Dump = await call<Dump>('debug_accountRange', 'latest', start, 3, true, true, false)
      paged.push(
        ...Object.values(page.accounts)
          .map(({ key }) => key)
          .sort(),
      )
      start = page.next
    }
    expect(paged).toEqual(keys)
    expect(keys.length).toBeGreaterThan(10)
    expect(
      Object.values(all.accounts).every((account) => !('code' in account) && !('storage' in account)),
    ).toBe(true)
  })

  it.each([
    ['debug_accountRange', ['latest', '0x', 256, true, false, false]],
    ['debug_storageRangeAt', ['latest', 0, contract, '0x', 256]],
    ['debug_getModifiedAccountsByNumber', [1, 2]],
  ])('is refused by %s if its listing is longer than an answer may be', async (method, params) => {
    await using small = await createNode({ port: 0, maxResponse: 100 })
    await small.request('anvil_setCode', [contract, writer])
    for (const slot of [1n, 2n]) {
      const data = `${pad('0x5')}${pad(numberToHex(slot)).slice(2)}`
      await small.request('eth_sendTransaction', [{ from, to: contract, data, gas: '0x20000' }])
    }
    await small.request('anvil_mine', [])
    await expect(small.request(method, params)).rejects.toMatchObject({
      code: -32003,
      message: 'response too large',
    })
  })

  it('are compared with those of an earlier block', async () => {
    const inLast = await call<Hex[]>('debug_getModifiedAccountsByNumber', 2)
    expect(inLast).toContain(from)
    expect(inLast).toContain(contract)
    expect(inLast).not.toContain(recipient)
    expect(inLast.map((address) => keccak256(address))).toEqual(
      inLast.map((address) => keccak256(address)).sort(),
    )
    expect(await call('debug_getModifiedAccountsByNumber', 0, 2)).toContain(recipient)
    const hashes = await Promise.all(
      ['0x0', '0x1'].map(
        async (number) => (await call<{ hash: Hex }>('eth_getBlockByNumber', number, false)).hash,
      ),
    )
    expect(await call('debug_getModifiedAccountsByHash', hashes[0], hashes[1])).toContain(recipient)
    await expect(call('debug_getModifiedAccountsByNumber', 2, 1)).rejects.toThrow(
      'start block height (2) must be less than end block height (1)',
    )
    await expect(call('debug_getModifiedAccountsByNumber', 0)).rejects.toThrow('block 0 has no parent')
  })

  it('has a root after each transaction, the last being that of the block', async () => {
    const { hash, stateRoot } = await call<{ hash: Hex; stateRoot: Hex }>(
      'eth_getBlockByNumber',
      '0x2',
      false,
    )
    const roots = await call<Hex[]>('debug_intermediateRoots', hash)
    expect(roots).toHaveLength(2)
    expect(roots[1]).toBe(stateRoot)
    expect(roots[0]).not.toBe(stateRoot)
  })

  it('has preimages of its hashed addresses and slots', async () => {
    expect(await call('debug_preimage', keccak256(contract as Hex))).toBe(contract)
    expect(await call('debug_preimage', keccak256(pad('0x2')))).toBe(pad('0x2'))
    await expect(call('debug_preimage', keccak256('0x1234'))).rejects.toThrow('unknown preimage')
  })

  it('is accessible after every block; tags mean the head, as in geth 1.17.10', async () => {
    const head = Number(await call<Hex>('eth_blockNumber'))
    expect(await call('debug_getAccessibleState', '0x1', 'latest')).toBe(1)
    expect(await call('debug_getAccessibleState', 'earliest', '0x0')).toBe(head)
    await expect(call('debug_getAccessibleState', 'latest', 'pending')).rejects.toMatchObject({
      code: -32000,
      message: 'from and to needs to be different',
    })
    await expect(call('debug_getAccessibleState', '0x99', '0x1')).rejects.toMatchObject({
      code: -32000,
      message: 'missing header 153',
    })
  })
})

describe('ERC-7562 validation', () => {
  it('is traced with slots, opcodes and hashed bytes', async () => {
    // SLOAD of slot 1, GAS before POP, KECCAK256 of a word, EXTCODESIZE of the recipient.
    const code = '0x600154505a5060205f2050' + `73${recipient.slice(2)}3b50` + '00'
    const result = await call<Record<string, unknown>>('debug_traceCall', { from, to: contract }, 'latest', {
      tracer: 'erc7562Tracer',
      stateOverrides: { [contract]: { code } },
    })
    expect(result).toMatchObject({
      type: 'CALL',
      accessedSlots: {
        reads: { [pad('0x1')]: [pad('0x5')] },
        writes: {},
        transientReads: {},
        transientWrites: {},
      },
      extCodeAccessInfo: [recipient],
      contractSize: { [recipient]: { contractSize: 0, opcode: 0x3b } },
      usedOpcodes: { '0x54': 1, '0x5a': 1, '0x20': 1, '0x3b': 1, '0x0': 1 },
      keccak: [pad('0x')],
      outOfGas: false,
    })
    const preimages = await call('debug_traceCall', { from, to: contract }, 'latest', {
      tracer: 'keccak256PreimageTracer',
      stateOverrides: { [contract]: { code } },
    })
    expect(preimages).toEqual({ [keccak256(pad('0x'))]: pad('0x') })
  })
})
