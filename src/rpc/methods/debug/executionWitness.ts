import type { ExecutionWitness } from '../../../chain/tracing/executionWitness.js'
import type { SealedBlock, StoredBlock } from '../../../chain/block/record.js'
import { ChainError } from '../../../chain/errors.js'
import type { BlockSelector } from '../../../chain/view.js'
import type { Steps } from '../../../encoding/timeSlice.js'
import { ServerError } from '../../errors.js'
import { completeHeaderText } from '../../format/block.js'
import { ListWriter, type PieceWriter, writeBytes, written } from '../../format/pieces.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { isPending, printedSelector } from '../findBlock.js'

/**
 * debug_executionWitness: returns the trie nodes, codes and headers that executing a block reads, with which it can be
 * executed without a state (geth: eth/api_debug.go).
 *
 * @throws ServerError if the block is unknown or the first one
 */
export const executionWitness = defineMethod(
  'debug_executionWitness',
  [required('block', blockSelector)],
  async (call, selector) => {
    const { view, backend, context } = call
    const block = await blockOf(call, selector)
    if (block === undefined) throw new ServerError(`block ${printedSelector(selector)} not found`)
    if (view.blockByHash(block.header.parentHash) === undefined) {
      throw new ServerError(`block ${printedSelector(selector)} found, but parent missing`)
    }
    const { depositContract } = backend.forks
    const request = { view, block, requester: context, depositContract }
    const witness = await backend.tracing.executionWitness(request)
    return written((writer) => writeWitness(witness, writer))
  },
)

async function blockOf(
  { view }: Call,
  selector: BlockSelector,
): Promise<StoredBlock | SealedBlock | undefined> {
  if (isPending(selector)) return (await view.pendingBlock()).block
  try {
    return view.resolve(selector)
  } catch (error) {
    // geth does not say why, as where the hash names a block of another branch.
    if (error instanceof ChainError) return undefined
    throw error
  }
}

function* writeWitness({ headers, codes, state }: ExecutionWitness, writer: PieceWriter): Steps<void> {
  writer.append('{"headers":')
  const list = new ListWriter(writer)
  for (const { hash, header } of headers) {
    list.append(completeHeaderText(hash, header))
    yield
  }
  list.end()
  for (const [name, items] of [
    ['codes', codes],
    ['state', state],
  ] as const) {
    writer.append(`,"${name}":`)
    const list = new ListWriter(writer)
    for (const item of items) {
      list.append('')
      yield* writeBytes(item, writer)
    }
    list.end()
  }
  writer.append(',"keys":null}')
}
