import { generateAddress, generateAddress2 } from '@ethereumjs/util'
import { bigintToBytes, minimalBytes } from '../../encoding/quantity.js'
import type { RunState } from '../evm/interpreter.js'
import type { ForkRules } from '../types.js'
import { callsWithValue, callTypes, createTypes, wordToAddress } from './opcodes.js'
import type { ExecutionTracer, FrameStart } from './tracer.js'

const MAX_NONCE = 2n ** 64n - 1n

/**
 * Tells of a call or creation that fails before it begins, because it is too deep or its value is not there. The
 * machine makes no message of it; geth shows it as a frame (core/vm/evm.go, Call and create).
 */
export async function reportHopelessFrame(
  runState: RunState,
  rules: ForkRules,
  tracer: ExecutionTracer,
): Promise<void> {
  const { opCode: opcode, stack, env } = runState
  const isCreation = createTypes.has(opcode)
  if (!isCreation && !callTypes.has(opcode)) return
  const value = valueOf(opcode, stack.peek(Math.min(stack.length, 3)))
  const failure = failureOf(
    { depth: env.depth, balance: env.contract.balance, value, isCreation },
    rules,
    env.contract.nonce,
  )
  if (failure === undefined || tracer.enter === undefined) return
  const frame = isCreation ? creation(runState) : call(runState, rules, value)
  await tracer.enter(frame)
  await tracer.exit?.({ depth: frame.depth, output: new Uint8Array(0), gasUsed: 0n, failure })
}

function valueOf(opcode: number, top: readonly bigint[]): bigint {
  if (createTypes.has(opcode)) return top[0] ?? 0n
  return callsWithValue(opcode) ? (top[2] ?? 0n) : 0n
}

interface Attempt {
  depth: number
  balance: bigint
  value: bigint
  isCreation: boolean
}

function failureOf(
  { depth, balance, value, isCreation }: Attempt,
  rules: ForkRules,
  nonce: bigint,
): string | undefined {
  if (depth >= Number(rules.param('stackLimit'))) return 'max call depth exceeded'
  if (balance < value) return 'insufficient balance for transfer'
  return isCreation && nonce >= MAX_NONCE ? 'nonce uint64 overflow' : undefined
}

function call(
  { opCode, stack, env, memory, messageGasLimit = 0n }: RunState,
  rules: ForkRules,
  value: bigint,
): FrameStart {
  const withValue = callsWithValue(opCode)
  const [, to = 0n, ...rest] = stack.peek(withValue ? 5 : 4)
  const [offset = 0n, length = 0n] = withValue ? rest.slice(1) : rest
  const type = callTypes.get(opCode) ?? 'CALL'
  const inherited = type === 'DELEGATECALL' ? env.callValue : value
  return {
    type,
    depth: env.depth + 1,
    from: env.address.bytes,
    to: wordToAddress(to),
    input: memory.read(Number(offset), Number(length)),
    gas: value > 0n ? messageGasLimit + rules.param('callStipendGas') : messageGasLimit,
    ...(type === 'STATICCALL' ? {} : { value: inherited }),
  }
}

function creation({ opCode, stack, env, memory, messageGasLimit = 0n }: RunState): FrameStart {
  const [value = 0n, offset = 0n, length = 0n, salt = 0n] = stack.peek(opCode === 0xf5 ? 4 : 3)
  const input = memory.read(Number(offset), Number(length))
  const from = env.address.bytes
  const type = createTypes.get(opCode) ?? 'CREATE'
  return {
    type,
    depth: env.depth + 1,
    from,
    to:
      type === 'CREATE2'
        ? generateAddress2(from, bigintToBytes(salt, 32), input)
        : generateAddress(from, minimalBytes(env.contract.nonce)),
    input,
    gas: messageGasLimit,
    value,
  }
}
