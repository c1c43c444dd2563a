import { feeHistory as collectFeeHistory } from '../../fees/feeHistory.js'
import { defineMethod, required } from '../../method.js'
import { checkHardhatFeeHistory } from '../hardhatRequest.js'
import { blockNumber } from '../../params/blockSelector.js'
import { type Decoder, ReasonError, TypeMismatchError, jsonTypeName, list } from '../../params/combinators.js'
import { shownValue } from '../../params/shownValue.js'

/** The number of blocks in a fee history: hexadecimal or decimal, number or string (geth: math.HexOrDecimal64). */
export const blockCount: Decoder<bigint> = {
  schema: { title: 'block count', type: ['string', 'integer'] },
  decode(value) {
    const text = typeof value === 'string' ? value : shownValue(value)
    if (text === '') return 0n
    // Reading a long text, or parsing a huge number, would hold up other requests.
    if (text.length > MAX_COUNT_LENGTH || !/^(0x[0-9a-f]+|[0-9]+)$/i.test(text)) throw invalidCount(text)
    const [, prefix = '', digits = ''] = /^(0x)?0*(.*)$/i.exec(text) ?? []
    if (digits.length > MAX_DIGITS) throw invalidCount(text)
    const count = BigInt(`${prefix.toLowerCase()}0${digits}`)
    if (count >= 1n << 64n) throw invalidCount(text)
    return count
  },
}

/** Characters of a number with leading zeros. */
const MAX_COUNT_LENGTH = 1024
/** Decimal digits of a 64-bit number. */
const MAX_DIGITS = 20

function invalidCount(text: string): ReasonError {
  return new ReasonError(`invalid hex or decimal integer ${shownValue(text)}`)
}

const percentile: Decoder<number> = {
  schema: { title: 'percentile', type: 'number' },
  decode(value) {
    if (value === null) return 0
    if (typeof value !== 'number') throw new TypeMismatchError(jsonTypeName(value), 'float64')
    if (!Number.isFinite(value)) throw new TypeMismatchError('number', 'float64')
    return value
  },
}

/** Percentiles of effective tips. */
export const rewardPercentiles = list(percentile, '[]float64')

/** eth_feeHistory: returns base fees, gas used and tips of recent blocks. */
export const feeHistory = defineMethod(
  'eth_feeHistory',
  [
    required('blockCount', blockCount),
    required('newestBlock', blockNumber),
    required('rewardPercentiles', rewardPercentiles),
  ],
  ({ view, backend }, count, newest, percentiles) => {
    const { requestChecks, emptyRewardWithoutPercentiles, feeHistoryEndsAtHead } =
      backend.settings.compatibility
    if (requestChecks === 'hardhat') checkHardhatFeeHistory(count, percentiles)
    return collectFeeHistory(
      {
        view,
        chain: backend.chain,
        imposedBaseFee: backend.controls.imposedBaseFee(),
        answersEmptyRewards: emptyRewardWithoutPercentiles,
        takesEqualPercentiles: requestChecks === 'hardhat',
        endsAtHead: feeHistoryEndsAtHead,
      },
      { count, newest, percentiles },
    )
  },
)
