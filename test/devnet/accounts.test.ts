import {
  createWalletClient,
  http,
  recoverTransactionAddress,
  type Hex,
  type TransactionSerialized,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Receipt } from './support.js'

afterEach(stopAll)

const stranger: Hex = `0x${'51'.repeat(20)}`
const other: Hex = `0x${'52'.repeat(20)}`
const ether = '0xde0b6b3a7640000'

describe('impersonation', () => {
  test('accepts transactions of an account until impersonation stops', async () => {
    const { call, send, to } = await startDevnet()
    await call('anvil_setBalance', stranger, ether)
    expect(await refusalOf(send({ from: stranger, to }))).toEqual({
      code: -32000,
      message: 'unknown account',
    })
    expect(await call('hardhat_impersonateAccount', stranger)).toBe(true)
    expect((await send({ from: stranger, to, value: '0x1' })).from).toBe(stranger)
    expect(await call<Hex[]>('eth_accounts')).toContain(stranger)
    expect((await refusalOf(call('eth_sign', stranger, '0x'))).message).toBe('unknown account')
    expect(await call('hardhat_stopImpersonatingAccount', stranger)).toBe(true)
    expect(await call('hardhat_stopImpersonatingAccount', stranger)).toBe(false)
    expect(await call('anvil_stopImpersonatingAccount', stranger)).toBeNull()
    expect((await refusalOf(send({ from: stranger, to }))).code).toBe(-32000)
  })

  test('works for contracts, although they cannot sign', async () => {
    const { call, send, to } = await startDevnet()
    await call('anvil_setBalance', stranger, ether)
    await call('anvil_setCode', stranger, '0x00')
    await call('anvil_impersonateAccount', stranger)
    expect((await send({ from: stranger, to, value: '0x1' })).status).toBe('0x1')
  })

  test('of all accounts needs no addresses', async () => {
    const { call, send, to } = await startDevnet({ autoImpersonate: true })
    await call('anvil_setBalance', stranger, ether)
    expect((await send({ from: stranger, to })).status).toBe('0x1')
    await call('anvil_autoImpersonateAccount', false)
    expect((await refusalOf(send({ from: stranger, to }))).code).toBe(-32000)
  })

  test('gives equal transactions of two accounts two hashes, which survive a round trip', async () => {
    const { call, to } = await startDevnet({ autoImpersonate: true })
    const hashes: Hex[] = []
    for (const from of [stranger, other]) {
      await call('anvil_setBalance', from, ether)
      hashes.push(await call<Hex>('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' }))
    }
    expect(new Set(hashes).size).toBe(2)
    const raw = await call<TransactionSerialized>('eth_getRawTransactionByHash', hashes[0])
    expect(await recoverTransactionAddress({ serializedTransaction: raw })).not.toBe(stranger)
  })

  test('is what eth_sendUnsignedTransaction does for one transaction', async () => {
    const { call, to } = await startDevnet()
    await call('anvil_setBalance', stranger, ether)
    const hash = await call<Hex>('eth_sendUnsignedTransaction', { from: stranger, to, value: '0x2' })
    expect(await call<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({
      from: stranger,
      status: '0x1',
    })
  })

  test('of ganache adds and removes accounts', async () => {
    const { call, send, to } = await startDevnet({ compat: 'ganache' })
    await call('evm_setAccountBalance', stranger, ether)
    expect(await call('evm_addAccount', stranger, '')).toBe(true)
    expect(await call('evm_addAccount', stranger, '')).toBe(false)
    expect(await call('personal_unlockAccount', stranger, '', 0)).toBe(true)
    expect((await send({ from: stranger, to })).status).toBe('0x1')
    expect(await call('evm_removeAccount', stranger, '')).toBe(true)
    expect(await call('evm_removeAccount', stranger, '')).toBe(false)
  })
})

describe('keys', () => {
  test('can be created and imported', async () => {
    const { call, send, to } = await startDevnet()
    // The first test account of hardhat and anvil has this address and key.
    const key = '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d'
    const address = '0x90f8bf6a479f320ead074411a4b0e7944ea8c9c1'
    expect(await call('personal_importRawKey', key, 'pw')).toBe(address)
    const made = await call<Hex>('personal_newAccount', 'pw')
    expect(await call<Hex[]>('personal_listAccounts')).toEqual(expect.arrayContaining([address, made]))
    await call('anvil_setBalance', made, ether)
    expect((await send({ from: made, to })).status).toBe('0x1')
    expect((await refusalOf(call('personal_importRawKey', '0x12', 'pw'))).code).toBe(-32602)
    for (const [key, message] of [
      ['0'.repeat(64), 'invalid private key, zero or negative'],
      ['f'.repeat(64), 'invalid private key, >=N'],
    ]) {
      expect(await refusalOf(call('personal_importRawKey', key, 'pw'))).toMatchObject({
        code: -32000,
        message,
      })
    }
  })
})

