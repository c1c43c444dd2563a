import { bytesToHex } from '../../../encoding/hex.js'
import { hash } from '../../params/hash.js'
import { blockSelector } from '../../params/blockSelector.js'
import { defineMethod, optional, required } from '../../method.js'

/**
 * debug_codeByHash: the code with a keccak-256 hash, `0x` where no account of any block had it (anvil/src/eth/api.rs,
 * which takes a block too and looks at none).
 */
export const codeByHash = defineMethod(
  'debug_codeByHash',
  [required('hash', hash), optional('block', blockSelector)],
  ({ backend }, codeHash) => bytesToHex(backend.records.code(codeHash) ?? new Uint8Array(0)),
)
