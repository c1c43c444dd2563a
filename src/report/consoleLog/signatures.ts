import { keccak256 } from 'ox/Hash'
import { bytesToPlainHex } from '../../encoding/hex.js'

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
