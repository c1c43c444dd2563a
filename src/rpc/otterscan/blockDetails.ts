import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { runInSlices, TimeSlice } from '../../encoding/timeSlice.js'
import { jsonQuantity } from '../format/members.js'
import { WireBytes } from '../wire.js'
import { blockObject } from './blockObject.js'
import { totalFees } from './totalFees.js'

/** A block without its transactions, what its making was rewarded with, and what its transactions paid. */
export async function blockDetails(view: ChainView, block: StoredBlock): Promise<WireBytes> {
  const object = blockObject(view, block)
  const fees = await runInSlices(totalFees(view.receiptsWire(block)), new TimeSlice())
  return new WireBytes([
    '{"block":',
    ...object,
    '},"issuance":{"blockReward":"0x0","uncleReward":"0x0","issuance":"0x0"}',
    `,"totalFees":${jsonQuantity(fees)}}`,
  ])
}
