import { writeFile } from 'node:fs/promises'
import type { RunningNode } from '../node.js'
import type { CommandSettings } from '../options.js'

/** Writes accounts, keys and genesis into a file, as anvil's --config-out does. */
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
