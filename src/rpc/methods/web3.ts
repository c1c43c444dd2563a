import { keccak256InSlices } from '../../chain/crypto.js'
import { bytesToHex } from '../../encoding/hex.js'
import { type Method, defineMethod, required } from '../method.js'
import { data } from '../params/bytes.js'

/** The methods of the `web3_` namespace. */
export const web3Methods: readonly Method[] = [
  /** web3_clientVersion: returns the node's name and version. */
  defineMethod('web3_clientVersion', [], ({ backend }) => backend.clientVersion),
  /** web3_sha3: returns the keccak-256 hash of bytes. */
  defineMethod('web3_sha3', [required('data', data)], async (_call, bytes) =>
    bytesToHex(await keccak256InSlices(bytes)),
  ),
]
