import { getProof } from 'viem/actions'
import { createClient, http, keccak256, numberToHex, type Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll } from './support.js'

afterEach(stopAll)

const contract: Hex = `0x${'c0'.repeat(20)}`
const stranger: Hex = `0x${'51'.repeat(20)}`
// keccak-256 of nothing, and of the RLP of an empty string.
const emptyCode = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
const emptyTrie = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

test("eth_getAccount and eth_getAccountInfo return an account's state", async () => {
  const { node, call, from } = await startDevnet()
  const code = '0x6001600255'
  // Edits are visible at the head's number, so the first block must not be the head.
  await call('evm_mine')
  await call('anvil_setCode', contract, code)
  await call('anvil_setBalance', contract, '0x7')
  await call('anvil_setStorageAt', contract, '0x1', numberToHex(5, { size: 32 }))
  await call('evm_mine')
  const client = createClient({ transport: http(node.url) })
  const proof = await getProof(client, { address: contract, storageKeys: [] })
  expect(await call('eth_getAccount', contract, 'latest')).toEqual({
    nonce: '0x0',
    balance: '0x7',
    storageRoot: proof.storageHash,
    codeHash: keccak256(code),
  })
  expect(proof.storageHash).not.toBe(emptyTrie)
  expect(await call('eth_getAccountInfo', contract)).toEqual({ balance: '0x7', nonce: '0x0', code })
  expect(await call('eth_getAccountInfo', contract, '0x0')).toEqual({
    balance: '0x0',
    nonce: '0x0',
    code: '0x',
  })
  expect(await call('eth_getAccount', stranger)).toEqual({
    nonce: '0x0',
    balance: '0x0',
    storageRoot: emptyTrie,
    codeHash: emptyCode,
  })
  expect(await call('eth_getAccount', from)).toMatchObject({ balance: numberToHex(10n ** 22n) })
})

test('debug_codeByHash finds code by its hash in any account', async () => {
  const { call, send } = await startDevnet()
  // Deploys the single byte 0x5b.
  await send({ data: '0x605b60005360016000f3', gas: '0x20000' })
  expect(await call('debug_codeByHash', keccak256('0x5b'))).toBe('0x5b')
  expect(await call('debug_codeByHash', keccak256('0x5b'), 'latest')).toBe('0x5b')
  expect(await call('debug_codeByHash', keccak256('0x5c'))).toBe('0x')
  expect(await call('debug_codeByHash', emptyCode)).toBe('0x')
})

test('eth_networkId returns the network id', async () => {
  const { call } = await startDevnet({ chainId: 1337n })
  expect(await call('eth_networkId')).toBe('1337')
})

test.each(['eth_submitHashrate', 'eth_signTypedData_v3', 'eth_compileSolidity'])(
  '%s does not exist, as in geth and hardhat',
  async (method) => {
    const { call } = await startDevnet()
    expect(await refusalOf(call(method))).toMatchObject({ code: -32601 })
  },
)
