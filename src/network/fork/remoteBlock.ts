import type { HeaderFields } from '../../chain/types.js'
import { hexToBytes, type Hex } from '../../encoding/hex.js'

/** The members of a block on the wire that a header is made of (execution-apis, schemas/block). */
export interface RemoteBlock {
  number: Hex
  hash: Hex
  parentHash: Hex
  sha3Uncles: Hex
  miner: Hex
  stateRoot: Hex
  transactionsRoot: Hex
  receiptsRoot: Hex
  logsBloom: Hex
  difficulty?: Hex | null
  totalDifficulty?: Hex | null
  gasLimit: Hex
  gasUsed: Hex
  timestamp: Hex
  extraData: Hex
  mixHash?: Hex
  nonce?: Hex | null
  baseFeePerGas?: Hex
  withdrawalsRoot?: Hex
  blobGasUsed?: Hex
  excessBlobGas?: Hex
  parentBeaconBlockRoot?: Hex
  requestsHash?: Hex
}

/** The header of a block as it came over the wire. */
export function headerOf(block: RemoteBlock): HeaderFields {
  const header: HeaderFields = {
    parentHash: hexToBytes(block.parentHash),
    uncleHash: hexToBytes(block.sha3Uncles),
    coinbase: hexToBytes(block.miner),
    stateRoot: hexToBytes(block.stateRoot),
    transactionsRoot: hexToBytes(block.transactionsRoot),
    receiptsRoot: hexToBytes(block.receiptsRoot),
    logsBloom: hexToBytes(block.logsBloom),
    difficulty: BigInt(block.difficulty ?? 0),
    number: BigInt(block.number),
    gasLimit: BigInt(block.gasLimit),
    gasUsed: BigInt(block.gasUsed),
    timestamp: BigInt(block.timestamp),
    extraData: hexToBytes(block.extraData),
    mixHash: block.mixHash === undefined ? new Uint8Array(32) : hexToBytes(block.mixHash),
    nonce: hexToBytes(block.nonce ?? '0x0000000000000000'),
  }
  if (block.baseFeePerGas !== undefined) header.baseFeePerGas = BigInt(block.baseFeePerGas)
  if (block.withdrawalsRoot !== undefined) header.withdrawalsRoot = hexToBytes(block.withdrawalsRoot)
  if (block.blobGasUsed !== undefined) header.blobGasUsed = BigInt(block.blobGasUsed)
  if (block.excessBlobGas !== undefined) header.excessBlobGas = BigInt(block.excessBlobGas)
  if (block.parentBeaconBlockRoot !== undefined)
    header.parentBeaconBlockRoot = hexToBytes(block.parentBeaconBlockRoot)
  if (block.requestsHash !== undefined) header.requestsHash = hexToBytes(block.requestsHash)
  return header
}
