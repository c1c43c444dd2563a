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

/** The methods whose names begin with `evm_`. */
export const evmMethods: readonly Method[] = [
  /**
   * evm_addAccount: takes transactions of an account that the node has no key of; false if it did already. The
   * passphrase means nothing here.
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
  /** evm_mine: mines blocks now, whatever the mining mode; zero, which hardhat writes as decimal text. */
  defineMethod(
    'evm_mine',
    [optional('timestampOrOrder', mineOrder)],
    async ({ backend, context }, order = { blocks: 1 }) => {
      await backend.controls.mine({ ...order, signal: context.signal })
      return backend.settings.compatibility.returnsTimeAsDecimalText ? '0' : '0x0'
    },
  ),
  mine_detailed,
  /** evm_removeAccount: takes back evm_addAccount; false if there is nothing to take back. */
  defineMethod(
    'evm_removeAccount',
    [required('address', address), required('passphrase', passphrase)],
    async ({ backend }, account) => backend.controls.stopImpersonating(account),
  ),
  /**
   * evm_revert: goes back to a snapshot, which is used up; later ones are gone. False if there is none; anvil refuses
   * once if its block is gone.
   */
  defineMethod('evm_revert', [required('snapshot', controlNumber)], async ({ backend }, id) => {
    const outcome = await backend.controls.revert(id)
    const { tellsLostSnapshots } = backend.settings.compatibility
    if (outcome === 'lost' && tellsLostSnapshots) throw new RpcError(-32001, 'Resource not found')
    return outcome === 'done'
  }),
  setAccountStorageAt,
  /** evm_setAutomine: switches mining on every transaction on or off. */
  defineMethod('evm_setAutomine', [required('enabled', strictBoolean)], async ({ backend }, enabled) => {
    await backend.controls.setAutomine(enabled)
    return null
  }),
  /** evm_setBlockGasLimit: sets the gas limit of blocks from the next on; true. */
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
  /** evm_setNextBlockTimestamp: fixes the time of the next block, in seconds. In hardhat the answer repeats it. */
  defineMethod(
    'evm_setNextBlockTimestamp',
    [required('timestamp', controlUint64)],
    async ({ backend }, timestamp) => {
      await backend.controls.setNextBlockTimestamp(timestamp)
      return backend.settings.compatibility.returnsTimeAsDecimalText ? timestamp.toString() : null
    },
  ),
  setTime,
  /** evm_snapshot: remembers head and state and answers the number of the snapshot. */
  defineMethod('evm_snapshot', [], async ({ backend }) => quantity(await backend.controls.snapshot())),
]
