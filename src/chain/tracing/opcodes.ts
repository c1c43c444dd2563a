/** Opcodes that tracers look at, by their mnemonics. */
export const opcodes = {
  KECCAK256: 0x20,
  BALANCE: 0x31,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  SLOAD: 0x54,
  SSTORE: 0x55,
  LOG0: 0xa0,
  LOG4: 0xa4,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  SELFDESTRUCT: 0xff,
} as const

/** How an opcode that calls another account is named. */
export const callTypes: ReadonlyMap<number, 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'> = new Map([
  [opcodes.CALL, 'CALL'],
  [opcodes.CALLCODE, 'CALLCODE'],
  [opcodes.DELEGATECALL, 'DELEGATECALL'],
  [opcodes.STATICCALL, 'STATICCALL'],
])

/** How an opcode that creates an account is named. */
export const createTypes: ReadonlyMap<number, 'CREATE' | 'CREATE2'> = new Map([
  [opcodes.CREATE, 'CREATE'],
  [opcodes.CREATE2, 'CREATE2'],
])

/** Whether an opcode takes a value from the stack that goes to the account that it calls. */
export function callsWithValue(opcode: number): boolean {
  return opcode === opcodes.CALL || opcode === opcodes.CALLCODE
}

/** By opcode: 1 where it begins a frame or leaves a log, so that it is of interest even where steps are not. */
export const framingOpcodes = new Uint8Array(256)
for (const opcode of [...callTypes.keys(), ...createTypes.keys(), opcodes.SELFDESTRUCT]) {
  framingOpcodes[opcode] = 1
}
framingOpcodes.fill(1, opcodes.LOG0, opcodes.LOG4 + 1)

const ADDRESS_MASK = 2n ** 160n - 1n

/** The 20-byte address in a stack item. */
export function wordToAddress(word: bigint): Uint8Array {
  const bytes = new Uint8Array(20)
  Buffer.from(bytes.buffer).write((word & ADDRESS_MASK).toString(16).padStart(40, '0'), 'hex')
  return bytes
}
