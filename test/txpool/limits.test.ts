import { numberToHex, serializeTransaction, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TracedNode } from '../tracing/tracedNode.js'

// The messages are those of geth (core/txpool/errors.go, core/txpool/legacypool/legacypool.go).
const GAPPED = 'gapped-nonce tx from delegated accounts'
const IN_FLIGHT = 'in-flight transaction limit reached for delegated accounts'
const RESERVED = 'authority already reserved'
const DELEGATE: Hex = `0x${'22'.repeat(20)}`

let chain: TracedNode
let keys: Hex[]

beforeEach(async () => {
  chain = await TracedNode.start({ noMining: true })
  keys = chain.node.accounts.map(({ privateKey }) => privateKey)
})
afterEach(() => chain.stop())

function addressOf(index: number): Hex {
  return privateKeyToAccount(keys[index]!).address
}

/** Sends a transfer of one of the accounts. */
function send(index: number, nonce: number, gwei = 4): Promise<Hex> {
  const fee = numberToHex(BigInt(gwei) * 10n ** 9n)
  const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee, gas: '0x5208' }
  const to = addressOf(9)
  return chain.call('eth_sendTransaction', { from: addressOf(index), to, nonce: numberToHex(nonce), ...fees })
}

/** Sends a transaction of one account with an authorization of another (EIP-7702). */
async function delegate(sender: number, nonce: number, authority: number): Promise<Hex> {
  const authorization = await privateKeyToAccount(keys[authority]!).signAuthorization({
    chainId: 31337,
    address: DELEGATE,
    nonce: sender === authority ? nonce + 1 : 0,
  })
  const raw = await privateKeyToAccount(keys[sender]!).signTransaction(
    {
      type: 'eip7702',
      chainId: 31337,
      nonce,
      to: addressOf(9),
      gas: 100_000n,
      maxFeePerGas: 4n * 10n ** 9n,
      maxPriorityFeePerGas: 10n ** 9n,
      authorizationList: [authorization],
    },
    { serializer: serializeTransaction },
  )
  return chain.call('eth_sendRawTransaction', raw)
}

describe('limits of delegated accounts', () => {
  it('are one executable transaction, which may be replaced', async () => {
    await chain.call('anvil_setCode', addressOf(1), `0xef0100${DELEGATE.slice(2)}`)
    await expect(send(1, 1)).rejects.toThrow(GAPPED)
    await send(1, 0)
    await expect(send(1, 1)).rejects.toThrow(IN_FLIGHT)
    await expect(send(1, 5)).rejects.toThrow(IN_FLIGHT)
    const replacement = await send(1, 0, 8)
    await chain.call('evm_mine')
    expect(await chain.call('eth_getTransactionReceipt', replacement)).toMatchObject({ status: '0x1' })
    await send(1, 1)
  })

  it('hold for the authority of a pooled authorization', async () => {
    const first = await delegate(0, 0, 1)
    await expect(send(1, 1)).rejects.toThrow(GAPPED)
    await send(1, 0)
    await expect(send(1, 1)).rejects.toThrow(IN_FLIGHT)
    await chain.call('anvil_dropTransaction', first)
    await send(1, 1)
  })

  it('hold for a sender that delegates its own account', async () => {
    await delegate(0, 0, 0)
    await expect(send(0, 1)).rejects.toThrow(IN_FLIGHT)
  })

  it('refuse an authorization of an account with two transactions', async () => {
    await send(1, 0)
    await delegate(0, 0, 1)
    await send(2, 0)
    await send(2, 1)
    await expect(delegate(3, 0, 2)).rejects.toThrow(RESERVED)
    await chain.call('evm_mine')
    await delegate(3, 0, 2)
  })

  it('drop nothing that was acknowledged, when a reorganisation returns it to the pool', async () => {
    await chain.call('evm_mine')
    const sent = [await send(1, 0), await send(1, 1)]
    await chain.call('evm_mine')
    await chain.call('anvil_setCode', addressOf(1), `0xef0100${DELEGATE.slice(2)}`)
    await chain.call('evm_mine')
    await chain.call('anvil_reorg', 2, [])
    expect(await chain.call('eth_pendingTransactions')).toMatchObject(sent.map((hash) => ({ hash })))
  })
})
