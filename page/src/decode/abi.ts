import type { Abi, AbiEvent, AbiFunction, AbiParameter } from 'viem'
import {
  decodeAbiParameters,
  decodeEventLog,
  erc20Abi,
  erc721Abi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { get } from '../api/control.js'

type AbiError = Extract<Abi[number], { type: 'error' }>

/** A compiled contract from `--artifacts`. */
export interface Artifact {
  id: number
  name: string
  /** Functions, events and errors. */
  abi: readonly (AbiFunction | AbiEvent | AbiError)[]
  /** Whether its runtime code is known, to recognise deployed contracts. */
  hasCode: boolean
  /** Whether its source is known, to map instructions to lines. */
  hasSource: boolean
}

/** Decoded data: the matching ABI entry and its values. */
export interface DecodedData {
  name: string
  /** Such as `transfer(address,uint256)`. */
  signature: string
  values: readonly DecodedParameter[]
}

/** One value with its name and Solidity type. */
export interface DecodedParameter {
  name: string
  type: string
  value: unknown
  components?: readonly AbiParameter[]
}

/** Built-in errors of Solidity. */
const solidityErrors: readonly AbiError[] = [
  { type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
]

/** Meanings of Panic codes (Solidity documentation, "Panic via assert and Error via require"). */
const panics: Readonly<Record<number, string>> = {
  0x01: 'assertion failed',
  0x11: 'arithmetic overflow or underflow',
  0x12: 'division or modulo by zero',
  0x21: 'conversion to an invalid enum value',
  0x22: 'incorrectly encoded storage byte array',
  0x31: 'pop on an empty array',
  0x32: 'array index out of bounds',
  0x41: 'too much memory allocated',
  0x51: 'call of an uninitialised function pointer',
}

/** Functions, events and errors by selector or topic. */
export class AbiIndex {
  readonly artifacts: readonly Artifact[]
  readonly #functions = new Map<string, AbiFunction>()
  readonly #errors = new Map<string, AbiError>()
  readonly #events = new Map<string, AbiEvent[]>()

  constructor(artifacts: readonly Artifact[]) {
    this.artifacts = artifacts
    for (const entry of [
      ...erc721Abi,
      ...erc20Abi,
      ...solidityErrors,
      ...artifacts.flatMap(({ abi }) => abi),
    ]) {
      this.#add(entry)
    }
  }

  /** Finds the function that calldata calls; undefined if its selector is unknown. */
  functionOf(input: string): AbiFunction | undefined {
    return this.#functions.get(input.slice(0, 10))
  }

  /** Decodes calldata as a function call. */
  decodeCall(input: string): DecodedData | undefined {
    const entry = this.functionOf(input)
    return entry && decodeInputs(entry, input)
  }

  /** Decodes the return data of a function call. */
  decodeResult(input: string, output: string): DecodedData | undefined {
    const entry = this.functionOf(input)
    if (entry === undefined || entry.outputs.length === 0) return undefined
    const values = decodeValues(entry.outputs, output)
    return values && { name: entry.name, signature: signatureOf(entry), values }
  }

  /** Decodes revert data as an error. */
  decodeError(data: string): DecodedData | undefined {
    const entry = this.#errors.get(data.slice(0, 10))
    return entry && decodeInputs(entry, data)
  }

  /** Decodes a log as an event. Indexed values of dynamic types remain hashes. */
  decodeLog(topics: readonly string[], data: string): DecodedData | undefined {
    for (const entry of this.#events.get(topics[0] ?? '') ?? []) {
      try {
        const { args } = decodeEventLog({
          abi: [entry],
          topics: topics as [`0x${string}`],
          data: data as `0x${string}`,
          strict: true,
        })
        const byName: { readonly [name: string]: unknown } = args ?? {}
        const list: readonly unknown[] = Array.isArray(args)
          ? args
          : entry.inputs.map(({ name = '' }) => byName[name])
        return { name: entry.name, signature: signatureOf(entry), values: named(entry.inputs, list) }
      } catch {
        // An event with the same signature but different indexed parameters.
      }
    }
    return undefined
  }

  #add(entry: AbiFunction | AbiEvent | AbiError): void {
    try {
      if (entry.type === 'function') this.#functions.set(toFunctionSelector(entry), entry)
      else if (entry.type === 'error') this.#errors.set(toFunctionSelector(signatureOf(entry)), entry)
      else if (entry.type === 'event') {
        const topic = toEventSelector(entry)
        this.#events.set(topic, [entry, ...(this.#events.get(topic) ?? [])])
      }
    } catch {
      // Skips entries with types that Solidity does not have, from other compilers.
    }
  }
}

let index: Promise<AbiIndex> | undefined

/** Loads the index of all known ABIs, once. */
export function loadAbis(): Promise<AbiIndex> {
  index ??= get<Artifact[]>('/contracts').then(
    (artifacts) => new AbiIndex(artifacts),
    () => {
      index = undefined
      return new AbiIndex([])
    },
  )
  return index
}

/** Formats a signature, such as `transfer(address,uint256)`. */
export function signatureOf(entry: { name: string; inputs: readonly AbiParameter[] }): string {
  return `${entry.name}(${entry.inputs.map(typeOf).join(',')})`
}

/**
 * Formats a decoded error: `too much` for `Error("too much")`, `Panic: division or modulo by zero`, `Expired(1, 2)`.
 */
export function describeError({ name, values }: DecodedData): string {
  const [first] = values
  if (name === 'Error') return String(first?.value)
  if (name === 'Panic') return `Panic: ${panics[Number(first?.value)] ?? `code ${String(first?.value)}`}`
  return `${name}(${values.map(({ value }) => formatValue(value)).join(', ')})`
}

/** Formats an ABI value. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}: ${formatValue(inner)}`)
      .join(', ')}}`
  }
  return String(value)
}

function decodeInputs(entry: AbiFunction | AbiError, data: string): DecodedData | undefined {
  const values = decodeValues(entry.inputs, `0x${data.slice(10)}`)
  return values && { name: entry.name, signature: signatureOf(entry), values }
}

function decodeValues(inputs: readonly AbiParameter[], data: string): DecodedParameter[] | undefined {
  if (inputs.length === 0) return []
  try {
    return named(inputs, decodeAbiParameters(inputs, data as `0x${string}`))
  } catch {
    return undefined
  }
}

function named(inputs: readonly AbiParameter[], values: readonly unknown[]): DecodedParameter[] {
  return inputs.map((input, place) => ({
    name: input.name ?? String(place),
    type: input.type,
    value: values[place],
    ...('components' in input && { components: input.components }),
  }))
}

function typeOf(parameter: AbiParameter): string {
  if (!parameter.type.startsWith('tuple')) return parameter.type
  const components = 'components' in parameter ? parameter.components : []
  return `(${components.map(typeOf).join(',')})${parameter.type.slice('tuple'.length)}`
}
