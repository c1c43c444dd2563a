import { keccak256 } from '../../../chain/keccak.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { data } from '../../params/data.js'
import { defineMethod, required } from '../../method.js'

/** web3_sha3: keccak-256 of some bytes. */
export const sha3 = defineMethod('web3_sha3', [required('data', data)], (_call, bytes) =>
  bytesToHex(keccak256(bytes)),
)
