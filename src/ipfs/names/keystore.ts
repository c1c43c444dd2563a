import type * as Keys from '@libp2p/crypto/keys'
import type { PrivateKey, PublicKey } from '@libp2p/interface'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { type MultihashDigest, varint } from 'multiformats'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { execFile } from 'node:child_process'
import { createPublicKey, hash } from 'node:crypto'
import { isSea } from 'node:sea'
import { promisify } from 'node:util'
import { Mutex, TimeSlice } from '../../encoding/timeSlice.js'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { multibaseByName } from '../cid/multibase.js'
import { codecCode, SHA256_CODE } from '../cid/cidFormat.js'
import { parseCid } from '../cid/parseCid.js'
import { codecText } from '../dag/codecs.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import type { Identity } from './identity.js'

/** Name of the node's own key, which can be neither renamed nor removed. */
export const selfName = 'self'

/** Loads the key library lazily, on the first request that needs it. */
const libraryOfKeys = (): Promise<typeof Keys> => import('@libp2p/crypto/keys')

/** Default size of an RSA key, in bits (Kubo, `options.DefaultRSALen`). */
const DEFAULT_RSA_BITS = 2048
const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192

/** A key pair with the name under which it is stored. */
export interface NamedKey {
  name: string
  key: PrivateKey
}

/** Options for generating a key pair. */
export interface KeyRequest {
  type: string
  size: number | undefined
  /** Aborted when the key is no longer wanted. */
  signal: AbortSignal
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const rowPrefix = 'key/'

function rowOf(name: string): Uint8Array {
  return encoder.encode(rowPrefix + name)
}

/** Key pairs for publishing IPNS names, stored in libp2p's encoding. */
export class Keystore {
  readonly #rows: RowStore
  readonly #identity: Pick<Identity, 'privateKey'>
  /** Serializes the generation of RSA keys, which can take a CPU for many seconds. */
  readonly #rsaKeys = new Mutex()

  constructor(rows: RowStore, identity: Pick<Identity, 'privateKey'>) {
    this.#rows = rows
    this.#identity = identity
  }

  /** Returns the node's own key. */
  self(): Promise<PrivateKey> {
    return decodeKey(this.#identity.privateKey)
  }

  /** Returns the key with a name, if any. */
  async get(name: string): Promise<PrivateKey | undefined> {
    const row = this.#rows.get(rowOf(name))
    return row && decodeKey(row)
  }

  /** @throws {@link FileNetworkError} for an empty name, or one already taken */
  async put(name: string, key: PrivateKey): Promise<void> {
    if (name === '') throw new FileNetworkError('key name must be at least one character')
    if (this.#rows.get(rowOf(name)) !== undefined) {
      throw new FileNetworkError('key by that name already exists, refusing to overwrite')
    }
    const { privateKeyToProtobuf } = await libraryOfKeys()
    await this.#rows.put(rowOf(name), privateKeyToProtobuf(key))
  }

  /**
   * Generates a key pair without storing it (Kubo, `coreapi/key.go`). RSA keys are generated one at a time.
   *
   * @param request.size - bits of an RSA key
   * @throws {@link FileNetworkError} for a type or size that Kubo does not support
   */
  async generate({ type, size, signal }: KeyRequest): Promise<PrivateKey> {
    const { generateKeyPair } = await libraryOfKeys()
    if (type === 'ed25519') return generateKeyPair('Ed25519')
    if (type !== 'rsa') throw new FileNetworkError(`unrecognized key type: ${type}`)
    const bits = size === undefined || size === -1 ? DEFAULT_RSA_BITS : size
    checkRsaBits(bits)
    return this.#rsaKeys.run(() => {
      signal.throwIfAborted()
      // The single executable cannot run another program, so there shutdown waits for the key.
      return isSea() ? generateKeyPair('RSA', bits) : makeRsaKey(bits, signal)
    })
  }

  delete(name: string): Promise<void> {
    return this.#rows.delete(rowOf(name))
  }

