import { readFileSync } from 'node:fs'
import type { Abi, Hex } from 'viem'

/** A compiled contract from fixtures/contracts. */
export interface Artifact {
  abi: Abi
  bytecode: Hex
  deployedBytecode: Hex
}

export function readArtifact(name: string): Artifact {
  return JSON.parse(readFileSync(`fixtures/contracts/artifacts/${name}.json`, 'utf8')) as Artifact
}
