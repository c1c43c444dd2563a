import { type Address, createPublicClient, createWalletClient, http, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterEach, expect, test } from 'vitest'
import { startDevnet, stopAll } from './support.js'

afterEach(stopAll)

/** Key of the first account of the default phrase. */
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const reverting: Address = `0x${'c0'.repeat(20)}`
/** An address without code. */
const someone: Address = `0x${'99'.repeat(20)}`

test('a delegation that a message revokes does not run in that message (EIP-7702)', async () => {
  const { node, call } = await startDevnet()
  await call('anvil_setCode', reverting, '0x60006000fd')
  const transport = http(node.url)
  const wallet = createWalletClient({ account, chain: hardhat, transport })
  const client = createPublicClient({ chain: hardhat, transport })
  const sign = (contractAddress: Address) => wallet.signAuthorization({ contractAddress, executor: 'self' })
  await wallet.sendTransaction({ to: someone, authorizationList: [await sign(reverting)] })
  expect(await client.getDelegation({ address: account.address })).toMatch(/^0xc0c0/i)
  await expect(client.call({ to: account.address })).rejects.toThrow('reverted')

  const taken = { account, to: account.address, authorizationList: [await sign(zeroAddress)] }
  expect(await client.call(taken)).toEqual({ data: undefined })
  const hash = await wallet.sendTransaction({ ...taken, gas: 100_000n })
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  expect(await client.getCode({ address: account.address })).toBeUndefined()
})
