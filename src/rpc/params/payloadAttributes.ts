import type { PayloadAttributes } from '../../chain/mining/build.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { data } from './data.js'
import { ReasonError } from './decodeError.js'
import { hash } from './hash.js'
import { inPieces } from './inPieces.js'
import { list } from './list.js'
import { mapped } from './mapped.js'
import { struct } from './struct.js'
import { uint64 } from './uint64.js'

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

/** What the consensus layer says about a block to build (engine API, PayloadAttributesV3). */
export const payloadAttributes: Decoder<PayloadAttributes> = mapped(
  members,
  ({ timestamp, prevRandao, suggestedFeeRecipient, ...rest }) => {
    const missing = (name: string): never => {
      throw new ReasonError(`missing required field '${name}' for PayloadAttributes`)
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

const rawTransactions = list(data, '[]hexutil.Bytes')

/** The transactions of a block to build; null leaves the choice to the mempool. */
export const payloadTransactions: Decoder<Uint8Array[] | undefined> = {
  schema: rawTransactions.schema,
  decode: (value) => (value === null ? undefined : rawTransactions.decode(value)),
  *decodeInPieces(value) {
    return value === null ? undefined : yield* inPieces(rawTransactions, value)
  },
}
