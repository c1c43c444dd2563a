import type { ExecResult } from '@ethereumjs/evm'

/** ethereumjs' interpreter of one frame; the package does not export its class. */
export type Interpreter = NonNullable<ExecResult['runState']>['interpreter']

/** What an interpreter keeps of its frame while it runs. */
export type RunState = NonNullable<ExecResult['runState']>

/** What the library knows of an opcode. */
export type OpcodeEntry = ReturnType<Interpreter['lookupOpInfo']>
