import { EVM } from '@ethereumjs/evm'
import type { InterpreterConstructor } from './frameInterpreter.js'
import { checkStack } from './stackItems.js'

/**
 * The library's interpreter, which it does not export: a run of it shows one.
 *
 * @throws Error if it no longer has what is replaced in it
 */
export async function captureInterpreter(evm: EVM): Promise<InterpreterConstructor> {
  const { runState } = await EVM.prototype.runCode.call(evm, { code: Uint8Array.of(0x00), gasLimit: 1n })
  if (runState === undefined) throw new Error('@ethereumjs/evm no longer shows the state of a run')
  checkStack(runState.stack)
  const constructor = runState.interpreter.constructor as InterpreterConstructor
  for (const member of ['run', 'runStep']) {
    if (typeof Reflect.get(constructor.prototype, member) !== 'function') {
      throw new Error(`@ethereumjs/evm no longer has Interpreter.${member}`)
    }
  }
  return constructor
}
