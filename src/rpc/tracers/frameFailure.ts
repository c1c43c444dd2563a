import { revmFailure } from '../revmFailure.js'
import type { TraceForm } from './tracerKind.js'

/** Parity's messages for geth's (geth: native/call_flat.go). */
const exact: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])

const byPrefix: readonly (readonly [prefix: string, message: string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

/** What anvil calls a failure by revm's name, where it does not use that name (revm-inspectors: tracing/utils.rs). */
const anvilNames: Readonly<Record<string, { parity: string; geth?: string }>> = {
  OutOfGas: { parity: 'Out of gas', geth: 'out of gas' },
  ReentrancySentryOOG: { parity: 'Out of gas' },
  InvalidFEOpcode: { parity: 'Bad instruction' },
  OpcodeNotFound: { parity: 'Bad instruction', geth: 'invalid opcode' },
  InvalidJump: { parity: 'Bad jump destination' },
  StackOverflow: { parity: 'Out of stack', geth: 'Out of stack' },
  OutOfFunds: { parity: 'Insufficient balance for transfer' },
}

/** Returns Parity's message for a failed frame; unknown failures keep geth's. */
export function parityMessage(failure: string, form: TraceForm): string {
  const name = form === 'anvil' ? revmFailure(failure) : undefined
  if (name !== undefined) return anvilNames[name]?.parity ?? name
  return exact.get(failure) ?? byPrefix.find(([prefix]) => failure.startsWith(prefix))?.[1] ?? failure
}

/** Returns the message of callTracer for a failed frame: geth's, or in anvil revm's name for most failures. */
export function frameFailure(failure: string, form: TraceForm): string {
  const name = form === 'anvil' ? revmFailure(failure) : undefined
  if (name === undefined) return failure
  const own = anvilNames[name]
  return own === undefined ? name : (own.geth ?? failure)
}
