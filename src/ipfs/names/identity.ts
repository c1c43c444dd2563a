import { generateKeyPairSync } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import * as Digest from 'multiformats/hashes/digest'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { IDENTITY_CODE } from '../cid/cidFormat.js'

/** The identity of the node. */
export interface Identity {
  /** Peer ID: base58btc of the identity multihash of the public key. */
  id: string
  /** Public key in libp2p's encoding, in base64. */
  publicKey: string
  /** Private key in libp2p's encoding; names are published with it. */
  privateKey: Uint8Array
  /** Returns the node's multiaddresses, ending with its ID. */
  addresses(): string[]
}

const rowName = new TextEncoder().encode('private-key')
/** libp2p key messages: type Ed25519, then a private key of 64 bytes or a public one of 32 (libp2p specs, peer-ids). */
const privatePrefix = Uint8Array.of(0x08, 0x01, 0x12, 0x40)
const publicPrefix = Uint8Array.of(0x08, 0x01, 0x12, 0x20)
const PUBLIC_BYTES = 32

/** Loads the identity of a data directory, or creates it on first use. */
export async function loadIdentity(rows: RowStore, addresses: () => string[]): Promise<Identity> {
  let privateKey = rows.get(rowName)
  if (privateKey === undefined) {
    privateKey = createPrivateKey()
    await rows.put(rowName, privateKey)
  }
  const publicKey = Buffer.concat([publicPrefix, privateKey.subarray(-PUBLIC_BYTES)])
  const id = base58btc.encode(Digest.create(IDENTITY_CODE, Uint8Array.from(publicKey)).bytes).slice(1)
  return {
    id,
    publicKey: publicKey.toString('base64'),
    privateKey,
    addresses: () => addresses().map((address) => `${address}/p2p/${id}`),
  }
}

function createPrivateKey(): Uint8Array {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(d, 'base64url')
  return Uint8Array.from(Buffer.concat([privatePrefix, seed, Buffer.from(x, 'base64url')]))
}
