import type * as Keys from '@libp2p/crypto/keys'
import type { PrivateKey, PublicKey } from '@libp2p/interface'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { execFile } from 'node:child_process'
import { isSea } from 'node:sea'
import { promisify } from 'node:util'
import { Mutex, TimeSlice } from '../../encoding/timeSlice.js'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { multibaseByName } from '../cid/multibase.js'
import { codecCode } from '../cid/cidFormat.js'
import { parseCid } from '../cid/parseCid.js'
import { codecName } from '../dag/codecs.js'
import { FileNetworkError, errorText } from '../errors.js'
import type { Identity } from './identity.js'

/** The name of the node's own key, which can neither be renamed nor removed. */
export const selfName = 'self'

/** The libraries of keys are loaded by the first request that needs one. */
const libraryOfKeys = (): Promise<typeof Keys> => import('@libp2p/crypto/keys')

/** Bits of an RSA key where a request does not say (Kubo, `options.DefaultRSALen`). */
const defaultRsaBits = 2048
const shortestRsaBits = 2048
const longestRsaBits = 8192

/** A key pair with the name that it is stored under. */
export interface NamedKey {
  name: string
  key: PrivateKey
}

/** What key pair is to be made. */
export interface KeyRequest {
  type: string
  size: number | undefined
  /** Aborted when nobody waits for the key any more. */
  signal: AbortSignal
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const rowPrefix = 'key/'

function rowOf(name: string): Uint8Array {
  return encoder.encode(rowPrefix + name)
}

/** The key pairs that IPNS names are published with. They lie in a data directory as libp2p encodes them. */
export class Keystore {
  readonly #rows: RowStore
  readonly #identity: Pick<Identity, 'privateKey'>
  /** Making an RSA key takes a processor for many seconds. */
  readonly #rsaKeys = new Mutex()

  constructor(rows: RowStore, identity: Pick<Identity, 'privateKey'>) {
    this.#rows = rows
    this.#identity = identity
  }

  /** The node's own key. */
  self(): Promise<PrivateKey> {
    return decodeKey(this.#identity.privateKey)
  }

  /** The key with a name; undefined where there is none. */
  async get(name: string): Promise<PrivateKey | undefined> {
    const row = this.#rows.get(rowOf(name))
    return row && decodeKey(row)
  }

  /** @throws {@link FileNetworkError} for an empty name, or one that is taken */
  async put(name: string, key: PrivateKey): Promise<void> {
    if (name === '') throw new FileNetworkError('key name must be at least one character')
    if (this.#rows.get(rowOf(name)) !== undefined) {
      throw new FileNetworkError('key by that name already exists, refusing to overwrite')
    }
    const { privateKeyToProtobuf } = await libraryOfKeys()
    await this.#rows.put(rowOf(name), privateKeyToProtobuf(key))
  }

  /**
   * A new key pair (Kubo, `coreapi/key.go`), which is not stored yet. RSA keys are made one after another.
   *
   * @param request.size - bits of an RSA key
   * @throws {@link FileNetworkError} for a type or a size that Kubo does not make
   */
  async generate({ type, size, signal }: KeyRequest): Promise<PrivateKey> {
    const { generateKeyPair } = await libraryOfKeys()
    if (type === 'ed25519') return generateKeyPair('Ed25519')
    if (type !== 'rsa') throw new FileNetworkError(`unrecognized key type: ${type}`)
    const bits = size === undefined || size === -1 ? defaultRsaBits : size
    if (bits < shortestRsaBits) {
      throw new FileNetworkError(`rsa keys must be >= ${shortestRsaBits} bits to be useful`)
    }
    if (bits > longestRsaBits) throw new FileNetworkError(`rsa keys must be <= ${longestRsaBits} bits`)
    return this.#rsaKeys.run(() => {
      signal.throwIfAborted()
      // The single executable runs no other program: there a stop waits for the key.
      return isSea() ? generateKeyPair('RSA', bits) : makeRsaKey(bits, signal)
    })
  }

  delete(name: string): Promise<void> {
    return this.#rows.delete(rowOf(name))
  }

  /** All keys but the node's own, by name. */
  async *list(): AsyncGenerator<NamedKey> {
    const slice = new TimeSlice()
    for await (const [row, value] of this.#rows.entries()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const text = decoder.decode(row)
      if (!text.startsWith(rowPrefix)) continue
      yield { name: text.slice(rowPrefix.length), key: await decodeKey(value) }
    }
  }
}

