/** Opcodes that tracers observe, by mnemonic. */
export const opcodes = {
  STOP: 0x00,
  KECCAK256: 0x20,
  BALANCE: 0x31,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  EXTCODEHASH: 0x3f,
  SLOAD: 0x54,
  SSTORE: 0x55,
  LOG0: 0xa0,
  LOG4: 0xa4,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  SELFDESTRUCT: 0xff,
} as const

/** Frame types of the opcodes that call another account. */
export const callTypes: ReadonlyMap<number, 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'> = new Map([
  [opcodes.CALL, 'CALL'],
  [opcodes.CALLCODE, 'CALLCODE'],
  [opcodes.DELEGATECALL, 'DELEGATECALL'],
  [opcodes.STATICCALL, 'STATICCALL'],
])

/** Frame types of the opcodes that create an account. */
export const createTypes: ReadonlyMap<number, 'CREATE' | 'CREATE2'> = new Map([
  [opcodes.CREATE, 'CREATE'],
  [opcodes.CREATE2, 'CREATE2'],
])

/** Whether an opcode takes a value from the stack and transfers it to the called account. */
export function callsWithValue(opcode: number): boolean {
  return opcode === opcodes.CALL || opcode === opcodes.CALLCODE
}

/** 1 for opcodes that start a frame or emit a log, which matter even to tracers without steps. */
export const framingOpcodes = new Uint8Array(256)
for (const opcode of [...callTypes.keys(), ...createTypes.keys(), opcodes.SELFDESTRUCT]) {
  framingOpcodes[opcode] = 1
}
framingOpcodes.fill(1, opcodes.LOG0, opcodes.LOG4 + 1)
