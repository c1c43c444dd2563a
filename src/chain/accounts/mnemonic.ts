import type { ECDH } from 'node:crypto'
import { createECDH, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { bigintToBytes, bytesToBigint } from '../../encoding/quantity.js'
import { privateKeyToAddress, publicKeyToAddress } from '../crypto.js'
import { ChainError } from '../errors.js'
import { sharedAccounts } from './sharedAccounts.js'
import type { KeyedAccount } from './keyedAccount.js'

/** The phrase that development nodes share: everybody knows its keys. */
export const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk'
/** The path of an account without the index at its end (BIP-44, coin type 60). */
export const DEFAULT_DERIVATION_PATH = "m/44'/60'/0'/0/"

/** Which accounts to derive. */
export interface DerivationOptions {
  mnemonic?: string
  /** Without the index at its end. */
  path?: string
  count: number
}

/** A mnemonic that is none by BIP-39. */
export class InvalidMnemonicError extends ChainError {
  override readonly name = 'InvalidMnemonicError'
  constructor() {
    super('the mnemonic is not a BIP-39 phrase: a word is unknown or the checksum does not fit')
  }
}

/** A private key with the chain code that its children come from (BIP-32). */
interface ExtendedKey {
  key: bigint
  /** 32 bytes. */
  chainCode: Uint8Array
}

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** BIP-32: children from this index on do not follow from the public key. */
const HARDENED = 0x8000_0000
/** BIP-39. */
const SEED_ROUNDS = 2048
const SEED_BYTES = 64

/**
 * The accounts of a mnemonic (BIP-39, BIP-32).
 *
 * All of it through Node's own cryptography: the start of a node waits for this. Libraries in JavaScript take a tenth of
 * a second for it, and the native one makes its tables first.
 *
 * @throws InvalidMnemonicError
 */
export async function deriveAccounts(options: DerivationOptions): Promise<KeyedAccount[]> {
  const { mnemonic = DEFAULT_MNEMONIC, path = DEFAULT_DERIVATION_PATH, count } = options
  const words = mnemonic.normalize('NFKD').trim().split(/\s+/).join(' ')
  const isShared = words === DEFAULT_MNEMONIC
  const known = isShared && path === DEFAULT_DERIVATION_PATH ? sharedAccounts(count) : undefined
  if (known !== undefined) return known
  if (!isShared) await checkMnemonic(words)
  const seed = await promisify(pbkdf2)(words, 'mnemonic', SEED_ROUNDS, SEED_BYTES, 'sha512')
  const parent = parsePath(path).reduce(deriveChild, masterKey(seed))
  const point = publicKey(parent.key)
  return Array.from({ length: count }, (_, index) => {
    const privateKey = bigintToBytes(childKey(parent, index, point).key, 32)
    return { address: publicKeyToAddress(ellipticCurve(privateKey).getPublicKey()), privateKey }
  })
}

/** The account of a 32-byte private key. */
export function accountOfKey(privateKey: Uint8Array): KeyedAccount {
  return { address: privateKeyToAddress(privateKey), privateKey }
}

async function checkMnemonic(words: string): Promise<void> {
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  if (!validateMnemonic(words, wordlist)) throw new InvalidMnemonicError()
}

function parsePath(path: string): number[] {
  const steps = path.split('/').slice(1)
  return steps
    .filter((step) => step !== '')
    .map((step) => parseInt(step, 10) + (step.endsWith("'") ? HARDENED : 0))
}

function masterKey(seed: Uint8Array): ExtendedKey {
  return split(createHmac('sha512', 'Bitcoin seed').update(seed).digest(), 0n)
}

function deriveChild(parent: ExtendedKey, index: number): ExtendedKey {
  return childKey(parent, index, index >= HARDENED ? undefined : publicKey(parent.key))
}

/** BIP-32, CKDpriv. */
function childKey(
  { key, chainCode }: ExtendedKey,
  index: number,
  point: Uint8Array | undefined,
): ExtendedKey {
  const source = point ?? Buffer.concat([Uint8Array.of(0), bigintToBytes(key, 32)])
  const hmac = createHmac('sha512', chainCode).update(source)
  return split(hmac.update(bigintToBytes(BigInt(index), 4)).digest(), key)
}

function split(hash: Uint8Array, key: bigint): ExtendedKey {
  return { key: (bytesToBigint(hash.subarray(0, 32)) + key) % CURVE_ORDER, chainCode: hash.slice(32) }
}

/** The public key of a private one, 33 bytes. */
function publicKey(key: bigint): Uint8Array {
  return ellipticCurve(bigintToBytes(key, 32)).getPublicKey(null, 'compressed')
}

/** The curve with a private key of 32 bytes. */
function ellipticCurve(privateKey: Uint8Array): ECDH {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(privateKey)
  return curve
}
