import { type Parameter, decode } from 'ox/AbiParameters'
import { keccak256 } from 'ox/Hash'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'
import { SELECTOR_BYTES } from './contracts.js'

/** Address that hardhat's and forge's console.log calls; its last bytes spell "console.log". */
export const CONSOLE_ADDRESS = '0x000000000000000000636f6e736f6c652e6c6f67'

/** The longest call to the console that is decoded, and the bytes shown of a longer one. */
const MAX_CALL_LENGTH = 256 * 1024
const SHOWN_BYTES = 1024

/**
 * Decodes a call to the console address into a line. Anything but a console.log call is shown in hex, and so is the
 * start of one of hundreds of kilobytes: its placeholders take long to fill in.
 */
export function decodeConsoleLog(data: Uint8Array): string {
  if (data.length > MAX_CALL_LENGTH) {
    return `${bytesToHex(data.subarray(0, SHOWN_BYTES))}… (${data.length} bytes)`
  }
  const types = argumentTypes(bytesToPlainHex(data.subarray(0, SELECTOR_BYTES)))
  if (types === undefined) return bytesToHex(data)
  if (types.length === 0) return ''
  const parameters: Parameter[] = types.map((type) => ({ type }))
  try {
    const options = { checksumAddress: true }
    return formatLog(decode(parameters, data.subarray(SELECTOR_BYTES), options))
  } catch {
    return bytesToHex(data)
  }
}

/**
 * Formats values like console.log of hardhat and forge: if the first is a string, its placeholders take the following
 * values; the rest is appended, separated by spaces.
 */
function formatLog(values: readonly unknown[]): string {
  const [first, ...rest] = values
  if (typeof first !== 'string') return values.map(show).join(' ')
  const waiting = [...rest]
  const text = first.replace(/%([%sdioOxj])/g, (placeholder: string, kind: string) => {
    if (kind === '%') return '%'
    return waiting.length === 0 ? placeholder : place(kind, waiting.shift())
  })
  return [text, ...waiting.map(show)].join(' ')
}

function place(kind: string, value: unknown): string {
  if (kind === 'x') return typeof value === 'bigint' ? `0x${value.toString(16)}` : show(value)
  if (kind !== 'd' && kind !== 'i') return show(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'boolean') return value ? '1' : '0'
  return /^-?\d+$/.test(show(value)) ? show(value) : 'NaN'
}

function show(value: unknown): string {
  return String(value)
}

/** Types for which console.log has overloads of up to four arguments, in any combination. */
const combined = ['uint256', 'string', 'bool', 'address'] as const
const MAX_ARGUMENTS = 4

/** Types with a single-argument overload only. */
const alone = ['int256', 'bytes', ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)]

/** Functions besides `log`, named after the type of their argument. */
const named: readonly (readonly [name: string, type: string])[] = [
  ['logUint', 'uint256'],
  ['logInt', 'int256'],
  ['logString', 'string'],
  ['logBool', 'bool'],
  ['logAddress', 'address'],
  ['logBytes', 'bytes'],
  ...Array.from({ length: 32 }, (_, index) => [`logBytes${index + 1}`, `bytes${index + 1}`] as const),
]

let known: ReadonlyMap<string, readonly string[]> | undefined

/**
 * Returns the argument types of an 8-digit selector, or undefined if it is not a console.log function. Includes those
 * of hardhat's and forge's libraries, and older ones whose hashed signatures have `uint` and `int`.
 */
export function argumentTypes(selector: string): readonly string[] | undefined {
  known ??= createTable()
  return known.get(selector)
}

function createTable(): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, readonly string[]>()
  const add = (name: string, types: readonly string[]): void => {
    const spellings = [types, types.map((type) => type.replace(/^(u?int)256$/, '$1'))]
    for (const spelling of spellings) table.set(selectorOf(`${name}(${spelling.join(',')})`), types)
  }
  for (const types of combinations(MAX_ARGUMENTS)) add('log', types)
  for (const type of alone) add('log', [type])
  add('log', ['string', 'int256'])
  for (const [name, type] of named) add(name, [type])
  return table
}

/** Lists all combinations of types with at most `most` elements. */
function combinations(most: number): readonly (readonly string[])[] {
  if (most === 0) return [[]]
  const shorter = combinations(most - 1)
  const longest = shorter.filter(({ length }) => length === most - 1)
  return [...shorter, ...longest.flatMap((types) => combined.map((type) => [...types, type]))]
}

function selectorOf(signature: string): string {
  return bytesToPlainHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4))
}
