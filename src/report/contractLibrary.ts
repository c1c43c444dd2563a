import { bytesEqual, bytesToHex } from '../encoding/hex.js'
import { type ContractArtifact, readArtifacts } from './artifacts.js'
import { isSameCode } from './contracts.js'
import { type ContractSource, readSources } from './sources.js'

/** A compiled contract as listed by the control API. */
export interface ListedContract {
  id: number
  name: string
  abi: ContractArtifact['abi']
  hasCode: boolean
  hasSource: boolean
}

/** The compiled contracts of a directory, with their sources if available. */
export interface ContractLibrary {
  list(): Iterable<ListedContract>
  /** Identifies the contract with the given runtime code. */
  identify(code: Uint8Array): { id: number; name: string } | undefined
  /** Returns the mapping from instructions to source lines. */
  source(id: number): ({ code: string } & Omit<ContractSource, 'code'>) | undefined
}

/**
 * Reads the contracts of a directory; without one, there are none. A contract in both an artifact and its compiler's
 * build is listed once.
 *
 * @throws Error if the directory cannot be read
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
    *list() {
      for (const [id, { name, abi, code }] of artifacts.entries()) {
        yield { id, name, abi, hasCode: code.length > 0, hasSource: sourceOf(code) !== undefined }
      }
    },
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
