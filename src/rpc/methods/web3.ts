import { keccak256InTurns } from '../../chain/crypto.js'
import { bytesToHex } from '../../encoding/hex.js'
import { type Method, defineMethod, required } from '../method.js'
import { data } from '../params/bytes.js'

/** The methods of the `web3_` namespace. */
export const web3Methods: readonly Method[] = [
  /** web3_clientVersion: returns the node's name and version. */
  defineMethod('web3_clientVersion', [], ({ backend }) => backend.clientVersion),
  /** web3_sha3: returns the keccak-256 hash of bytes. */
  defineMethod('web3_sha3', [required('data', data)], async (_call, bytes) =>
    bytesToHex(await keccak256InTurns(bytes)),
  ),
]

/** net_version: returns the chain id as a decimal string. */
export const version = defineMethod('net_version', [], ({ view }) => view.chainId.toString())

/** net_peerCount: returns zero, as the node has no peers. */
export const peerCount = defineMethod('net_peerCount', [], () => '0x0')

/** net_listening: returns true. */
export const listening = defineMethod('net_listening', [], () => true)

/** The methods of the `net_` namespace. */
export const netMethods: readonly Method[] = [listening, peerCount, version]
