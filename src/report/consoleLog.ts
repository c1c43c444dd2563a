import { type Parameter, decode } from 'ox/AbiParameters'
import { keccak256 } from 'ox/Hash'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'

/** The address that console.log of hardhat and forge calls; its last bytes are the words. */
export const CONSOLE_ADDRESS = '0x000000000000000000636f6e736f6c652e6c6f67'

const SELECTOR_BYTES = 4

/** The line that a call to the console's address asks for; what is no call of console.log is shown as it is. */
export function decodeConsoleLog(data: Uint8Array): string {
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
 * Values as console.log of hardhat and forge print them: if the first is a text, its placeholders take the values
 * behind it; what is left follows after spaces.
 */
export function formatLog(values: readonly unknown[]): string {
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

/** The types that console.log has overloads of up to four arguments for, in any combination. */
const combined = ['uint256', 'string', 'bool', 'address'] as const
const MOST_ARGUMENTS = 4

/** The types that it takes alone besides. */
const alone = ['int256', 'bytes', ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)]

/** The functions beside `log` that name the type of their argument. */
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
 * The types of the arguments behind a selector of 8 digits, or undefined if it is none of console.log: those of
 * hardhat's and forge's libraries, also the older ones that say `uint` and `int` in what they hash.
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
  for (const types of combinations(MOST_ARGUMENTS)) add('log', types)
  for (const type of alone) add('log', [type])
  add('log', ['string', 'int256'])
  for (const [name, type] of named) add(name, [type])
  return table
}

/** All lists of combined types, from none up to so many. */
function combinations(most: number): readonly (readonly string[])[] {
  if (most === 0) return [[]]
  const shorter = combinations(most - 1)
  const longest = shorter.filter(({ length }) => length === most - 1)
  return [...shorter, ...longest.flatMap((types) => combined.map((type) => [...types, type]))]
}

function selectorOf(signature: string): string {
  return bytesToPlainHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4))
}
