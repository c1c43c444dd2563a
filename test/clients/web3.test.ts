import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { encodeRlp, keccak256, toBeHex } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'
import { verifyMerkleProof } from '../support/merkleProof.js'
import { until } from '../support/until.js'

type Receipt = Record<'status' | 'type' | 'blockNumber', bigint>
interface Subscription {
  on(event: 'data', listener: (item: { returnValues: Record<string, unknown>; number: bigint }) => void): void
  unsubscribe(): Promise<void>
}
interface Call {
  call(options: object): Promise<unknown>
  send(options: object): Promise<Receipt>
}
interface Contract {
  options: { address: string }
  methods: Record<string, (...values: unknown[]) => Call>
  events: { Transfer(): Subscription }
  deploy(options: object): { send(options: object): Promise<Contract> }
  getPastEvents(name: string, range: object): Promise<{ returnValues: Record<string, unknown> }[]>
}
interface Proof {
  balance: bigint
  nonce: bigint
  codeHash: string
  storageHash: string
  accountProof: string[]
}
interface Web3 {
  currentProvider: { disconnect(): void }
  eth: {
    accounts: { wallet: { add(key: string): { get(index: number): { address: string } } } }
    Contract: new (abi: unknown) => Contract
    getProof(address: string, slots: string[], block: bigint): Promise<Proof>
    getBlock(block: bigint): Promise<{ stateRoot: string }>
    subscribe(kind: 'newBlockHeaders'): Promise<Subscription>
  }
}

function installed(): (new (url: string) => Web3) | undefined {
  try {
    const require = createRequire(resolve('test/peers/package.json'))
    return (require('web3') as { Web3: new (url: string) => Web3 }).Web3
  } catch {
    console.warn('skipped: web3.js 4; npm install --prefix test/peers')
    return undefined
  }
}

const Client = installed()
const token = readArtifact('Token')
const reverter = readArtifact('Reverter')

describe.skipIf(Client === undefined).each(['http', 'webSocket'] as const)(
  'web3.js 4 over %s',
  (transport) => {
    let node: Awaited<ReturnType<typeof createNode>>
    let web3: Web3
    let contract: Contract
    let from: string
    let recipient: string

    beforeAll(async () => {
      if (Client === undefined) return
      node = await createNode({ port: 0, ipfsPort: 0 })
      web3 = new Client(transport === 'http' ? node.url : node.wsUrl)
      from = web3.eth.accounts.wallet.add(node.accounts[0]?.privateKey ?? '').get(0).address
      recipient = node.accounts[1]?.address ?? ''
      const deployment = { data: token.bytecode, arguments: ['Example', 'EXA', 1000] }
      contract = await new web3.eth.Contract(token.abi).deploy(deployment).send({ from })
    })
    afterAll(async () => {
      if (transport === 'webSocket') web3.currentProvider.disconnect()
      await node.stop()
    })

    const transfer = (amount: number, options: object = {}): Promise<Receipt> =>
      call('transfer', recipient, amount).send({ from, ...options })
    function call(name: string, ...values: unknown[]): Call {
      const method = contract.methods[name]
      if (method === undefined) throw new Error(`${name} is no method`)
      return method(...values)
    }

    it('sends all its transaction types and reads their logs', async () => {
      for (const [type, options] of [
        [0n, { type: '0x0' }],
        [1n, { type: '0x1', accessList: [] }],
        [2n, { type: '0x2' }],
        [2n, {}],
      ] as const) {
        expect(await transfer(1, options)).toMatchObject({ status: 1n, type })
      }
      expect(await call('balanceOf', recipient).call({})).toBe(4n)
      const events = await contract.getPastEvents('Transfer', { fromBlock: 0 })
      expect(events.map(({ returnValues }) => returnValues['value'])).toEqual([1000n, 1n, 1n, 1n, 1n])
    })

    it('decodes the reasons of reverts', async () => {
      await expect(call('transfer', recipient, 99_999).call({ from })).rejects.toMatchObject({
        cause: { errorName: 'ERC20InsufficientBalance', errorArgs: { needed: 99_999n } },
      })
      await expect(transfer(99_999)).rejects.toMatchObject({ name: 'ContractExecutionError' })
      await expect(transfer(99_999, { gas: 100_000 })).rejects.toMatchObject({
        name: 'TransactionRevertedWithoutReasonError',
        receipt: { status: 0n },
      })
      const failing = await new web3.eth.Contract(reverter.abi)
        .deploy({ data: reverter.bytecode })
        .send({ from })
      await expect(failing.methods['revertWithReason']?.('not today').call({})).rejects.toMatchObject({
        cause: { errorName: 'Error', errorArgs: { message: 'not today' } },
      })
    })

    it('verifies the proof of an account', async () => {
      const { blockNumber } = await transfer(1)
      const { stateRoot } = await web3.eth.getBlock(blockNumber)
      const proof = await web3.eth.getProof(from, [`0x${'00'.repeat(32)}`], blockNumber)
      const account = encodeRlp([
        toBeHex(proof.nonce),
        toBeHex(proof.balance),
        proof.storageHash,
        proof.codeHash,
      ])
      expect(verifyMerkleProof(stateRoot, keccak256(from), proof.accountProof)).toBe(account)
    })

    if (transport === 'http') return

    it('subscribes to heads and events', async () => {
      const heads: bigint[] = []
      const values: unknown[] = []
      const subscription = await web3.eth.subscribe('newBlockHeaders')
      subscription.on('data', ({ number }) => heads.push(number))
      const events = contract.events.Transfer()
      events.on('data', ({ returnValues }) => values.push(returnValues['value']))
      // The event subscription is created behind a promise that is not returned.
      await until(async () => {
        await transfer(7)
        return values.length > 1
      })
      expect(new Set(values)).toEqual(new Set([7n]))
      expect(heads.length).toBeGreaterThan(1)
      expect(heads).toEqual(heads.map((_, index) => (heads[0] ?? 0n) + BigInt(index)))
      await subscription.unsubscribe()
    })
  },
)
