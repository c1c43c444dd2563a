import { importBranch, reorganise, rollback } from '../../chain/controls/reorganise.js'
import { decodeTransaction } from '../../chain/mempool/decode.js'
import { recoverTransaction } from '../../chain/mempool/sender.js'
import type { HistoryControls } from '../../rpc/controls.js'
import { resetChain } from '../reset.js'
import type { ControlParts } from './parts.js'

/** Going back, and going another way. */
export function createHistoryControls(parts: ControlParts): HistoryControls {
  const { chain, bases, wallet, snapshots, instance, recoveries } = parts
  return {
    snapshot: () => snapshots.take(),
    revert: (id) => snapshots.revert(id),
    snapshots: () => snapshots.list(),
    reset: async (order) => {
      await resetChain(parts, order)
      recoveries.clear()
      instance.renew()
    },
    setRemote: (url) => bases.setUrl(url),
    rollback: (depth) => rollback(chain, depth),
    importBlocks: (blocks) => importBranch(chain, blocks),
    reorganise: (order) =>
      reorganise(
        {
          chain,
          prepare: async (transaction, nonceOf) => {
            if (transaction instanceof Uint8Array) {
              return recoverTransaction(decodeTransaction(transaction), chain.nextRules())
            }
            const nonce = transaction.nonce ?? (await nonceOf(transaction.from))
            return wallet.prepareUnsigned({ ...transaction, nonce })
          },
        },
        order,
      ),
  }
}
