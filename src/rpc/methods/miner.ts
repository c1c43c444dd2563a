import { type Method, defineMethod, optional, required } from '../method.js'
import { address, data } from '../params/bytes.js'
import { controlNumber } from '../params/numbers.js'

/** The methods of the `miner_` namespace. */
export const minerMethods: readonly Method[] = [
  /** miner_setEtherbase: sets the fee recipient, starting with the next block. */
  defineMethod('miner_setEtherbase', [required('address', address)], async ({ backend }, address) => {
    await backend.controls.setCoinbase(address)
    return null
  }),
  /** miner_setExtra: sets the extra data, starting with the next block. */
  defineMethod('miner_setExtra', [required('extraData', data)], async ({ backend }, extraData) => {
    await backend.controls.setExtraData(extraData)
    return null
  }),
  /** miner_setGasPrice: sets the answer of eth_gasPrice in wei per gas. */
  defineMethod('miner_setGasPrice', [required('gasPrice', controlNumber)], ({ backend }, gasPrice) => {
    backend.controls.setGasPrice(gasPrice)
    return null
  }),
  /** miner_start: enables automine and mines pending transactions. */
  defineMethod('miner_start', [optional('threads', controlNumber)], async ({ backend }) => {
    await backend.controls.setAutomine(true)
    return null
  }),
  /** miner_stop: disables automine and interval mining. */
  defineMethod('miner_stop', [], async ({ backend }) => {
    await backend.controls.setAutomine(false)
    await backend.controls.setIntervalMining(0)
    return null
  }),
]
