import { createRequire } from 'node:module'
import type { SignatureBackend } from './backend.js'

interface NativeSecp256k1 {
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
}

interface Addon {
  Secp256k1: new () => object
}

/**
 * The native back end, or undefined where its prebuilt binary does not load.
 *
 * It asks for the package's binding itself: the package's main entry falls back to slow JavaScript in silence. The
 * tables of the curve, some ten milliseconds of work, are made with the first signature and not with the node.
 */
export function loadNativeBackend(): SignatureBackend | undefined {
  const load = createRequire(import.meta.url)
  let addon: Addon
  try {
    addon = loadAddon(load)
  } catch {
    return undefined
  }
  const wrap = (): NativeSecp256k1 =>
    (load('secp256k1/lib') as (context: object) => NativeSecp256k1)(new addon.Secp256k1())
  let wrapped: NativeSecp256k1 | undefined
  const native = (): NativeSecp256k1 => (wrapped ??= wrap())
  return {
    name: 'secp256k1 (native)',
    sign(hash, privateKey) {
      const { signature, recid } = native().ecdsaSign(hash, privateKey)
      return { bytes: signature, yParity: recid === 0 ? 0 : 1 }
    },
    recover: (hash, signature, yParity) => native().ecdsaRecover(signature, yParity, hash, false),
    publicKey: (privateKey) => native().publicKeyCreate(privateKey, false),
  }
}

/** The binary where most systems have it; else what looks for it, which takes as long as loading it. */
function loadAddon(load: NodeJS.Require): Addon {
  const folder = load.resolve('secp256k1/package.json').slice(0, -'package.json'.length)
  try {
    return load(`${folder}prebuilds/${process.platform}-${process.arch}/secp256k1.glibc.node`) as Addon
  } catch {
    const find = createRequire(load.resolve('secp256k1/package.json'))('node-gyp-build') as (
      folder: string,
    ) => Addon
    return find(folder)
  }
}
