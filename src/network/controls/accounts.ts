import { accountOfKey } from '../../chain/accounts/mnemonic.js'
import type { AccountControls, PoolControls } from '../../rpc/controls.js'
import type { ControlParts } from './parts.js'

/** Who may send transactions. */
export function createAccountControls({ impersonation, keyring, recoveries }: ControlParts): AccountControls {
  return {
    impersonate: (address) => impersonation.start(address),
    stopImpersonating: (address) => impersonation.stop(address),
    autoImpersonate: (enabled) => {
      impersonation.automatic = enabled
    },
    impersonateSignature: (signature, address) => recoveries.set(signature, address),
    impersonated: () => impersonation.addresses(),
    importKey: (privateKey) => {
      const account = accountOfKey(privateKey)
      keyring.add(account)
      return account.address
    },
  }
}

/** What waits for a block. */
export function createPoolControls({ chain, submission, wallet }: ControlParts): PoolControls {
  const { mempool } = chain
  const change = <T>(work: () => T): Promise<T> =>
    chain.exclusively(() => {
      const result = work()
      submission.removeStale()
      return result
    })
  return {
    dropTransaction: (hash) => change(() => mempool.drop(hash) !== undefined),
    dropAllTransactions: () => change(() => mempool.dropAll()),
    dropTransactionsFrom: (sender) => change(() => mempool.dropFrom(sender)),
    sendUnsigned: async (call) => (await submission.sendPrepared(() => wallet.prepareUnsigned(call))).hash,
  }
}
