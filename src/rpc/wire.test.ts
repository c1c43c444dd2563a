import { expect, it } from 'vitest'
import { RpcError } from './errors.js'
import {
  countBytes,
  errorPieces,
  errorText,
  failedOutcomeInSlices,
  joinPieces,
  outcomeBytes,
  wireArray,
} from './wire.js'

const memory = new TextEncoder().encode('{"logs":[1,22,333],"more":[4;5]}')
const at = (text: string) => {
  const start = memory.indexOf(text.charCodeAt(0), 9)
  return memory.subarray(start, start + text.length)
}
const textOf = (items: Parameters<typeof wireArray>[0]) => joinPieces(wireArray(items).pieces).toString()

it('joins values from any source with commas', () => {
  expect(textOf([])).toBe('[]')
  expect(textOf(['"a"', at('1'), '"b"'])).toBe('["a",1,"b"]')
  expect(textOf([at('1'), at('22'), at('333')])).toBe('[1,22,333]')
  expect(textOf([at('333'), at('22'), at('1')])).toBe('[333,22,1]')
  expect(textOf([at('1'), at('333')])).toBe('[1,333]')
  expect(textOf([at('22'), at('22'), Uint8Array.of(0x37), at('1'), at('22')])).toBe('[22,22,7,1,22]')
  expect(textOf([at('4'), at('5')])).toBe('[4,5]')
})

it('counts the UTF-8 bytes of text', () => {
  for (const text of ['', 'plain', 'ö', '→', '😀', 'a'.repeat(128), `${'a'.repeat(127)}ö`, 'ö'.repeat(200)]) {
    expect(countBytes([text, Uint8Array.of(1, 2)])).toBe(new TextEncoder().encode(text).length + 2)
  }
})

it('writes an error with long texts like any other', async () => {
  const long = `0x${'ab'.repeat(50_000)}`
  const escaped = `é<"${'x'.repeat(65_532)}😀${'\n&'.repeat(70_000)}`
  for (const data of [
    '0x',
    long,
    escaped,
    { message: escaped, data: long, list: [long], no: undefined },
    {},
  ]) {
    for (const message of ['execution reverted: "<é>"', escaped]) {
      const error = new RpcError(3, message, { data, members: { name: 'x' } })
      const outcome = await failedOutcomeInSlices(error)
      expect(joinPieces(errorPieces('1', outcome)).toString()).toBe(errorText('1', error))
      expect(outcomeBytes(outcome)).toBe(Buffer.byteLength(errorText('1', error)) - 33)
    }
  }
})

it('merges adjacent values', () => {
  expect(wireArray([at('1'), at('22'), at('333')]).pieces).toHaveLength(3)
  expect(wireArray([at('4'), at('5')]).pieces).toHaveLength(5)
})
