/** Runs of consecutive opcodes, by the first one. */
const sequences: readonly [first: number, mnemonics: string][] = [
  [0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'],
  [0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'],
  [0x20, 'KECCAK256'],
  [0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY'],
  [0x38, 'CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH'],
  [0x40, 'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE'],
  [0x48, 'BASEFEE BLOBHASH BLOBBASEFEE SLOTNUM'],
  [0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0'],
  [0x60, numbered('PUSH', 1, 32)],
  [0x80, numbered('DUP', 1, 16)],
  [0x90, numbered('SWAP', 1, 16)],
  [0xa0, numbered('LOG', 0, 4)],
  [0xd0, 'DATALOAD DATALOADN DATASIZE DATACOPY'],
  [0xe0, 'RJUMP RJUMPI RJUMPV CALLF RETF JUMPF DUPN SWAPN EXCHANGE'],
  [0xec, 'EOFCREATE'],
  [0xee, 'RETURNCONTRACT'],
  [0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'],
  [0xf7, 'RETURNDATALOAD EXTCALL EXTDELEGATECALL STATICCALL EXTSTATICCALL'],
  [0xfd, 'REVERT INVALID SELFDESTRUCT'],
]

function numbered(mnemonic: string, from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `${mnemonic}${from + index}`).join(' ')
}

/**
 * geth's names of all opcodes by byte, whatever the fork (core/vm/opcodes.go). PREVRANDAO is called DIFFICULTY there,
 * and planned opcodes are named, too.
 */
export const opcodeNames: readonly string[] = nameOpcodes()

function nameOpcodes(): string[] {
  const names = Array.from({ length: 256 }, (_, opcode) => `opcode 0x${opcode.toString(16)} not defined`)
  for (const [first, mnemonics] of sequences) {
    for (const [index, mnemonic] of mnemonics.split(' ').entries()) names[first + index] = mnemonic
  }
  return names
}
