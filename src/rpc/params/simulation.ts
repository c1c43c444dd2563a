import type { BlockToSimulate } from '../../chain/simulate/request.js'
import type { Decoder } from './parameter.js'
import { blockOverrides } from './blockOverrides.js'
import { boolean } from './boolean.js'
import { callObject, toCall } from './callObject.js'
import { list } from './list.js'
import { mapped } from './mapped.js'
import { stateOverride } from './stateOverride.js'
import { struct } from './struct.js'

const executedCall = mapped(callObject, toCall)

const blockMembers = struct(
  { struct: 'simBlock', type: 'ethapi.simBlock', capitalised: true },
  { blockOverrides, stateOverrides: stateOverride, calls: list(executedCall, '[]ethapi.TransactionArgs') },
)

const block = mapped(blockMembers, toBlock)

const options = struct(
  { struct: 'simOpts', type: 'ethapi.simOpts', capitalised: true },
  {
    blockStateCalls: list(block, '[]ethapi.simBlock'),
    traceTransfers: boolean,
    validation: boolean,
    returnFullTransactions: boolean,
  },
)

/** Blocks to simulate and how. */
export interface Simulation {
  blocks: BlockToSimulate[]
  traceTransfers: boolean
  validation: boolean
  returnFullTransactions: boolean
}

/** The payload of eth_simulateV1 (geth: internal/ethapi/simulate.go, simOpts). */
export const simulation: Decoder<Simulation> = mapped(options, ({ blockStateCalls = [], ...flags }) => {
  const { traceTransfers = false, validation = false, returnFullTransactions = false } = flags
  return { blocks: blockStateCalls, traceTransfers, validation, returnFullTransactions }
})

function toBlock({
  blockOverrides: given = {},
  stateOverrides = [],
  calls = [],
}: ReturnType<typeof blockMembers.decode>): BlockToSimulate {
  const { withdrawals, ...overrides } = given
  return {
    overrides: {
      ...overrides,
      ...(withdrawals !== undefined && {
        withdrawals: withdrawals.map(({ index = 0n, validatorIndex = 0n, address, amount = 0n }) => ({
          index,
          validatorIndex,
          address: address ?? new Uint8Array(20),
          amount,
        })),
      }),
    },
    stateOverrides,
    calls,
  }
}
