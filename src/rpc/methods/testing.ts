import type { BuiltBlock, PayloadAttributes } from '../../chain/mining/build.js'
import { bytesToHex, quantity } from '../../encoding/hex.js'
import { withdrawalText } from '../format/block.js'
import { jsonBytes, quantityMember, writtenTexts } from '../format/pieces.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import { address, data, hash } from '../params/bytes.js'
import { type Decoder, ReasonError, list, mapped, struct } from '../params/combinators.js'
import { uint64 } from '../params/numbers.js'
import { WireBytes, printJson } from '../wire.js'

/** Formats a built block as an engine API payload (ExecutionPayloadEnvelope). */
async function formatBuiltBlock({ block, requests, sidecars, value }: BuiltBlock): Promise<WireBytes> {
  const { header } = block
  const head = {
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
  }
  const rest = {
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
  const transactions = await writtenTexts(block.transactions, ({ transaction }) =>
    jsonBytes(transaction.serialize()),
  )
  const withdrawals = block.withdrawals && (await writtenTexts(block.withdrawals, withdrawalText))
  const blobGas =
    quantityMember('blobGasUsed', header.blobGasUsed) + quantityMember('excessBlobGas', header.excessBlobGas)
  return new WireBytes([
    `{"executionPayload":${printJson(head).slice(0, -1)},"transactions":`,
    ...transactions.pieces,
    ...(withdrawals === undefined ? [] : [',"withdrawals":', ...withdrawals.pieces]),
    `${blobGas}},${printJson(rest).slice(1)}`,
  ])
}

const withdrawal = struct(
  { struct: 'Withdrawal', type: 'types.Withdrawal' },
  { index: uint64, validatorIndex: uint64, address, amount: uint64 },
)

const members = struct(
  { struct: 'PayloadAttributes', type: 'engine.PayloadAttributes' },
  {
    timestamp: uint64,
    prevRandao: hash,
    suggestedFeeRecipient: address,
    withdrawals: list(withdrawal, '[]*types.Withdrawal'),
    parentBeaconBlockRoot: hash,
  },
)

/** Maximum number of withdrawals; blocks of mainnet have sixteen. */
const MAX_WITHDRAWALS = 50_000

/** Payload attributes of the consensus layer (engine API, PayloadAttributesV3). */
export const payloadAttributes: Decoder<PayloadAttributes> = mapped(
  members,
  ({ timestamp, prevRandao, suggestedFeeRecipient, ...rest }) => {
    const missing = (name: string): never => {
      throw new ReasonError(`missing required field '${name}' for PayloadAttributes`)
    }
    if ((rest.withdrawals ?? []).length > MAX_WITHDRAWALS) {
      throw new ReasonError(`more than ${MAX_WITHDRAWALS} withdrawals`)
    }
    return {
      timestamp: timestamp ?? missing('timestamp'),
      prevRandao: prevRandao ?? missing('prevRandao'),
      feeRecipient: suggestedFeeRecipient ?? missing('suggestedFeeRecipient'),
      parentBeaconBlockRoot: rest.parentBeaconBlockRoot,
      withdrawals: rest.withdrawals?.map(({ index = 0n, validatorIndex = 0n, address: to, amount = 0n }) => ({
        index,
        validatorIndex,
        address: to ?? new Uint8Array(20),
        amount,
      })),
    }
  },
  {
    ...members.schema,
    title: 'payload attributes',
    required: ['timestamp', 'prevRandao', 'suggestedFeeRecipient'],
  },
)

/** Raw transactions of a block to build. */
export const payloadTransactions = list(data, '[]hexutil.Bytes')

/** The methods of the `testing_` namespace. */
export const testingMethods: readonly Method[] = [
  /**
   * testing_buildBlockV1: builds a block on a parent from exactly the given transactions, or from the mempool if there
   * is no list, without changing the chain.
   */
  defineMethod(
    'testing_buildBlockV1',
    [
      required('parentHash', hash),
      required('payloadAttributes', payloadAttributes),
      optional('transactions', payloadTransactions),
      optional('extraData', data),
    ],
    async ({ backend }, parentHash, attributes, transactions, extraData) =>
      formatBuiltBlock(await backend.builder.build({ parentHash, attributes, transactions, extraData })),
  ),
]
