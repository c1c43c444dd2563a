import { writeSimulatedBlocks } from '../../format/simulatedBlock.js'
import { written } from '../../format/written.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { simulation } from '../../params/simulation.js'

/** eth_simulateV1: blocks of calls on a base, one on the other, as if they were mined. */
export const simulateV1 = defineMethod(
  'eth_simulateV1',
  [required('payload', simulation), optional('block', blockSelector)],
  async ({ view, backend }, { blocks, traceTransfers, validation, returnFullTransactions }, base) => {
    const { totalDifficulty, compatibility } = backend.settings
    const simulated = await backend.simulator.simulate({
      view,
      base: base ?? { tag: 'latest' },
      blocks,
      fillsGaps: compatibility.simulationFillsGaps,
      traceTransfers,
      validation,
    })
    const { simulationReportsPeakGas: peakGas } = compatibility
    const shape = { fullTransactions: returnFullTransactions, totalDifficulty, peakGas }
    return written((writer) => writeSimulatedBlocks(simulated, shape, writer))
  },
)
