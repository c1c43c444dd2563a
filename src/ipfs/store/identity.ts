import { generateKeyPairSync } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import * as Digest from 'multiformats/hashes/digest'
import type { RecordStore } from '../../storage/files/recordStore.js'
import { identityCode } from '../cid/hashFunctions.js'

/** Who the node says it is. */
export interface Identity {
  /** The peer id: base58btc of the identity multihash of the public key. */
  id: string
  /** The public key as libp2p encodes it, in base64. */
  publicKey: string
  /** Multiaddresses at which the node answers, with its id at the end. */
  addresses(): string[]
}

const recordName = new TextEncoder().encode('public-key')
/** A libp2p public key message: type Ed25519, then 32 bytes (libp2p specs, peer-ids). */
const keyPrefix = Uint8Array.of(0x08, 0x01, 0x12, 0x20)

/** The identity of a data directory, made when it is first opened. Nothing is ever signed with it. */
export async function loadIdentity(named: RecordStore, addresses: () => string[]): Promise<Identity> {
  let key = named.get(recordName)
  if (key === undefined) {
    const { publicKey } = generateKeyPairSync('ed25519')
    const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    key = Uint8Array.from(Buffer.concat([keyPrefix, bytes]))
    await named.put(recordName, key)
  }
  const id = base58btc.encode(Digest.create(identityCode, key).bytes).slice(1)
  return {
    id,
    publicKey: Buffer.from(key).toString('base64'),
    addresses: () => addresses().map((address) => `${address}/p2p/${id}`),
  }
}
