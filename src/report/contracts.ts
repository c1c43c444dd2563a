import * as AbiItem from 'ox/AbiItem'
import * as AbiParameters from 'ox/AbiParameters'
import { decodeRevertReason } from '../chain/evm/revertReason.js'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'
import { TimeSlice } from '../encoding/timeSlice.js'
import type { AbiEntry, ContractArtifact } from './artifacts.js'

/** Length of a function or error selector. */
export const SELECTOR_BYTES = 4

/** Describes calls, events and errors by the ABIs of known contracts. */
export class Contracts {
  readonly #entries = new Map<string, AbiEntry>()
  readonly #artifacts: readonly ContractArtifact[]

  private constructor(artifacts: readonly ContractArtifact[]) {
    this.#artifacts = artifacts.filter(({ code }) => code.length > 0)
  }

  /** Hashes the signatures of all ABIs, yielding to other work: large projects have tens of thousands. */
  static async of(artifacts: readonly ContractArtifact[]): Promise<Contracts> {
    const contracts = new Contracts(artifacts)
    const slice = new TimeSlice()
    for (const { abi } of artifacts) {
      for (const entry of abi) {
        await slice.pause()
        contracts.#entries.set(keyOf(entry), entry)
      }
    }
    return contracts
  }

  /** Returns the name of the contract with this runtime code; its immutables may have any value. */
  nameOf(code: Uint8Array): string | undefined {
    return this.#artifacts.find((artifact) => isSameCode(artifact.code, code))?.name
  }

  /** Formats an error with its values, such as `Expired(1, 2)`; undefined if unknown. */
  describeError(data: Uint8Array): string | undefined {
    return this.#describe('error', data)
  }

  /** Formats a function call with its arguments; undefined if unknown. */
  describeCall(data: Uint8Array): string | undefined {
    return this.#describe('function', data)
  }

  /** Formats the return values of a known function; undefined if it is unknown or returns nothing. */
  describeResult(input: Uint8Array, output: Uint8Array): string | undefined {
    const { outputs = [] } = this.#entry('function', input) ?? {}
    return outputs.length === 0 ? undefined : decodeValues(outputs, output)
  }

  /** Formats an event with its values; undefined if unknown. */
  describeEvent(topics: readonly Uint8Array[], data: Uint8Array): string | undefined {
    const [selector, ...indexed] = topics
    const entry = selector && this.#entries.get(`event ${bytesToPlainHex(selector)}`)
    if (entry === undefined) return undefined
    const inTopics = entry.inputs.filter((input) => input.indexed === true)
    if (inTopics.length !== indexed.length) return undefined
    const inData = entry.inputs.filter((input) => input.indexed !== true)
    const values = [
      ...inTopics.map((input, index) => topicValue(input, indexed[index])),
      decodeValues(inData, data),
    ]
    return `${entry.name}(${values.filter((value) => value !== undefined && value !== '').join(', ')})`
  }

  #describe(type: AbiEntry['type'], data: Uint8Array): string | undefined {
    const entry = this.#entry(type, data)
    if (entry === undefined) return undefined
    const values = decodeValues(entry.inputs, data.subarray(SELECTOR_BYTES))
    return values === undefined ? undefined : `${entry.name}(${values})`
  }

  #entry(type: AbiEntry['type'], data: Uint8Array): AbiEntry | undefined {
    return this.#entries.get(`${type} ${bytesToPlainHex(data.subarray(0, SELECTOR_BYTES))}`)
  }
}

type AbiInputs = AbiEntry['inputs']

function keyOf(entry: AbiEntry): string {
  const hash = AbiItem.getSignatureHash(AbiItem.getSignature(entry as AbiItem.AbiItem)).slice(2)
  return `${entry.type} ${entry.type === 'event' ? hash : hash.slice(0, 2 * SELECTOR_BYTES)}`
}

function decodeValues(inputs: AbiInputs, data: Uint8Array): string | undefined {
  if (inputs.length === 0) return ''
  try {
    const options = { checksumAddress: true }
    return showValues(AbiParameters.decode(inputs, data, options))
  } catch {
    return undefined
  }
}

/** Formats an indexed value; those that do not fit into a topic are hashed. */
function topicValue(input: AbiInputs[number], topic: Uint8Array | undefined): string | undefined {
  if (topic === undefined) return undefined
  return /^(u?int\d*|address|bool|bytes\d+)$/.test(input.type)
    ? decodeValues([input], topic)
    : bytesToHex(topic)
}

/** Compares code with an artifact, which has zeros where deployed code has the values of immutables. */
export function isSameCode(artifact: Uint8Array, code: Uint8Array): boolean {
  if (artifact.length !== code.length) return false
  return artifact.every((byte, index) => byte === code[index] || byte === 0)
}

/** Maximum length of a single value; longer ones are truncated. */
const MAX_LENGTH = 200

/** Formats decoded ABI values, separated by commas. */
function showValues(values: readonly unknown[]): string {
  return values.map(showValue).join(', ')
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return `[${showValues(value)}]`
  if (typeof value === 'object' && value !== null) return `(${showValues(Object.values(value))})`
  const text = typeof value === 'string' && !value.startsWith('0x') ? JSON.stringify(value) : String(value)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

const REVERTED = 'execution reverted'

/** Explains a failed execution to a developer: revert reason, panic meaning, or a known error. */
export function describeFailure(
  { failure, output }: { failure: string; output: Uint8Array },
  contracts: Contracts,
): string {
  if (failure !== REVERTED) return failure
  if (output.length === 0) return 'reverted without a reason'
  const reason = decodeRevertReason(output) ?? contracts.describeError(output)
  return `reverted with ${reason ?? `the data ${bytesToHex(output)}`}`
}
