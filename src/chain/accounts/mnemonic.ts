import { type ECDH, createECDH, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { bigintToBytes, bytesToBigint, hexToBytes } from '../../encoding/hex.js'
import { CURVE_ORDER, privateKeyToAddress, publicKeyToAddress } from '../crypto.js'
import { ChainError } from '../errors.js'
import type { KeyedAccount } from './keyring.js'

/** The mnemonic shared by all development nodes; its keys are public. */
export const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk'
/** Path of an account without its final index (BIP-44, coin type 60). */
const DEFAULT_DERIVATION_PATH = "m/44'/60'/0'/0/"

/** Options for deriving accounts. */
export interface DerivationOptions {
  mnemonic?: string
  /** Without the final index. */
  path?: string
  count: number
}

/** A mnemonic that is invalid by BIP-39. */
export class InvalidMnemonicError extends ChainError {
  override readonly name = 'InvalidMnemonicError'
  constructor() {
    super('invalid BIP-39 mnemonic: unknown word or wrong checksum')
  }
}

/** A private key with the chain code for deriving its children (BIP-32). */
interface ExtendedKey {
  key: bigint
  /** 32 bytes. */
  chainCode: Uint8Array
}

/** BIP-32: children from this index on cannot be derived from the public key. */
const HARDENED = 0x8000_0000
/** BIP-39. */
const SEED_ROUNDS = 2048
const SEED_BYTES = 64

/**
 * Derives the accounts of a mnemonic (BIP-39, BIP-32).
 *
 * Uses only Node's own cryptography, because starting a node waits for this. JavaScript libraries take a tenth of a
 * second, and the native one first builds its tables.
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

/** Returns the account of a 32-byte private key. */
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

/** Returns the 33-byte public key of a private key. */
function publicKey(key: bigint): Uint8Array {
  return ellipticCurve(bigintToBytes(key, 32)).getPublicKey(null, 'compressed')
}

/** Creates a curve object with a 32-byte private key. */
function ellipticCurve(privateKey: Uint8Array): ECDH {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(privateKey)
  return curve
}

/** Addresses of the shared mnemonic at its default path, by index. */
const addresses = [
  'f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '90f79bf6eb2c4f870365e785982e1f101e93b906',
  '15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '976ea74026e726554db657fa54763abd0c3a0aa9',
  '14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  'a0ee7a142d267c1f36714e4a8f75612f20a79720',
  'bcd4042de499d14e55001ccbb24a551f3b954096',
  '71be63f3384f5fb98995898a86b02fb2426c5788',
  'fabb0ac9d68b0b445fb7357272ff202c5651694a',
  '1cbd3b2770909d4e10f157cabc84c7264073c9ec',
  'df3e18d64bc6a983f673ab319ccae4f1a57c7097',
  'cd3b766ccdd6ae721141f452c550ca635964ce71',
  '2546bcd3c84621e976d8185a91a922ae77ecec30',
  'bda5747bfd65f08deb54cb465eb87d40e51b197e',
  'dd2fd4581271e230360230f9337d5c0430bf44c0',
  '8626f6940e2eb28930efb4cef49b2d1f2c9c1199',
]

/** Private keys of the same accounts. */
const privateKeys = [
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  'dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
  'f214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897',
  '701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82',
  'a267530f49f8280200edf313ee7af6b827f2a8bce2897751d06a843f644967b1',
  '47c99abed3324a2707c28affff1267e45918ec8c3f20b8aa892e8b065d2942dd',
  'c526ee95bf44d8fc405a158bb884d9d1238d99f0612e9f33d006bb0789009aaa',
  '8166f546bab6da521a8369cab06c5d2b9e46670292d85c875ee9ec20e84ffb61',
  'ea6c44ac03bff858b476bba40716402b03e41b8e97e276d1baec7c37d42484a0',
  '689af8efa8c651a91ad287602527f3af2fe9f6501a7ac4b061667b5a93e037fd',
  'de9be858da4a475276426320d5e9262ecfc3ba460bfac56360bfa6c4c28b4ee0',
  'df57089febbacf7ba0bc227dafbffa9fc08a93fdc68e1e42411a14efcf23656e',
]

/**
 * Returns the first accounts of the shared mnemonic at its default path. They are hard-coded because everybody knows
 * them, and deriving them takes as long as opening a chain.
 *
 * @returns undefined if more are requested than are hard-coded
 */
function sharedAccounts(count: number): KeyedAccount[] | undefined {
  if (count > addresses.length) return undefined
  return addresses.slice(0, count).map((address, index) => ({
    address: hexToBytes(address),
    privateKey: hexToBytes(privateKeys[index] ?? ''),
  }))
}
