const from00 = 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'
const from10 = 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'
const from30 =
  'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE ' +
  'EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH BLOCKHASH COINBASE TIMESTAMP NUMBER ' +
  'DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE'
const from50 =
  'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0'
const fromF0 = 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'

const names = Array.from({ length: 256 }, (_, opcode) => `opcode 0x${opcode.toString(16)} not defined`)

function name(first: number, list: string): void {
  list.split(' ').forEach((mnemonic, index) => {
    names[first + index] = mnemonic
  })
}

function number(first: number, mnemonic: string, from: number, to: number): void {
  for (let index = from; index <= to; index++) names[first + index - from] = `${mnemonic}${index}`
}

name(0x00, from00)
name(0x10, from10)
name(0x20, 'KECCAK256')
name(0x30, from30)
name(0x50, from50)
number(0x60, 'PUSH', 1, 32)
number(0x80, 'DUP', 1, 16)
number(0x90, 'SWAP', 1, 16)
number(0xa0, 'LOG', 0, 4)
name(0xf0, fromF0)
name(0xfa, 'STATICCALL')
name(0xfd, 'REVERT INVALID SELFDESTRUCT')

/** What geth calls each opcode, by its byte (core/vm/opcodes.go): PREVRANDAO is DIFFICULTY there. */
export const opcodeNames: readonly string[] = names
