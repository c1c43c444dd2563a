import { address, hash } from './bytes.js'
import { big, uint64 } from './numbers.js'
import { list, struct } from './combinators.js'

const withdrawal = struct(
  { struct: 'Withdrawal', type: 'types.Withdrawal' },
  { index: uint64, validatorIndex: uint64, address, amount: uint64 },
)

/** The header fields that a call sees otherwise than they are (geth: override.BlockOverrides). */
export const blockOverrides = struct(
  { struct: 'BlockOverrides', type: 'override.BlockOverrides', capitalised: true },
  {
    number: big,
    difficulty: big,
    time: uint64,
    gasLimit: uint64,
    feeRecipient: address,
    prevRandao: hash,
    baseFeePerGas: big,
    blobBaseFee: big,
    beaconRoot: hash,
    withdrawals: list(withdrawal, 'types.Withdrawals'),
  },
)

/** Decoded block overrides. */
export type BlockOverrideArguments = ReturnType<typeof blockOverrides.decode>
