import { hexToBytes } from '../encoding/hex.js'
import type { Compat } from '../rpc/backend.js'

/** hardhat's: an address of nobody. */
const nobody = 'c014ba5e'.repeat(5)

/**
 * Who earns the tips of blocks unless a control says otherwise, 20 bytes. It is hardhat's address: the balance of the
 * zero address stays what contracts burn, and a call to it costs what it costs elsewhere (EIP-3651 makes the
 * beneficiary warm). In anvil and ganache it is the zero address.
 */
export function defaultCoinbase(compat: Compat | undefined): Uint8Array {
  return compat === 'anvil' || compat === 'ganache' ? new Uint8Array(20) : hexToBytes(nobody)
}
