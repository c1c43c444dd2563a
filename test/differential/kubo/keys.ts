import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { createPrivateKey } from 'node:crypto'

/** Key pairs in libp2p format, so that both peers derive the same names. */
export const keyFiles = [1, 2].map((seed) => {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, Buffer.alloc(32, seed)])
  const { d = '', x = '' } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  })
  return Buffer.concat([
    Buffer.from('08011240', 'hex'),
    Buffer.from(d, 'base64url'),
    Buffer.from(x, 'base64url'),
  ])
})
/** Their names, which are the CIDs of their public keys. */
export const keyIds = keyFiles.map((file) => {
  const publicKey = Buffer.concat([Buffer.from('08011220', 'hex'), file.subarray(-32)])
  return CID.createV1(0x72, Digest.create(0, publicKey)).toString(base36)
})
