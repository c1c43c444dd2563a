/** Revm's name for each of geth's failure messages (revm: context/interface/src/result.rs, HaltReason). */
const names: readonly (readonly [geth: RegExp, name: string])[] = [
  [/^out of gas: write protection|^write protection/, 'StateChangeDuringStaticCall'],
  [/^out of gas: not enough gas for reentrancy sentry/, 'ReentrancySentryOOG'],
  [/^(out of gas: )?max initcode size exceeded/, 'CreateInitCodeSizeLimit'],
  [/^(contract creation code storage )?out of gas/, 'OutOfGas'],
  [/^gas uint64 overflow/, 'InvalidOperandOOG'],
  [/^invalid opcode: INVALID$/, 'InvalidFEOpcode'],
  [/^invalid opcode/, 'OpcodeNotFound'],
  [/^stack underflow/, 'StackUnderflow'],
  [/^stack limit reached/, 'StackOverflow'],
  [/^invalid jump destination/, 'InvalidJump'],
  [/^return data out of bounds/, 'OutOfOffset'],
  [/^insufficient balance for transfer/, 'OutOfFunds'],
  [/^contract address collision/, 'CreateCollision'],
  [/^invalid code: must not begin with 0xef/, 'CreateContractStartingWithEF'],
  [/^max code size exceeded/, 'CreateContractSizeLimit'],
]

/** Returns revm's name for a failure with geth's message; undefined for a revert, and if revm has none. */
export function revmFailure(message: string): string | undefined {
  return names.find(([geth]) => geth.test(message))?.[1]
}
