import type { CommandSettings } from '../options.js'
import { parseCommandOptions } from '../options.js'

/**
 * The settings that words and environment give, with the phrase of the accounts where one is to be made.
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
