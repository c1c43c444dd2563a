import type { HeaderFields, Withdrawal } from '../../chain/types.js'
import { bytesMember, jsonBytes, jsonQuantity, quantityMember } from './members.js'

type NullableMember = 'hash' | 'number' | 'nonce' | 'logsBloom' | 'miner' | 'mixHash'

/** Members that are null instead of what the header says. */
export type NullMembers = ReadonlySet<NullableMember>

/** No member is null. */
export const noNullMembers: NullMembers = new Set()

/**
 * The members of a header as JSON text with an opening brace and no closing one; those of forks that are not active are
 * absent (geth: internal/ethapi/api.go, RPCMarshalHeader).
 */
export function headerMembers(hash: Uint8Array, header: HeaderFields, nulls = noNullMembers): string {
  const orNull = (name: NullableMember, text: string): string =>
    `,"${name}":${nulls.has(name) ? 'null' : text}`
  return (
    `{"difficulty":${jsonQuantity(header.difficulty)}` +
    quantityMember('baseFeePerGas', header.baseFeePerGas) +
    quantityMember('blobGasUsed', header.blobGasUsed) +
    quantityMember('excessBlobGas', header.excessBlobGas) +
    `,"extraData":${jsonBytes(header.extraData)},"gasLimit":${jsonQuantity(header.gasLimit)}` +
    `,"gasUsed":${jsonQuantity(header.gasUsed)}` +
    orNull('hash', jsonBytes(hash)) +
    orNull('logsBloom', jsonBytes(header.logsBloom)) +
    orNull('miner', jsonBytes(header.coinbase)) +
    orNull('mixHash', jsonBytes(header.mixHash)) +
    orNull('nonce', jsonBytes(header.nonce)) +
    orNull('number', jsonQuantity(header.number)) +
    bytesMember('parentBeaconBlockRoot', header.parentBeaconBlockRoot) +
    `,"parentHash":${jsonBytes(header.parentHash)},"receiptsRoot":${jsonBytes(header.receiptsRoot)}` +
    bytesMember('requestsHash', header.requestsHash) +
    `,"sha3Uncles":${jsonBytes(header.uncleHash)},"stateRoot":${jsonBytes(header.stateRoot)}` +
    `,"timestamp":${jsonQuantity(header.timestamp)},"transactionsRoot":${jsonBytes(header.transactionsRoot)}` +
    bytesMember('withdrawalsRoot', header.withdrawalsRoot)
  )
}

/** The members that a block has beside those of its header, its transactions and its total difficulty. */
export function bodyMembers(
  size: number,
  uncleHashes: readonly Uint8Array[],
  withdrawals: readonly Withdrawal[] | undefined,
): string {
  const text = `,"size":${jsonQuantity(size)},"uncles":[${uncleHashes.map(jsonBytes).join(',')}]`
  if (withdrawals === undefined) return text
  const entries = withdrawals.map(
    ({ index, validatorIndex, address, amount }) =>
      `{"index":${jsonQuantity(index)},"validatorIndex":${jsonQuantity(validatorIndex)}` +
      `,"address":${jsonBytes(address)},"amount":${jsonQuantity(amount)}}`,
  )
  return `${text},"withdrawals":[${entries.join(',')}]`
}
