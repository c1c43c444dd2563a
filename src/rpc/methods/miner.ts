import { type Method, defineMethod, optional, required } from '../method.js'
import { address, data } from '../params/bytes.js'
import { controlNumber } from '../params/numbers.js'

/** The methods whose names begin with `miner_`. */
export const minerMethods: readonly Method[] = [
  /** miner_setEtherbase: sets who gets the fees of blocks from the next on. */
  defineMethod('miner_setEtherbase', [required('address', address)], async ({ backend }, address) => {
    await backend.controls.setCoinbase(address)
    return null
  }),
  /** miner_setExtra: sets the extra data of blocks from the next on. */
  defineMethod('miner_setExtra', [required('extraData', data)], async ({ backend }, extraData) => {
    await backend.controls.setExtraData(extraData)
    return null
  }),
  /** miner_setGasPrice: makes eth_gasPrice answer so many wei per gas. */
  defineMethod('miner_setGasPrice', [required('gasPrice', controlNumber)], ({ backend }, gasPrice) => {
    backend.controls.setGasPrice(gasPrice)
    return null
  }),
  /** miner_start: mines a block for each transaction from now on, and for those that wait. */
  defineMethod('miner_start', [optional('threads', controlNumber)], async ({ backend }) => {
    await backend.controls.setAutomine(true)
    return null
  }),
  /** miner_stop: mines no more by itself, neither for transactions nor by the clock. */
  defineMethod('miner_stop', [], async ({ backend }) => {
    await backend.controls.setAutomine(false)
    await backend.controls.setIntervalMining(0)
    return null
  }),
]
