import type { Common } from '@ethereumjs/common'
import { type CallHost, createCallOpcodes } from './callOpcodes.js'
import { fastActions } from './fastOpcodes.js'
import type { OpcodeEntry, RunState } from './interpreter.js'
import { type DynamicGas, memoryGas } from './memoryGas.js'
import { stackItem } from './words.js'
import { createStateOpcodes } from './stateOpcodes.js'

const EXP = 0x0a
const GAS = 0x5a
const AsyncFunction = (async () => {}).constructor

/**
 * The opcodes of a fork, by their byte, that need not await anything; undefined for the others, which the library's own
 * step runs.
 *
 * ethereumjs marks some plain functions as asynchronous (CALLDATALOAD, CALLER), so the function itself is looked at.
 */
export function createSyncOpcodes(
  table: readonly OpcodeEntry[],
  rules: Common,
  host: CallHost,
): (SyncOpcode | undefined)[] {
  const own = rules.isActivatedEIP(2929)
    ? new Map([...createStateOpcodes(host, rules), ...createCallOpcodes(host, rules)])
    : new Map<number, Omit<SyncOpcode, 'gas'>>()
  return table.map(({ opcodeInfo, opHandler }, opcode) => {
    const { feeBigInt, dynamicGas, isInvalid } = opcodeInfo
    const gas = Number(feeBigInt)
    const seesGas = opcode === GAS
    if (isInvalid) return undefined
    const replaced = own.get(opcode)
    if (replaced !== undefined) return { gas, ...replaced }
    if (opHandler.constructor === AsyncFunction) return undefined
    const action = fastActions.get(opcode) ?? opHandler
    if (!dynamicGas) return { gas, dynamicGas: undefined, seesGas, action }
    const known = opcode === EXP ? exponentGas(Number(rules.param('expByteGas'))) : memoryGas[opcode]
    return known === undefined ? undefined : { gas, dynamicGas: known, seesGas, action }
  })
}

/** EXP costs by the bytes of its exponent (EIP-160). */
function exponentGas(perByte: number): DynamicGas {
  return ({ stack }) => {
    const exponent = stackItem(stack, 1)
    return exponent === 0n ? 0 : perByte * ((exponent.toString(16).length + 1) >> 1)
  }
}

/** An opcode that runs without a promise. */
export interface SyncOpcode {
  /** Gas that it always costs. */
  gas: number
  /** Gas that it costs besides. */
  dynamicGas: DynamicGas | undefined
  /** Whether it looks at the gas that is left, which is worked out for it then. */
  seesGas: boolean
  /** A promise only where the state is not at hand. */
  action: (runState: RunState, rules: Common) => unknown
}
