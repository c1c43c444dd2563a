import type { BuiltBlock } from '../../chain/mining/build.js'
import { bytesToHex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import type { JsonValue } from '../wire.js'

/** A block that was built, as the engine API hands out payloads (ExecutionPayloadEnvelope). */
export function formatBuiltBlock({ block, requests, sidecars, value }: BuiltBlock): JsonValue {
  const { header } = block
  return {
    executionPayload: {
      parentHash: bytesToHex(header.parentHash),
      feeRecipient: bytesToHex(header.coinbase),
      stateRoot: bytesToHex(header.stateRoot),
      receiptsRoot: bytesToHex(header.receiptsRoot),
      logsBloom: bytesToHex(header.logsBloom),
      prevRandao: bytesToHex(header.mixHash),
      blockNumber: quantity(header.number),
      gasLimit: quantity(header.gasLimit),
      gasUsed: quantity(header.gasUsed),
      timestamp: quantity(header.timestamp),
      extraData: bytesToHex(header.extraData),
      baseFeePerGas: quantity(header.baseFeePerGas ?? 0n),
      blockHash: bytesToHex(block.hash),
      transactions: block.transactions.map(({ transaction }) => bytesToHex(transaction.serialize())),
      withdrawals: block.withdrawals?.map(({ index, validatorIndex, address, amount }) => ({
        index: quantity(index),
        validatorIndex: quantity(validatorIndex),
        address: bytesToHex(address),
        amount: quantity(amount),
      })),
      blobGasUsed: header.blobGasUsed === undefined ? undefined : quantity(header.blobGasUsed),
      excessBlobGas: header.excessBlobGas === undefined ? undefined : quantity(header.excessBlobGas),
    },
    blockValue: quantity(value),
    blobsBundle: {
      commitments: sidecars.flatMap(({ commitments }) => commitments.map(bytesToHex)),
      proofs: sidecars.flatMap(({ proofs }) => proofs.map(bytesToHex)),
      blobs: sidecars.flatMap(({ blobs }) => blobs.map(bytesToHex)),
    },
    executionRequests: requests.flatMap(({ type, data }) =>
      data.length === 0 ? [] : [bytesToHex(Uint8Array.of(type, ...data))],
    ),
    shouldOverrideBuilder: false,
  }
}
