import { entropyToMnemonic, generateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { seededBytes } from './seededBytes.js'

/** Three words of a BIP-39 phrase are 32 bits of entropy. */
const BITS_PER_WORD = 32 / 3

/** A new BIP-39 phrase of so many words. */
export function randomMnemonic(words: number): string {
  return generateMnemonic(wordlist, words * BITS_PER_WORD)
}

/** The twelve words that anvil makes of a number: everybody can make them, and take what the accounts own. */
export function seededMnemonic(seed: bigint): string {
  return entropyToMnemonic(seededBytes(seed), wordlist)
}