  /** Yields all keys but the node's own, by name. */
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

/** @throws {@link FileNetworkError} if RSA keys of this size are not supported */
export function checkRsaBits(bits: number): void {
  if (bits < MIN_RSA_BITS) {
    throw new FileNetworkError(`rsa keys must be >= ${MIN_RSA_BITS} bits to be useful`)
  }
  if (bits > MAX_RSA_BITS) throw new FileNetworkError(`rsa keys must be <= ${MAX_RSA_BITS} bits`)
}

/** Program that writes an RSA key in PKCS #1, and exits when its parent does. */
const rsaProgram = (bits: number): string => `
process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGKILL'))
const encoding = { type: 'pkcs1', format: 'der' }
const options = { modulusLength: ${bits}, publicKeyEncoding: encoding, privateKeyEncoding: encoding }
require('node:crypto').generateKeyPair('rsa', options, (error, _, key) => {
  if (error) throw error
  process.stdout.write(key, () => process.exit())
})`

/**
 * Generates an RSA key in a separate process. A long key takes up to a minute and cannot be interrupted otherwise: on
 * shutdown, this process would have to wait for a thread.
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

/** Decodes a key from libp2p's encoding. */
export async function decodeKey(bytes: Uint8Array): Promise<PrivateKey> {
  const { privateKeyFromProtobuf } = await libraryOfKeys()
  return privateKeyFromProtobuf(bytes)
}

/** Returns the peer ID of a public key: base58btc of its multihash, without the multibase prefix. */
function peerIdOf(key: PublicKey): string {
  return peerIdText(nameOf(key))
}

/** Key types of libp2p's protobuf (libp2p specs, peer-ids). */
export const keyTypes = { rsa: 0, ed25519: 1, secp256k1: 2, ecdsa: 3 } as const

/** Encodes a key in libp2p's protobuf: its type (field 1) and data (field 2). */
export function encodeKey(type: number, data: Uint8Array): Uint8Array {
  const length = varint.encodeTo(data.length, new Uint8Array(varint.encodingLength(data.length)))
  return Buffer.concat([Uint8Array.of(0x08, type, 0x12), length, data])
}

/**
 * Returns the multihash of a public key (libp2p specs, peer-ids). The library inlines ECDSA keys, which are too long
 * for that, and encodes them in a form of its own.
 */
function multihashOf(key: PublicKey): MultihashDigest {
  if (key.type !== 'ECDSA') return key.toMultihash()
  const data = createPublicKey({ key: key.jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  return Digest.create(SHA256_CODE, hash('sha256', encodeKey(keyTypes.ecdsa, data), 'buffer'))
}

/** Formats the name of a key. */
export type KeyEncoder = (key: PublicKey) => string

/** The option for the format of key names (Kubo, `keyencode`). */
export const ipnsBaseOption = {
  type: 'string',
  default: 'base36',
  description: 'Encoding of names: `b58mh` for peer ids, or a multibase for CIDs.',
} as const

/** Creates the encoder for the option `ipns-base`. */
export function createKeyEncoder(baseName: string): KeyEncoder {
  if (baseName === 'b58mh' || baseName === 'v0') return peerIdOf
  const base = multibaseByName(baseName)
  return (key) => base.encode(nameOf(key).bytes)
}

/** Returns the CID of a public key, which is its IPNS name. */
export function nameOf(key: PublicKey): CID {
  return CID.createV1(codecCode.libp2pKey, multihashOf(key))
}

/** Formats an IPNS name like Kubo: its CID in base36. */
export function formatName(name: CID): string {
  return name.toString(base36)
}

/** Parses an IPNS name, given as a peer ID or as the CID of a key; undefined if it is neither. */
export function parseName(text: string): CID | undefined {
  if (text.length > MAX_NAME_LENGTH) return undefined
  try {
    if (/^(1|Qm)/.test(text)) {
      return CID.createV1(codecCode.libp2pKey, Digest.decode(base58btc.decode(`z${text}`)))
    }
    const cid = parseCid(text)
    return cid.version === 1 && cid.code === codecCode.libp2pKey ? cid : undefined
  } catch {
    return undefined
  }
}

/**
 * Parses an IPNS name, with or without a leading `/ipns/`.
 *
 * @throws {@link FileNetworkError} with go-libp2p's message (`peer.Decode`)
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
  throw new FileNetworkError(`can't convert CID of type "${codecText(cid.code)}" to a peer ID`)
}

/** Describes what is wrong with a base58btc multihash (go-multihash, `multihash.go`). */
export function problemOfHash(text: string): string {
  let bytes: Uint8Array
  try {
    bytes = base58btc.decode(`z${text.slice(0, MAX_NAME_LENGTH)}`)
  } catch {
    return "input isn't valid multihash"
  }
  return problemOfMultihash(bytes)
}

/** Describes what is wrong with a multihash (go-multihash, `multihash.go`). */
export function problemOfMultihash(bytes: Uint8Array): string {
  if (bytes.length < 2) return 'multihash too short. must be >= 2 bytes'
  try {
    const [, codeWidth] = varint.decode(bytes)
    const [length, lengthWidth] = varint.decode(bytes.subarray(codeWidth))
    const whole = codeWidth + lengthWidth + length
    if (bytes.length > whole) return `multihash length inconsistent: expected ${length}; got ${whole}`
  } catch {
    // The bytes end within a number.
  }
  return 'length greater than remaining number of bytes in buffer'
}

/** Returns the peer ID of a name: its multihash in base58btc. */
export function peerIdText(name: CID): string {
  return base58btc.encode(name.multihash.bytes).slice(1)
}

/** Maximum length of a name, in characters: it is the hash of a key, or a short key itself. */
const MAX_NAME_LENGTH = 1024
