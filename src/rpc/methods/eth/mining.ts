import { defineMethod } from '../../method.js'

/** eth_mining: false, as the hosted provider answers it; in ganache whether a block is mined for each transaction. */
export const mining = defineMethod(
  'eth_mining',
  [],
  ({ backend }) =>
    backend.settings.compatibility.miningReportsAutomine && backend.controls.miningMode().automine,
)
