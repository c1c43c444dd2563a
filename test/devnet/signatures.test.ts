import { concatHex, encodeAbiParameters, hashMessage, pad, stringToHex, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll } from './support.js'

afterEach(stopAll)

const ecrecover = pad('0x1', { size: 20 })
const claimed: Hex = '0xab5801a7d398351b8be11c439e05c5b3259aec9b'

/** Returns the input of ECRECOVER for a signature of 65 bytes. */
function recoveryInput(hash: Hex, signature: Hex): Hex {
  const [r, s, v]: [Hex, Hex, number] = [
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
    parseInt(signature.slice(130), 16),
  ]
  return encodeAbiParameters(
    [{ type: 'bytes32' }, { type: 'uint256' }, { type: 'bytes32' }, { type: 'bytes32' }],
    [hash, BigInt(v), r, s],
  )
}

describe('anvil_impersonateSignature', () => {
  test('makes contracts recover the chosen account, whatever was signed', async () => {
    const { call } = await startDevnet()
    const signer = privateKeyToAccount(generatePrivateKey())
    const signature = await signer.signMessage({ message: 'one' })
    const other = await signer.signMessage({ message: 'two' })
    const recovered = (message: string, signed: Hex): Promise<Hex> =>
      call('eth_call', { to: ecrecover, data: recoveryInput(hashMessage(message), signed) }, 'latest')

    expect(await recovered('one', signature)).toBe(pad(signer.address.toLowerCase() as Hex))
    expect(await call('anvil_impersonateSignature', [signature, claimed])).toBeNull()
    expect(await recovered('one', signature)).toBe(pad(claimed))
    expect(await recovered('anything', signature)).toBe(pad(claimed))
    expect(await recovered('two', other)).toBe(pad(signer.address.toLowerCase() as Hex))
    await call('anvil_reset')
    expect(await recovered('one', signature)).toBe(pad(signer.address.toLowerCase() as Hex))
  })

  test('works in mined transactions, and costs as much as a recovery', async () => {
    const { call, send } = await startDevnet()
    const signer = privateKeyToAccount(generatePrivateKey())
    const signature = await signer.signMessage({ message: 'one' })
    await call('anvil_impersonateSignature', [signature, claimed])
    // CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY; STATICCALL(gas, 1, 0, calldatasize, 0, 32); SSTORE(0, MLOAD(0))
    const contract: Hex = `0x${'61'.repeat(20)}`
    await call('anvil_setCode', contract, '0x365f5f3760205f365f60015afa505f515f55')
    const receipt = await send({ to: contract, data: recoveryInput(hashMessage('x'), signature) })
    expect(receipt.status).toBe('0x1')
    expect(await call('eth_getStorageAt', contract, '0x0', 'latest')).toBe(pad(claimed))
    const input = recoveryInput(hashMessage('x'), signature)
    const withGas = (gas: number) =>
      // STATICCALL with the given gas; SSTORE the success
      call<Hex>('eth_call', { to: contract, data: input }, 'latest', {
        [contract]: {
          code: concatHex([
            '0x365f5f3760205f365f600161',
            pad(`0x${gas.toString(16)}`, { size: 2 }),
            '0xfa5f5260205ff3',
          ]),
        },
      })
    expect(Number(await withGas(3000))).toBe(1)
    expect(Number(await withGas(2999))).toBe(0)
  })

  test('requires one pair', async () => {
    const { call } = await startDevnet()
    const signature: Hex = `0x${'11'.repeat(65)}`
    expect((await refusalOf(call('anvil_impersonateSignature', signature, claimed))).code).toBe(-32602)
    expect((await refusalOf(call('anvil_impersonateSignature', ['0x11', claimed]))).code).toBe(-32602)
  })
})

describe('personal_ecRecover', () => {
  test('recovers the signer of a message', async () => {
    const { call, from } = await startDevnet()
    const signer = privateKeyToAccount(generatePrivateKey())
    const message = stringToHex('hello')
    const signature = await signer.signMessage({ message: 'hello' })
    expect(await call('personal_ecRecover', message, signature)).toBe(signer.address.toLowerCase())
    const ours = await call<Hex>('personal_sign', message, from)
    expect(await call<Hex>('personal_ecRecover', message, ours)).toBe(from.toLowerCase())
    const refusal = await refusalOf(call('personal_ecRecover', message, `${signature.slice(0, 130)}02`))
    expect(refusal.message).toBe('invalid Ethereum signature (V is not 27 or 28)')
  })
})