/** Writes an RSA key in PKCS #1, and ends with the process that waits for it. */
const rsaProgram = (bits: number): string => `
process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGKILL'))
const encoding = { type: 'pkcs1', format: 'der' }
const options = { modulusLength: ${bits}, publicKeyEncoding: encoding, privateKeyEncoding: encoding }
require('node:crypto').generateKeyPair('rsa', options, (error, _, key) => {
  if (error) throw error
  process.stdout.write(key, () => process.exit())
})`

/**
 * Makes an RSA key in a process of its own. A long one takes up to a minute, and nothing else ends that: a thread of this
 * process would be waited for when it stops.
 */
async function makeRsaKey(bits: number, signal: AbortSignal): Promise<PrivateKey> {
  const { privateKeyFromRaw } = await libraryOfKeys()
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', rsaProgram(bits)], {
    encoding: 'buffer',
    env: { ...process.env, NODE_OPTIONS: '' },
    killSignal: 'SIGKILL',
    signal,
  })
  return privateKeyFromRaw(stdout)
}

/** The key that bytes are as libp2p encodes it. */
export async function decodeKey(bytes: Uint8Array): Promise<PrivateKey> {
  const { privateKeyFromProtobuf } = await libraryOfKeys()
  return privateKeyFromProtobuf(bytes)
}

/** The peer id of a public key: base58btc of its multihash, without the prefix of the base. */
export function peerIdOf(key: PublicKey): string {
  return base58btc.encode(key.toMultihash().bytes).slice(1)
}

/** Writes the name of a key as text. */
export type KeyEncoder = (key: PublicKey) => string

/** The option of operations that show names of keys (Kubo, `keyencode`). */
export const ipnsBaseOption = {
  type: 'string',
  default: 'base36',
  description: 'Base of the names: `b58mh` for peer ids, or a multibase for CIDs.',
} as const

/** The encoder for the option `ipns-base`. */
export function createKeyEncoder(baseName: string): KeyEncoder {
  if (baseName === 'b58mh' || baseName === 'v0') return peerIdOf
  const base = multibaseByName(baseName)
  return (key) => base.encode(nameOf(key).bytes)
}

/** The CID of a public key, which is its IPNS name. */
export function nameOf(key: PublicKey): CID {
  return CID.createV1(codecCode.libp2pKey, key.toMultihash())
}

/** An IPNS name as Kubo shows it: its CID in base36. */
export function formatName(name: CID): string {
  return name.toString(base36)
}

/** The IPNS name that a text stands for, a peer id or a CID of a key; undefined where it is neither. */
export function parseName(text: string): CID | undefined {
  if (text.length > longestName) return undefined
  try {
    if (/^(1|Qm)/.test(text)) {
      return CID.createV1(codecCode.libp2pKey, Digest.decode(base58btc.decode(`z${text}`)))
    }
    const base = text.startsWith('k') ? base36 : undefined
    const cid = base === undefined ? CID.parse(text) : CID.parse(text, base)
    return cid.version === 1 && cid.code === codecCode.libp2pKey ? cid : undefined
  } catch {
    return undefined
  }
}

/**
 * The IPNS name that a text stands for, with or without `/ipns/` in front.
 *
 * @throws {@link FileNetworkError} with the text of go-libp2p (`peer.Decode`)
 */
export function readPeerId(text: string): CID {
  const label = text.replace(/^\/ipns\//, '')
  const name = parseName(label)
  if (name !== undefined) return name
  if (/^(1|Qm)/.test(label)) throw new FileNetworkError(`failed to parse peer ID: ${problemOfHash(label)}`)
  let cid: CID
  try {
    cid = parseCid(label)
  } catch (error) {
    throw new FileNetworkError(`failed to parse peer ID: ${errorText(error)}`)
  }
  throw new FileNetworkError(`can't convert CID of type "${codecName(cid.code)}" to a peer ID`)
}

/** What is wrong with a multihash in base58btc (go-multihash, `multihash.go`). */
function problemOfHash(text: string): string {
  let bytes: Uint8Array
  try {
    bytes = base58btc.decode(`z${text.slice(0, longestName)}`)
  } catch {
    return "input isn't valid multihash"
  }
  return bytes.length < 2
    ? 'multihash too short. must be >= 2 bytes'
    : 'length greater than remaining number of bytes in buffer'
}

/** The peer id of a name: its multihash in base58btc. */
export function peerIdText(name: CID): string {
  return base58btc.encode(name.multihash.bytes).slice(1)
}

/** Characters of a name, at most: a name is the hash of a key, or a short key itself. */
const longestName = 256
