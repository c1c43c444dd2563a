import { blobBaseFee, headerBlobBaseFee, nextBaseFee, nextExcessBlobGas } from '../../chain/block/fees.js'
import type { ForkRules, HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'

/** The rules under which the block after a header runs. */
function rulesAfter(view: ChainView, header: HeaderFields): ForkRules {
  const { number, timestamp, difficulty } = header
  return view.rulesAt({ number: number + 1n, timestamp, difficulty })
}

/** The base fee (wei per gas) of the block after a header; undefined before London. */
export function baseFeeAfter(view: ChainView, header: HeaderFields): bigint | undefined {
  return nextBaseFee(header, rulesAfter(view, header))
}

/** The wei per blob gas in the block of a header; undefined before Cancun. */
export function blobBaseFeeAt(view: ChainView, header: HeaderFields): bigint | undefined {
  return headerBlobBaseFee(header, view.rulesAt(header))
}

/** The wei per blob gas in the block after a header; undefined before Cancun. */
export function blobBaseFeeAfter(view: ChainView, header: HeaderFields): bigint | undefined {
  const rules = rulesAfter(view, header)
  const excess = nextExcessBlobGas(header, rules)
  if (excess === undefined) return undefined
  return blobBaseFee(excess, rules.getBlobGasSchedule().blobGasPriceUpdateFraction)
}

/** Which part of the blob gas that a block may use is used; 0 before Cancun. */
export function blobGasUsedRatio(view: ChainView, header: HeaderFields): number {
  if (header.blobGasUsed === undefined || header.blobGasUsed === 0n) return 0
  return Number(header.blobGasUsed) / Number(view.rulesAt(header).getBlobGasSchedule().maxBlobGasPerBlock)
}
