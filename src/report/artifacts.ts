import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hexToBytes } from '../encoding/hex.js'
import { parseJsonInSteps } from '../encoding/json.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'

/** An entry of a contract's ABI with inputs: a function, event or error. */
export interface AbiEntry {
  type: 'function' | 'event' | 'error'
  name: string
  inputs: readonly AbiInput[]
  outputs?: readonly AbiInput[]
}

/** A parameter of an ABI entry. */
export interface AbiInput {
  type: string
  name?: string
  indexed?: boolean
  components?: readonly AbiInput[]
}

/** A compiled contract, as far as available. */
export interface ContractArtifact {
  name: string
  abi: readonly AbiEntry[]
  /** Runtime code; empty if missing from the file or not linked. */
  code: Uint8Array
}

/** Directories without artifacts, at any depth. */
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git', 'build-info', 'cache'])

/**
 * Reads the contracts in the JSON files of a directory tree: artifacts of hardhat and foundry, and outputs of solc
 * (standard JSON and combined JSON). Other files are skipped.
 *
 * @throws Error if the directory cannot be read
 */
export async function readArtifacts(directory: string): Promise<ContractArtifact[]> {
  const found: ContractArtifact[] = []
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !skipped.has(entry.name)) found.push(...(await readArtifacts(path)))
    else if (entry.isFile() && /(?<!\.dbg)\.json$/.test(entry.name)) {
      found.push(...artifactsIn(await readJson(path), entry.name.replace(/\.json$/, '')))
    }
  }
  return found
}

/** Reads a JSON file, in steps: a build may have a hundred megabytes. Undefined if it cannot be read. */
export async function readJson(path: string): Promise<unknown> {
  try {
    const text = await readFile(path, 'utf8')
    return await runInSlices(parseJsonInSteps(text), new TimeSlice())
  } catch {
    return undefined
  }
}

/** Extracts contracts from the content of a JSON file. */
export function artifactsIn(json: unknown, fileName: string): ContractArtifact[] {
  const { abi, contractName, contracts } = members(json)
  if (Array.isArray(abi)) return [artifact(typeof contractName === 'string' ? contractName : fileName, json)]
  return Object.entries(members(contracts)).flatMap(([place, content]) => {
    const name = place.slice(place.lastIndexOf(':') + 1)
    if (members(content)['abi'] !== undefined) return [artifact(name, content)]
    return Object.entries(members(content)).map(([inner, contract]) => artifact(inner, contract))
  })
}

function artifact(name: string, json: unknown): ContractArtifact {
  const { abi } = members(json)
  const entries: unknown = typeof abi === 'string' ? JSON.parse(abi) : abi
  return {
    name,
    abi: Array.isArray(entries) ? entries.filter(isEntry) : [],
    code: runtimeCode(members(json)),
  }
}

function isEntry(item: unknown): item is AbiEntry {
  const { type, name, inputs } = members(item)
  const isKnown = type === 'function' || type === 'event' || type === 'error'
  return isKnown && typeof name === 'string' && Array.isArray(inputs)
}

/** Extracts runtime code from the formats of hardhat, foundry and solc. */
function runtimeCode(json: Record<string, unknown>): Uint8Array {
  const { deployedBytecode, evm } = json
  const candidates = [
    deployedBytecode,
    members(deployedBytecode)['object'],
    members(members(evm)['deployedBytecode'])['object'],
    json['bin-runtime'],
  ]
  const text = candidates.find((candidate) => typeof candidate === 'string')
  return typeof text === 'string' && /^(0x)?([0-9a-f]{2})+$/i.test(text)
    ? hexToBytes(text)
    : new Uint8Array(0)
}

/** Returns the members of an object; none if the value is not an object. */
export function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
