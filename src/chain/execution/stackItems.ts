import type { RunState } from './runState.js'

/**
 * An item of the stack by its depth below the top, whose depth is zero. The loop has made sure that it is there.
 *
 * In the place of Stack.peek, which makes an array.
 */
export function stackItem(stack: RunState['stack'], depth: number): bigint {
  return stack['_store'][stack['_len'] - 1 - depth] as bigint
}

/** @throws Error if the library's stack is made otherwise */
export function checkStack(stack: RunState['stack']): void {
  stack.push(1n)
  stack.push(2n)
  const isKnown = stackItem(stack, 0) === 2n && stackItem(stack, 1) === 1n
  stack.popN(2)
  if (!isKnown) throw new Error('@ethereumjs/evm keeps the items of its stack elsewhere')
}
