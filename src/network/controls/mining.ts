import { mineBlocks } from '../../chain/controls/mineBlocks.js'
import { UnsupportedControlError } from '../../chain/errors.js'
import type { MiningControls } from '../../rpc/controls.js'
import type { ControlParts } from './parts.js'

/** Mining by order and by itself. */
export function createMiningControls({ chain, schedule, habits }: ControlParts): MiningControls {
  const isLondon = () => chain.head.block.header.baseFeePerGas !== undefined
  const { mempool } = chain
  let gasPrice: bigint | undefined
  return {
    mine: (order, mined) => mineBlocks(chain, order, mined),
    miningMode: () => schedule.mode,
    setAutomine: async (enabled) => {
      // As in anvil, turning off what is off already leaves a clock running.
      if (habits.clockEndsAutomine && (enabled || schedule.mode.automine)) schedule.setInterval(0)
      await schedule.setAutomine(enabled)
    },
    setIntervalMining: async (interval) => {
      if (habits.clockEndsAutomine) await schedule.setAutomine(false)
      schedule.setInterval(interval)
    },
    setBlockGasLimit: (gas) =>
      chain.adjust(() => {
        chain.settings.gasLimit = gas
      }),
    setNextBaseFee: (baseFee) =>
      chain.adjust(() => {
        if (!isLondon()) {
          throw new UnsupportedControlError(
            'anvil_setNextBlockBaseFeePerGas is only supported when EIP-1559 is active',
          )
        }
        chain.settings.nextBaseFee = baseFee
      }),
    imposedBaseFee: () => chain.settings.nextBaseFee,
    setMinGasPrice: (price) => {
      if (isLondon()) {
        throw new UnsupportedControlError('anvil_setMinGasPrice is not supported when EIP-1559 is active')
      }
      mempool.options.minimumTip = price
      gasPrice = price
    },
    gasPrice: () => gasPrice,
    setGasPrice: (price) => {
      gasPrice = price
    },
    coinbase: () => chain.settings.coinbase,
    setCoinbase: (address) =>
      chain.adjust(() => {
        chain.settings.coinbase = address
      }),
    setPrevRandao: (value) =>
      chain.adjust(() => {
        if (!chain.nextRules().isActivatedEIP(4399)) {
          throw new UnsupportedControlError('anvil_setNextBlockPrevRandao is only supported after the merge')
        }
        chain.settings.nextPrevRandao = value
      }),
    setExtraData: (data) =>
      chain.adjust(() => {
        chain.settings.extraData = data
      }),
  }
}
