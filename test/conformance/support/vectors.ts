import { readFileSync } from 'node:fs'
import type { GenesisAccount } from '../../../src/chain/genesis/ownGenesis.js'
import { readAccounts } from '../../../src/chain/genesis/gethGenesis.js'
import { Fields } from '../../../src/chain/genesis/fields.js'
import { parseHardfork, type Hardfork } from '../../../src/chain/evm/forkSchedule.js'

/** The outcome of one test of a file. */
export interface Outcome {
  name: string
  /** Undefined if the test passed. */
  failure: string | undefined
}

/** Reads the tests of a file of public vectors, with their names. */
export function readVectors<T>(path: string): [name: string, test: T][] {
  return Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, T>)
}

/** Reads the accounts of a `pre` section, which has the form of a genesis alloc. */
export function accountsOf(pre: unknown): GenesisAccount[] {
  return readAccounts(new Fields({ alloc: pre }))
}

/** @throws Error if the rules know no such fork */
export function hardforkOf(name: string): Hardfork {
  const hardfork = parseHardfork(name)
  if (hardfork === undefined) throw new Error(`the fork ${name} is not known`)
  return hardfork
}

/** Runs one test; an error that it throws becomes the failure. */
export async function outcomeOf(name: string, run: () => unknown): Promise<Outcome> {
  try {
    await run()
    return { name, failure: undefined }
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) }
  }
}

/** @throws Error if two strings differ */
export function expectSame(what: string, got: string, expected: string): void {
  if (got.toLowerCase() !== expected.toLowerCase())
    throw new Error(`${what}: expected ${expected}, got ${got}`)
}
