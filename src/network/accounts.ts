import { deriveAccounts, InvalidMnemonicError } from '../chain/accounts/mnemonic.js'
import type { KeyedAccount } from '../chain/accounts/keyring.js'
import { OptionError, type NodeSettings } from '../options.js'
import type { Habits } from '../rpc/habits.js'

/**
 * The accounts that the node holds keys of, and that are funded at genesis.
 *
 * @throws OptionError if the mnemonic is none
 */
export async function fundedAccounts(
  { mnemonic, derivationPath: path, accounts }: NodeSettings,
  habits: Habits,
): Promise<KeyedAccount[]> {
  try {
    return await deriveAccounts({ mnemonic, path, count: accounts ?? habits.accounts })
  } catch (error) {
    throw error instanceof InvalidMnemonicError ? new OptionError(`--mnemonic: ${error.message}`) : error
  }
}
