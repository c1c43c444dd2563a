import type { StateManagerInterface } from '@ethereumjs/common'
import { Account, KECCAK256_NULL, type Address } from '@ethereumjs/util'
import { isSameAddress } from '../state/account.js'

/**
 * The account of a contract that sends a transaction, as an impersonated one does. It reads as an account without code,
 * because runTx refuses all others (EIP-3607), and keeps the hash of its code for the journal that writes it back.
 */
export class ContractSender extends Account {
  /** 32 bytes. */
  readonly deployedCodeHash: Uint8Array

  constructor({ nonce, balance, storageRoot, codeHash }: Account) {
    super(nonce, balance, storageRoot, KECCAK256_NULL)
    this.deployedCodeHash = codeHash
  }
}

/**
 * A state manager that shows the account of a 20-byte address once as a {@link ContractSender}: the first time, which
 * is where runTx looks whether the sender has code. From then on everything reads as it is.
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

/** A state manager with other members in the place of some. */
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
