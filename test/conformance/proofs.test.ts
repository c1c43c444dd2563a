import { encodeRlp, keccak256, toBeHex, zeroPadValue } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { verifyMerkleProof } from '../support/merkleProof.js'
import { recordedCases, startImported, type ImportedNode } from './support/chain.js'

interface Proof {
  accountProof: string[]
  balance: string
  codeHash: string
  nonce: string
  storageHash: string
  storageProof: { key: string; value: string; proof: string[] }[]
}

interface Block {
  number: string
  hash: string
  stateRoot: string
  miner: string
  transactions: { from: string; to: string | null; hash: string }[]
}

const NO_CODE = keccak256('0x')
const NO_TRIE = keccak256('0x80')
const ZERO_HASH = `0x${'00'.repeat(32)}`

/** Encodes a hex quantity as an RLP integer. */
function rlpNumber(quantity: string): string {
  const value = BigInt(quantity)
  return value === 0n ? '0x' : toBeHex(value)
}

/** Verifies the proof of an account and its slots against the state root. @returns whether the account exists */
function verify(stateRoot: string, address: string, slots: readonly string[], proof: Proof): boolean {
  const value = verifyMerkleProof(stateRoot, keccak256(address), proof.accountProof)
  if (value === undefined) {
    expect([proof.balance, proof.nonce, proof.codeHash, proof.storageHash]).toEqual([
      '0x0',
      '0x0',
      ZERO_HASH,
      ZERO_HASH,
    ])
  } else {
    const { nonce, balance, storageHash, codeHash } = proof
    expect(value).toBe(encodeRlp([rlpNumber(nonce), rlpNumber(balance), storageHash, codeHash]))
  }
  expect(proof.storageProof).toHaveLength(slots.length)
  proof.storageProof.forEach((slotProof, index) => {
    const slot = slots[index] ?? ''
    expect(BigInt(slotProof.key)).toBe(BigInt(slot))
    if (value === undefined || proof.storageHash === NO_TRIE) {
      expect(slotProof).toMatchObject({ value: '0x0', proof: [] })
      return
    }
    const stored = verifyMerkleProof(proof.storageHash, keccak256(slot), slotProof.proof)
    expect(stored ?? encodeRlp('0x')).toBe(encodeRlp(rlpNumber(slotProof.value)))
  })
  return value !== undefined
}

async function blocksOf(node: StandinNode): Promise<Block[]> {
  const head = Number(await node.request('eth_blockNumber'))
  return Promise.all(
    Array.from(
      { length: head + 1 },
      (_, number) => node.request('eth_getBlockByNumber', [toQuantity(number), true]) as Promise<Block>,
    ),
  )
}

function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}

function word(number: number): string {
  return zeroPadValue(toBeHex(number), 32)
}

describe.skipIf(recordedCases === undefined)('the recorded chain (skipped if absent)', () => {
  let imported: ImportedNode
  beforeAll(async () => {
    imported = await startImported()
  })
  afterAll(() => imported.remove())

  test('proves every account and its slots at every block against the header', async () => {
    const { node } = imported
    const blocks = await blocksOf(node)
    const addresses = new Set<string>(['0xc1cadaffffffffffffffffffffffffffffffffff'])
    for (const { number, miner, transactions } of blocks) {
      addresses.add(miner)
      for (const { from, to } of transactions) addresses.add(from).add(to ?? from)
      const receipts = (await node.request('eth_getBlockReceipts', [number])) as {
        contractAddress: string | null
      }[]
      for (const { contractAddress } of receipts) if (contractAddress !== null) addresses.add(contractAddress)
    }
    for (const genesisAccount of [
      '0x8bebc8ba651aee624937e7d897853ac30c95a067',
      '0x0000f90827f1c53a10cb7a02335b175320002935',
    ]) {
      addresses.add(genesisAccount)
    }
    const slots = [0, 1, 2, 3, 5, 0x24, 500].map(word)
    const seen = { present: 0, absent: 0, values: 0, empty: 0 }
    for (const { number, stateRoot } of blocks) {
      for (const address of addresses) {
        const proof = (await node.request('eth_getProof', [address, slots, number])) as Proof
        if (verify(stateRoot, address, slots, proof)) seen.present++
        else seen.absent++
        for (const { value } of proof.storageProof) seen[value === '0x0' ? 'empty' : 'values']++
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50)
  })
})

/** Stores 7 in slot 0 and deploys code that self-destructs on every call. */
const INIT_CODE = '0x60076000556133ff6000526002601ef3'
const CREATE2_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const SALT = '00'.repeat(32)

test('an account that is deleted and recreated has valid proofs at every block', async () => {
  await using node = await createNode({ port: 0, hardfork: 'london' })
  const [{ address: from } = { address: '0x' }] = node.accounts
  const contract = `0x${keccak256(`0xff${CREATE2_PROXY.slice(2)}${SALT}${keccak256(INIT_CODE).slice(2)}`).slice(26)}`
  const send = (transaction: object) =>
    node.request('eth_sendTransaction', [{ from, gas: '0x30d40', ...transaction }])
  const create = () => send({ to: CREATE2_PROXY, data: `0x${SALT}${INIT_CODE.slice(2)}` })
  const destroy = () => send({ to: contract })
  for (const step of [create, destroy, create, destroy]) await step()
  await send({ to: contract, value: '0x5' })
  await create()
  const slots = [0, 1].map(word)
  const life: [boolean, string, string][] = []
  for (const { number, stateRoot } of await blocksOf(node)) {
    const proof = (await node.request('eth_getProof', [contract, slots, number])) as Proof
    const exists = verify(stateRoot, contract, slots, proof)
    life.push([
      exists,
      proof.storageProof[0]?.value ?? '',
      proof.codeHash === NO_CODE ? 'no code' : proof.balance,
    ])
  }
  expect(life).toEqual([
    [false, '0x0', '0x0'],
    [true, '0x7', '0x0'],
    [false, '0x0', '0x0'],
    [true, '0x7', '0x0'],
    [false, '0x0', '0x0'],
    [true, '0x0', 'no code'],
    [true, '0x7', '0x5'],
  ])
})
