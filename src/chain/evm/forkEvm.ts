import { EVM, type EVMOpts } from '@ethereumjs/evm'
import { createTypes } from '../tracing/opcodes.js'
import type { ForkRules } from '../types.js'
import { withInitcodeLimit } from './failure.js'
import type { OpcodeEntry } from './internals.js'

/** The first EVM of each set of rules. */
const firstEvms = new WeakMap<ForkRules, ForkEvm>()

/** An EVM that shares the opcode tables of its fork with others: building them takes longer than a small call. */
export class ForkEvm extends EVM {
  declare readonly common: ForkRules

  protected constructor(options: EVMOpts) {
    super(options)
    // The rules never change, and through this listener of the library they would keep every EVM in memory.
    this.common.events.removeAllListeners('hardforkChanged')
  }

  /** Called by the library's constructor. */
  override getActiveOpcodes(): ReturnType<EVM['getActiveOpcodes']> {
    const first = firstEvms.get(this.common)
    if (first === undefined) {
      firstEvms.set(this.common, this)
      super.getActiveOpcodes()
      for (const opcode of createTypes.keys()) {
        this._opcodeMap[opcode] = withInitcodeLimit(this._opcodeMap[opcode] as OpcodeEntry, this.common)
      }
    } else {
      this._opcodes = first._opcodes
      this._dynamicGasHandlers = first._dynamicGasHandlers
      this._handlers = first._handlers
      this._opcodeMap = first._opcodeMap
    }
    return this._opcodes
  }
}
