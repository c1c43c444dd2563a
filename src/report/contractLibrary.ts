import { bytesEqual, bytesToHex } from '../encoding/hex.js'
import { type ContractArtifact, readArtifacts } from './artifacts.js'
import { isSameCode } from './contracts.js'
import { type ContractSource, readSources } from './sources.js'

/** A compiled contract as the control API lists it. */
export interface ListedContract {
  id: number
  name: string
  abi: ContractArtifact['abi']
  hasCode: boolean
  hasSource: boolean
}

/** The compiled contracts of a folder, with their sources as far as they are there. */
export interface ContractLibrary {
  list(): ListedContract[]
  /** The contract that runtime code is of. */
  identify(code: Uint8Array): { id: number; name: string } | undefined
  /** What leads from instructions to source lines. */
  source(id: number): ({ code: string } & Omit<ContractSource, 'code'>) | undefined
}

/**
 * Reads the contracts of a folder; none if there is no folder. A contract that lies in an artifact and in a build of its
 * compiler is there once.
 *
 * @throws Error if the folder cannot be read
 */
export async function readContractLibrary(directory: string | undefined): Promise<ContractLibrary> {
  const sources = directory === undefined ? [] : await readSources(directory)
  const read = directory === undefined ? [] : await readArtifacts(directory)
  const artifacts = [
    ...read,
    ...sources.filter(({ code }) => !read.some((other) => bytesEqual(other.code, code))),
  ]
  const sourceOf = (code: Uint8Array): ContractSource | undefined =>
    code.length === 0 ? undefined : sources.find((source) => bytesEqual(source.code, code))
  return {
    list: () =>
      artifacts.map(({ name, abi, code }, id) => ({
        id,
        name,
        abi,
        hasCode: code.length > 0,
        hasSource: sourceOf(code) !== undefined,
      })),
    identify: (code) => {
      const id = artifacts.findIndex(
        (artifact) => artifact.code.length > 0 && isSameCode(artifact.code, code),
      )
      const artifact = artifacts[id]
      return artifact && { id, name: artifact.name }
    },
    source: (id) => {
      const source = sourceOf(artifacts[id]?.code ?? new Uint8Array(0))
      return source && { ...source, code: bytesToHex(source.code) }
    },
  }
}
