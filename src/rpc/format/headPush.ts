import type { StoredBlock } from '../../chain/block/record.js'
import { jsonBytes, jsonQuantity } from './members.js'

/**
 * What newHeads pushes, in geth's order (core/types/block.go, Header): every member is there, and null where the fork
 * lacks it.
 */
export function headPushText({ hash, header }: Pick<StoredBlock, 'hash' | 'header'>): string {
  const quantityOrNull = (value: bigint | undefined): string =>
    value === undefined ? 'null' : jsonQuantity(value)
  const bytesOrNull = (value: Uint8Array | undefined): string =>
    value === undefined ? 'null' : jsonBytes(value)
  return (
    `{"parentHash":${jsonBytes(header.parentHash)},"sha3Uncles":${jsonBytes(header.uncleHash)}` +
    `,"miner":${jsonBytes(header.coinbase)},"stateRoot":${jsonBytes(header.stateRoot)}` +
    `,"transactionsRoot":${jsonBytes(header.transactionsRoot)},"receiptsRoot":${jsonBytes(header.receiptsRoot)}` +
    `,"logsBloom":${jsonBytes(header.logsBloom)},"difficulty":${jsonQuantity(header.difficulty)}` +
    `,"number":${jsonQuantity(header.number)},"gasLimit":${jsonQuantity(header.gasLimit)}` +
    `,"gasUsed":${jsonQuantity(header.gasUsed)},"timestamp":${jsonQuantity(header.timestamp)}` +
    `,"extraData":${jsonBytes(header.extraData)},"mixHash":${jsonBytes(header.mixHash)}` +
    `,"nonce":${jsonBytes(header.nonce)},"baseFeePerGas":${quantityOrNull(header.baseFeePerGas)}` +
    `,"withdrawalsRoot":${bytesOrNull(header.withdrawalsRoot)}` +
    `,"blobGasUsed":${quantityOrNull(header.blobGasUsed)},"excessBlobGas":${quantityOrNull(header.excessBlobGas)}` +
    `,"parentBeaconBlockRoot":${bytesOrNull(header.parentBeaconBlockRoot)}` +
    `,"requestsHash":${bytesOrNull(header.requestsHash)},"blockAccessListHash":null,"slotNumber":null` +
    `,"hash":${jsonBytes(hash)}}`
  )
}
