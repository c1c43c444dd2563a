import { encodeDeployData, encodeFunctionData, keccak256, numberToHex, pad, parseEther, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { readArtifact } from '../support/artifacts.js'
import { refusalOf, startDevnet, stopAll } from './support.js'

afterEach(stopAll)

const someone: Hex = `0x${'51'.repeat(20)}`
const token = readArtifact('Token')

describe('edits of the state', () => {
  test.each(['anvil', 'hardhat', 'ganache', 'tenderly'])('under the names of %s', async (name) => {
    const { call } = await startDevnet()
    const done = name === 'hardhat' || name === 'ganache' ? true : null
    expect(await call(`${name}_setBalance`, someone, '0x1234')).toBe(done)
    expect(await call(`${name}_setNonce`, someone, 7)).toBe(done)
    expect(await call(`${name}_setCode`, someone, '0x6001')).toBe(done)
    expect(await call(`${name}_setStorageAt`, someone, '0x2', pad('0x99'))).toBe(true)
    expect(await call('eth_getBalance', someone, 'latest')).toBe('0x1234')
    expect(await call('eth_getTransactionCount', someone, 'latest')).toBe('0x7')
    expect(await call('eth_getCode', someone, 'latest')).toBe('0x6001')
    expect(await call('eth_getStorageAt', someone, '0x2', 'latest')).toBe(pad('0x99'))
    expect(await call('eth_blockNumber')).toBe('0x0')
  })

  test('accept every form of a number, and refuse values out of range', async () => {
    const { call } = await startDevnet()
    for (const [given, balance] of [
      [5, 5n],
      ['0x05', 5n],
      ['7', 7n],
      ['0x', 0n],
    ] as const) {
      await call('anvil_setBalance', someone, given)
      expect(BigInt(await call<Hex>('eth_getBalance', someone, 'latest'))).toBe(balance)
    }
    expect((await refusalOf(call('anvil_setBalance', someone, `0x1${'0'.repeat(64)}`))).code).toBe(-32602)
    expect((await refusalOf(call('anvil_setStorageAt', someone, '0x0', '0x01'))).code).toBe(-32602)
  })

  test('add to a balance up to the largest number', async () => {
    const { call } = await startDevnet()
    await call('anvil_setBalance', someone, numberToHex(2n ** 256n - 3n))
    await call('anvil_addBalance', someone, 10)
    expect(BigInt(await call<Hex>('eth_getBalance', someone, 'latest'))).toBe(2n ** 256n - 1n)
  })

  test('persist in the next block and are proven by its root', async () => {
    const { call, block } = await startDevnet()
    await call('anvil_setBalance', someone, 5)
    await call('evm_mine')
    const { number } = await block()
    const proof = await call<{ accountProof: Hex[]; balance: Hex }>('eth_getProof', someone, [], number)
    const { stateRoot } = await block()
    expect(proof.balance).toBe('0x5')
    expect(keccak256(proof.accountProof[0] as Hex)).toBe(stateRoot)
  })

  test('of ganache set a slot to a short value', async () => {
    const { call } = await startDevnet()
    expect(await call('evm_setAccountStorageAt', someone, pad('0x1'), '0x05')).toBe(true)
    expect(await call('eth_getStorageAt', someone, '0x1', 'latest')).toBe(pad('0x5'))
    expect(await call('evm_setAccountBalance', someone, '0x9')).toBe(true)
    expect(await call('evm_setAccountNonce', someone, '0x9')).toBe(true)
    expect(await call('evm_setAccountCode', someone, '0x00')).toBe(true)
  })
})

describe('tokens', () => {
  const read = (functionName: string, ...args: unknown[]) => ({
    data: encodeFunctionData({ abi: token.abi, functionName, args }),
  })

  test('are dealt, and allowances set', async () => {
    const { call, send, from, to } = await startDevnet()
    const data = encodeDeployData({ ...token, args: ['Example', 'EXA', 100n] })
    const { contractAddress } = await send({ data })
    const amount = parseEther('12')
    expect(await call('anvil_dealERC20', someone, contractAddress, numberToHex(amount))).toBeNull()
    const balance = await call<Hex>(
      'eth_call',
      { to: contractAddress, ...read('balanceOf', someone) },
      'latest',
    )
    expect(BigInt(balance)).toBe(amount)
    expect(await call('anvil_setERC20Allowance', from, to, contractAddress, 77)).toBeNull()
    const allowance = await call<Hex>(
      'eth_call',
      { to: contractAddress, ...read('allowance', from, to) },
      'latest',
    )
    expect(BigInt(allowance)).toBe(77n)
    expect(await refusalOf(call('anvil_dealERC20', someone, someone, 1))).toEqual({
      code: -32603,
      message: 'Unable to set ERC20 balance, no slot found',
    })
  })

  test('are not dealt if finding their balance takes more slots than are tried', async () => {
    const { call } = await startDevnet()
    // Reads slots from 0 up to a last one, and returns that: PUSH0 JUMPDEST DUP1 SLOAD POP PUSH1 1 ADD PUSH2 last DUP2
    // LT PUSH1 1 JUMPI SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN.
    const reading = (last: number) =>
      `0x5f5b805450600101${numberToHex(last, { size: 2 }).replace('0x', '61')}8110600157545f5260205ff3`
    await call('anvil_setCode', someone, reading(63))
    expect(await call('anvil_dealERC20', someone, someone, 5)).toBeNull()
    expect(await call('eth_call', { to: someone }, 'latest')).toBe(pad('0x5'))
    await call('anvil_setCode', someone, reading(1000))
    expect(await refusalOf(call('anvil_dealERC20', someone, someone, 6))).toMatchObject({ code: -32603 })
  })
})