describe('the mempool', () => {
  test('drops transactions by hash, by account, or all of them', async () => {
    const { call, from, to } = await startDevnet({ noMining: true })
    const hash = await call<Hex>('eth_sendTransaction', { from, to })
    await call('eth_sendTransaction', { from, to })
    await call('eth_sendTransaction', { from: to, to: from })
    const waiting = async () => (await call<{ hash: Hex }[]>('eth_pendingTransactions')).length
    expect(await waiting()).toBe(3)
    const unknown = `0x${'00'.repeat(32)}`
    expect(await call('anvil_dropTransaction', unknown)).toBeNull()
    expect(await call('hardhat_dropTransaction', unknown)).toBe(false)
    expect(await call('anvil_dropTransaction', hash)).toBe(hash)
    expect(await waiting()).toBe(2)
    expect(await call('anvil_removePoolTransactions', from)).toBeNull()
    expect(await waiting()).toBe(1)
    expect(await call('hardhat_dropAllTransactions')).toBe(true)
    expect(await call('debug_clearTxpool')).toBeNull()
    const mined = await call<Hex>('eth_sendTransaction', { from, to })
    await call('evm_mine')
    // hardhat 2.29.1
    const message = `Transaction ${mined} cannot be dropped because it's already mined`
    expect(await refusalOf(call('hardhat_dropTransaction', mined))).toEqual({ code: -32602, message })
    expect(await call('anvil_dropTransaction', mined)).toBeNull()
    expect(await waiting()).toBe(0)
  })

  test('waits for the receipt of a synchronous send', async () => {
    const { call, from, to } = await startDevnet()
    expect(await call<Receipt>('eth_sendTransactionSync', { from, to })).toMatchObject({ status: '0x1' })
    await call('evm_setAutomine', false)
    const waiting = call<Receipt>('eth_sendTransactionSync', { from, to })
    await call('eth_chainId')
    await call('evm_mine')
    expect((await waiting).blockNumber).toBe('0x2')
    const late = await refusalOf(call('eth_sendTransactionSync', { from, to }, 10))
    expect(late.code).toBe(4)
  })

  test('finds mined transactions by sender and nonce', async () => {
    const { call, from, to } = await startDevnet()
    const hashes: Hex[] = []
    for (let nonce = 0; nonce < 5; nonce++) hashes.push(await call<Hex>('eth_sendTransaction', { from, to }))
    for (const [nonce, hash] of hashes.entries()) {
      expect(await call('eth_getTransactionBySenderAndNonce', from, nonce)).toMatchObject({ hash })
      expect(await call('ots_getTransactionBySenderAndNonce', from, nonce)).toBe(hash)
    }
    expect(await call('eth_getTransactionBySenderAndNonce', from, 5)).toBeNull()
  })

  test('finds them among others, and is not misled by the nonce of an authorization', async () => {
    const { node, call, from, to } = await startDevnet()
    const wallet = createWalletClient({
      account: privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'),
      chain: hardhat,
      transport: http(node.url),
    })
    expect(wallet.account.address).toBe(from)
    const authorization = await wallet.signAuthorization({ contractAddress: stranger, nonce: 3 })
    await call('evm_setAutomine', false)
    const hashes: Hex[] = []
    for (let nonce = 0; nonce < 5; nonce++) {
      await call('eth_sendTransaction', { from: to, to: from, gas: '0x5208' })
      const authorizationList = nonce === 1 ? { authorizationList: [authorization] } : {}
      hashes.push(await wallet.sendTransaction({ to: other, gas: 90_000n, nonce, ...authorizationList }))
    }
    await call('evm_mine')
    for (const [nonce, hash] of hashes.entries()) {
      expect(await call('ots_getTransactionBySenderAndNonce', from, nonce)).toBe(hash)
    }
    expect(await call('ots_getTransactionBySenderAndNonce', from, 5)).toBeNull()
  })
})

describe('information about the node', () => {
  test('follows the chain id, and names the run until a reset', async () => {
    const { call } = await startDevnet()
    const before = await call<{ instanceId: Hex; chainId: number }>('hardhat_metadata')
    expect(before.chainId).toBe(31337)
    expect(await call('anvil_setChainId', 5)).toBeNull()
    expect(await call('eth_chainId')).toBe('0x5')
    expect(await call('net_version')).toBe('5')
    expect(await call('anvil_metadata')).toMatchObject({ chainId: 5, instanceId: before.instanceId })
    await call('anvil_reset')
    expect((await call<{ instanceId: Hex }>('anvil_metadata')).instanceId).not.toBe(before.instanceId)
  })

  test('a transaction is signed for the chain id that was set', async () => {
    const { call, send, to } = await startDevnet()
    await call('anvil_setChainId', 77)
    // CHAINID PUSH0 SSTORE
    const contract: Hex = `0x${'61'.repeat(20)}`
    await call('anvil_setCode', contract, '0x465f55')
    expect((await send({ to })).status).toBe('0x1')
    await send({ to: contract })
    expect(Number(await call('eth_getStorageAt', contract, '0x0', 'latest'))).toBe(77)
  })

  test.each([
    ['anvil', /^anvil\//],
    ['hardhat', /^HardhatNetwork\//],
    ['ganache', /^Ganache\//],
    [undefined, /^Standin\//],
  ] as const)('begins as clients of %s expect', async (compat, beginning) => {
    const { call } = await startDevnet({ compat })
    expect(await call('web3_clientVersion')).toMatch(beginning)
  })

  test('is the requested one', async () => {
    const { call } = await startDevnet({ clientVersion: 'Geth/v1' })
    expect(await call('web3_clientVersion')).toBe('Geth/v1')
    expect(await call('anvil_nodeInfo')).toMatchObject({
      hardFork: 'Osaka',
      transactionOrder: 'fees',
      environment: { chainId: 31337, gasLimit: '0x1c9c380' },
      forkConfig: { forkUrl: null },
    })
  })
})
