import type { SignatureBackend } from './backend.js'

/** The back end that runs wherever WebAssembly does. */
export async function loadWasmBackend(): Promise<SignatureBackend> {
  const wasm = await import('tiny-secp256k1')
  const present = (key: Uint8Array | null): Uint8Array => {
    if (key === null) throw new Error('No public key belongs to this signature')
    return key
  }
  return {
    name: 'tiny-secp256k1 (wasm)',
    sign(hash, privateKey) {
      const { signature, recoveryId } = wasm.signRecoverable(hash, privateKey)
      return { bytes: signature, yParity: recoveryId === 0 ? 0 : 1 }
    },
    recover: (hash, signature, yParity) => present(wasm.recover(hash, signature, yParity, false)),
    publicKey: (privateKey) => present(wasm.pointFromScalar(privateKey, false)),
  }
}
