import { blockNumber } from '../../params/blockNumber.js'
import { feeHistory as collectFeeHistory } from '../../fees/feeHistory.js'
import { blockCount, rewardPercentiles } from '../../params/feeHistory.js'
import { defineMethod, required } from '../../method.js'

/** eth_feeHistory: base fees, gas used and tips of recent blocks. */
export const feeHistory = defineMethod(
  'eth_feeHistory',
  [
    required('blockCount', blockCount),
    required('newestBlock', blockNumber),
    required('rewardPercentiles', rewardPercentiles),
  ],
  ({ view, backend }, count, newest, percentiles) =>
    collectFeeHistory(
      {
        view,
        chain: backend.chain,
        imposedBaseFee: backend.controls.imposedBaseFee(),
        answersEmptyRewards: backend.settings.compatibility.emptyRewardWithoutPercentiles,
      },
      { count, newest, percentiles },
    ),
)
