import { quantity } from '../../encoding/hex.js'
import { RpcError, ServerError } from '../errors.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import { address, passphrase, strictBoolean } from '../params/bytes.js'
import { controlNumber, controlUint64 } from '../params/numbers.js'
import { increaseTime } from './evm/increaseTime.js'
import { mineOrder, mine_detailed } from './evm/mine_detailed.js'
import { setAccountStorageAt } from './evm/setAccountStorageAt.js'
import { setIntervalMining } from './evm/setIntervalMining.js'
import { setTime } from './evm/setTime.js'
import { knows } from './personal.js'

/** The methods of the `evm_` namespace. */
export const evmMethods: readonly Method[] = [
  /**
   * evm_addAccount: starts accepting transactions from an account whose key the node lacks; false if it already did.
   * The passphrase is ignored.
   */
  defineMethod(
    'evm_addAccount',
    [required('address', address), required('passphrase', passphrase)],
    ({ backend }, account) => {
      if (knows(backend, account)) return false
      backend.controls.impersonate(account)
      return true
    },
  ),
  increaseTime,
  /** evm_mine: mines blocks immediately in any mining mode; returns zero, in hardhat as a decimal string. */
  defineMethod(
    'evm_mine',
    [optional('timestampOrOrder', mineOrder)],
    async ({ backend, context }, order = { blocks: 1 }) => {
      await backend.controls.mine({ ...order, signal: context.signal })
      return backend.settings.compatibility.returnsTimeAsDecimalString ? '0' : '0x0'
    },
  ),
  mine_detailed,
  /** evm_removeAccount: undoes evm_addAccount; false if there is nothing to undo. */
  defineMethod(
    'evm_removeAccount',
    [required('address', address), required('passphrase', passphrase)],
    async ({ backend }, account) => backend.controls.stopImpersonating(account),
  ),
  /**
   * evm_revert: reverts to a snapshot, removing it and all later ones. Returns false if there is none; anvil throws
   * once if its block is gone.
   */
  defineMethod('evm_revert', [required('snapshot', controlNumber)], async ({ backend }, id) => {
    const outcome = await backend.controls.revert(id)
    const { revertThrowsForLostSnapshot } = backend.settings.compatibility
    if (outcome === 'lost' && revertThrowsForLostSnapshot) throw new RpcError(-32001, 'Resource not found')
    return outcome === 'done'
  }),
  setAccountStorageAt,
  /** evm_setAutomine: enables or disables automine. */
  defineMethod('evm_setAutomine', [required('enabled', strictBoolean)], async ({ backend }, enabled) => {
    await backend.controls.setAutomine(enabled)
    return null
  }),
  /** evm_setBlockGasLimit: sets the gas limit, starting with the next block; returns true. */
  defineMethod(
    'evm_setBlockGasLimit',
    [required('gasLimit', controlUint64)],
    async ({ backend }, gasLimit) => {
      if (gasLimit === 0n) throw new ServerError('Block gas limit must be greater than 0')
      await backend.controls.setBlockGasLimit(gasLimit)
      return true
    },
  ),
  setIntervalMining,
  /** evm_setNextBlockTimestamp: fixes the timestamp of the next block, in seconds; in hardhat the answer repeats it. */
  defineMethod(
    'evm_setNextBlockTimestamp',
    [required('timestamp', controlUint64)],
    async ({ backend }, timestamp) => {
      await backend.controls.setNextBlockTimestamp(timestamp)
      return backend.settings.compatibility.returnsTimeAsDecimalString ? timestamp.toString() : null
    },
  ),
  setTime,
  /** evm_snapshot: saves head and state and returns the snapshot's number. */
  defineMethod('evm_snapshot', [], async ({ backend }) => quantity(await backend.controls.snapshot())),
]
