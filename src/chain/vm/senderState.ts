import type { StateManagerInterface } from '@ethereumjs/common'
import { Account, KECCAK256_NULL, type Address } from '@ethereumjs/util'
import { isSameAddress } from '../state/account.js'

/**
 * The account of a contract that sends a transaction, which impersonation allows. It pretends to have no code, because
 * runTx rejects contract senders (EIP-3607), and keeps the real code hash for when the journal writes it back.
 */
export class ContractSender extends Account {
  /** The real code hash, 32 bytes. */
  readonly deployedCodeHash: Uint8Array

  constructor({ nonce, balance, storageRoot, codeHash }: Account) {
    super(nonce, balance, storageRoot, KECCAK256_NULL)
    this.deployedCodeHash = codeHash
  }
}

/**
 * Returns a state manager that presents the account of a 20-byte address as a {@link ContractSender} on the first read
 * only, which is where runTx checks the sender for code.
 */
export function hideSenderCode(state: StateManagerInterface, sender: Uint8Array): StateManagerInterface {
  let isHidden = true
  return replaceMembers(state, {
    getAccount: async (address: Address) => {
      const account = await state.getAccount(address)
      if (!isHidden || account === undefined || !isSameAddress(address.bytes, sender)) return account
      isHidden = false
      return new ContractSender(account)
    },
  })
}

/** Returns a state manager with some members replaced. */
export function replaceMembers(
  state: StateManagerInterface,
  members: Partial<StateManagerInterface>,
): StateManagerInterface {
  return new Proxy(state, {
    get: (target, name) => {
      const replaced: unknown = Reflect.get(members, name)
      if (replaced !== undefined) return replaced
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
