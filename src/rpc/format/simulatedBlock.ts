import type { SimulatedBlock, SimulatedCall } from '../../chain/simulate/request.js'
import { revertError } from '../../chain/execution/revertReason.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { printJson } from '../wire.js'
import { totalDifficultyMember, type BlockShape } from './block.js'
import { bodyMembers, headerMembers } from './header.js'
import { ListWriter } from './listWriter.js'
import { logText } from './log.js'
import { jsonBytes, jsonQuantity, quantityMember } from './members.js'
import type { PieceWriter } from './pieceWriter.js'
import { placeInBlock, type BlockPlace } from './place.js'
import { transactionText } from './transaction.js'

/** The code of a call that reverted (geth: internal/ethapi/errors.go). */
const REVERTED_CODE = 3
/** The code of a call that failed otherwise. */
const FAILED_CODE = -32015
const CAPPED = " (gas limit was capped by the RPC server's global gas cap)"

/** What a simulated block shows. */
export interface SimulationShape extends BlockShape {
  /** Whether calls tell their gas before refunds. */
  peakGas: boolean
}

/** Writes the objects of simulated blocks: that of a block, and what its calls did. */
export function* writeSimulatedBlocks(
  blocks: readonly SimulatedBlock[],
  shape: SimulationShape,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const { block, calls } of blocks) {
    const place = placeInBlock(block)
    list.append(
      headerMembers(block.hash, block.header) +
        bodyMembers(block.size, block.uncleHashes, block.withdrawals) +
        totalDifficultyMember(block, shape),
    )
    writer.append(',"transactions":')
    const transactions = new ListWriter(writer)
    for (const [index, sealed] of block.transactions.entries()) {
      transactions.append(
        shape.fullTransactions ? transactionText(sealed, { block: place, index }) : jsonBytes(sealed.hash),
      )
      yield
    }
    transactions.end()
    writer.append(',"calls":')
    const shown = new ListWriter(writer)
    for (const [index, call] of calls.entries()) {
      const hash = block.transactions[index]?.hash
      const { peakGas } = shape
      const ownHash = hash === undefined ? 'null' : jsonBytes(hash)
      shown.append(callText(call, { block: place, index, hash: ownHash, peakGas }))
      yield
    }
    shown.end()
    writer.append('}')
  }
  list.end()
}

/** Where a call is. */
interface CallPlace {
  block: BlockPlace
  index: number
  /** JSON text. */
  hash: string
  peakGas: boolean
}

/** What a call did, its members in geth's order (internal/ethapi/simulate.go, simCallResult). */
function callText(call: SimulatedCall, { block, index, hash, peakGas }: CallPlace): string {
  const { returnData, logs, gasUsed, maxGasUsed, failure } = call
  const logTexts = logs.map((log) =>
    logText(log, { block, transactionHash: hash, transactionIndex: index, logIndex: log.index }),
  )
  return (
    `{"returnData":${failure === undefined ? jsonBytes(returnData) : '"0x"'},"logs":[${logTexts.join(',')}]` +
    `,"gasUsed":${jsonQuantity(gasUsed)}${quantityMember('maxUsedGas', peakGas ? maxGasUsed : undefined)}` +
    `,"status":${failure === undefined ? '"0x1"' : '"0x0"'}${errorMember(call)}}`
  )
}

function errorMember({ failure, returnData, isGasCapped }: SimulatedCall): string {
  if (failure === undefined) return ''
  if (failure.kind === 'revert') {
    const words = printJson(revertError(returnData).message)
    return `,"error":{"message":${words},"code":${REVERTED_CODE},"data":${jsonBytes(returnData)}}`
  }
  const words = printJson(isGasCapped ? failure.words + CAPPED : failure.words)
  return `,"error":{"message":${words},"code":${FAILED_CODE}}`
}
