import { keccak256InTurns } from '../../chain/crypto.js'
import { bytesToHex } from '../../encoding/hex.js'
import { type Method, defineMethod, required } from '../method.js'
import { data } from '../params/bytes.js'

/** The methods whose names begin with `web3_`. */
export const web3Methods: readonly Method[] = [
  /** web3_clientVersion: the name and version of the node. */
  defineMethod('web3_clientVersion', [], ({ backend }) => backend.clientVersion),
  /** web3_sha3: keccak-256 of some bytes. */
  defineMethod('web3_sha3', [required('data', data)], async (_call, bytes) =>
    bytesToHex(await keccak256InTurns(bytes)),
  ),
]

/** net_version: the chain id in decimal digits. */
export const version = defineMethod('net_version', [], ({ view }) => view.chainId.toString())

/** net_peerCount: zero: an own chain has no peers. */
export const peerCount = defineMethod('net_peerCount', [], () => '0x0')

/** net_listening: true: the node answers. */
export const listening = defineMethod('net_listening', [], () => true)

/** The methods whose names begin with `net_`. */
export const netMethods: readonly Method[] = [listening, peerCount, version]
