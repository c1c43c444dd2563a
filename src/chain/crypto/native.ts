import { createRequire } from 'node:module'
import type { SignatureBackend } from './backend.js'

interface NativeSecp256k1 {
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
}

/**
 * The native back end, or undefined where its prebuilt binary does not load.
 *
 * It asks for the package's binding itself: the package's main entry falls back to slow JavaScript in silence.
 */
export function loadNativeBackend(): SignatureBackend | undefined {
  let native: NativeSecp256k1
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings') as NativeSecp256k1
  } catch {
    return undefined
  }
  return {
    name: 'secp256k1 (native)',
    sign(hash, privateKey) {
      const { signature, recid } = native.ecdsaSign(hash, privateKey)
      return { bytes: signature, yParity: recid === 0 ? 0 : 1 }
    },
    recover: (hash, signature, yParity) => native.ecdsaRecover(signature, yParity, hash, false),
    publicKey: (privateKey) => native.publicKeyCreate(privateKey, false),
  }
}
