import { writeFile } from 'node:fs/promises'
import type { RunningNode } from '../node.js'
import { type CommandSettings, parseCommandOptions } from '../options.js'

/**
 * Reads the settings from command line and environment, with a generated account phrase if one is requested.
 *
 * @throws OptionError
 */
export async function readCommandSettings(words: readonly string[]): Promise<CommandSettings> {
  const settings = parseCommandOptions({ words, environment: process.env })
  const { mnemonicRandom: count, mnemonicSeedUnsafe: seed } = settings
  if (count === undefined && seed === undefined) return settings
  const { randomMnemonic, seededMnemonic } = await import('./mnemonic.js')
  return { ...settings, mnemonic: count === undefined ? seededMnemonic(seed ?? 0n) : randomMnemonic(count) }
}

/** Writes accounts, keys and genesis to a file, like anvil's --config-out. */
export async function writeConfigFile(
  path: string,
  { network }: RunningNode,
  { mnemonic, derivationPath, gasLimit }: CommandSettings,
): Promise<void> {
  const { accounts, genesis } = network
  const content = {
    available_accounts: accounts.map(({ address }) => address),
    private_keys: accounts.map(({ privateKey }) => privateKey),
    wallet: { mnemonic, derivation_path: derivationPath },
    base_fee: String(genesis.baseFee ?? 0n),
    gas_price: String((genesis.baseFee ?? 0n) * 2n),
    gas_limit: String(gasLimit),
    genesis_timestamp: String(genesis.timestamp),
  }
  await writeFile(path, JSON.stringify(content, null, 2))
}

/** Errors whose message tells the user what to change, by name: their classes stay with the modules that throw them. */
const userErrors: ReadonlySet<string> = new Set([
  'OptionError',
  'ConfigurationError',
  'CassetteError',
  'NetworkNameError',
  'AddressInUseError',
  'IpcPathError',
  'DataDirectoryError',
  'ArchiveError',
  'ChainFileError',
  'ForkError',
  'ExportError',
  'InvalidMnemonicError',
])

/** Returns whether an error is the user's to fix, so that its message suffices. */
export function isUserError(error: unknown): error is Error {
  return error instanceof Error && userErrors.has(error.name)
}
