import { type Hex, encodeFunctionData, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../encoding/hex.js'
import { argumentTypes, decodeConsoleLog } from './consoleLog.js'

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** Encodes a call of console.log like a contract. */
function encode(name: string, types: readonly string[] = [], ...args: unknown[]): Uint8Array {
  const abi = [
    {
      type: 'function' as const,
      name,
      stateMutability: 'view' as const,
      inputs: types.map((type) => ({ type })),
      outputs: [],
    },
  ]
  return hexToBytes(encodeFunctionData({ abi, functionName: name, args }))
}

describe('console.log', () => {
  test('knows every overload of up to four arguments by its selector', () => {
    const types = ['uint256', 'string', 'bool', 'address']
    const lists: string[][] = [[]]
    for (const list of lists) if (list.length < 4) lists.push(...types.map((type) => [...list, type]))
    expect(lists).toHaveLength(1 + 4 + 16 + 64 + 256)
    for (const list of lists) {
      expect(argumentTypes(toFunctionSelector(`log(${list.join(',')})`).slice(2))).toEqual(list)
    }
  })

  test('knows the older selectors with uint and int', () => {
    expect(argumentTypes(toFunctionSelector('log(string,uint)').slice(2))).toEqual(['string', 'uint256'])
    expect(argumentTypes('deadbeef')).toBeUndefined()
  })

  test.each([
    [encode('log', ['string', 'uint256'], 'hello', 42n), 'hello 42'],
    [encode('log', ['string', 'address', 'bool'], '%s is %s', address, true), `${address} is true`],
    [encode('log', ['string', 'string'], 'pct %% %d %i %x', 's'), 'pct % NaN %i %x'],
    [encode('log', ['string', 'uint256', 'uint256'], '%d of %x', 7n, 255n), '7 of 0xff'],
    [encode('log', ['uint256'], 2n ** 256n - 1n), (2n ** 256n - 1n).toString()],
    [encode('log', ['string', 'uint256'], '%d', 2n ** 200n), (2n ** 200n).toString()],
    [encode('log', ['int256'], -5n), '-5'],
    [encode('logBytes32', ['bytes32'], `0x${'12'.repeat(32)}`), `0x${'12'.repeat(32)}`],
    [encode('logBytes', ['bytes'], '0x1234'), '0x1234'],
    [encode('log', ['bytes4'], '0x12345678'), '0x12345678'],
    [encode('log'), ''],
    [
      encode('log', ['uint256', 'bool', 'address', 'string'], 1n, false, address, 'x'),
      `1 false ${address} x`,
    ],
  ])('prints its arguments: %#', (data, line) => {
    expect(decodeConsoleLog(data)).toBe(line)
  })

  test('shows only the start of very long data', () => {
    const line = decodeConsoleLog(encode('log', ['string'], 'x'.repeat(300_000)))
    expect(line).toMatch(/^0x41304fac(00)*20(00)*0493e0(78)+… \(300068 bytes\)$/)
    expect(line).toHaveLength(2 + 2048 + '… (300068 bytes)'.length)
  })

  test('shows undecodable data in hex', () => {
    for (const data of ['0xdeadbeef00', `${toFunctionSelector('log(string)')}00`] as Hex[]) {
      expect(decodeConsoleLog(hexToBytes(data))).toBe(data)
    }
  })
})
