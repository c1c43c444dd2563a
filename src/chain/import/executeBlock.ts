import { EthereumJSError } from '@ethereumjs/util'
import { minBigint } from '../../encoding/bigints.js'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { headerToList } from '../block/header.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import { sealBlock } from '../block/body.js'
import { createCallSite } from '../calls/call.js'
import { ChainError, ImportError } from '../errors.js'
import { type ForkSchedule, MAX_TRANSACTION_GAS } from '../evm/forkSchedule.js'
import { type ChainPosition, type HeadStates, isAltered } from '../head/position.js'
import { keccak256 } from '../crypto.js'
import { decodeTransaction } from '../mempool/decode.js'
import { type PooledTransaction, checkSignature, recoverTransaction } from '../mempool/transaction.js'
import type { ProducedBlock } from '../mining/producer.js'
import { encodeRlp } from '../rlp.js'
import { WorkingState } from '../state/workingState.js'
import type { ForkRules, HeaderFields } from '../types.js'
import type { ChainView } from '../view.js'
import { BlockExecution } from '../vm/block.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import { SystemCallError } from '../vm/systemCalls.js'
import { type BlockParts, hasAtMost } from './blockParts.js'
import { payDaoRefunds } from './daoFork.js'
import { checkHeader } from './headerChecks.js'
import { type Ancestry, checkUncles } from './uncles.js'

/** EIP-7934: maximum length of a block's RLP in bytes. */
const MAXIMUM_BLOCK_SIZE = 8_388_608

/** A block to import, and its context. */
export interface ImportInput {
  block: BlockParts
  parent: StoredBlock
  schedule: ForkSchedule
  blocks: Ancestry
  /** The state after the parent; the block's changes are applied to it. */
  state: WorkingState
  /** Returns the hash of an earlier block, for BLOCKHASH. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/**
 * Executes a block from elsewhere, and checks the result against its header.
 *
 * @throws ImportError that names the block and the field; the state is unusable then
 */
async function executeBlock(input: ImportInput): Promise<ProducedBlock> {
  const { block, parent, schedule, blocks, state, blockHash } = input
  const { header, withdrawals } = block
  const rules = schedule.rulesAt(header)
  checkHeader({ header, parent, rules, schedule })
  checkBody(block, rules)
  checkUncles(block, blocks, schedule)
  const slice = new TimeSlice()
  const pooled: PooledTransaction[] = []
  for (const [index, raw] of block.transactions.entries()) {
    if (raw.length > FREE_BYTES) await runInSlices(checkLength(raw, rules, { header, index }), slice)
    pooled.push(readTransaction(raw, rules, { header, index }))
    // Also after the last one, since the first block of a process has yet to create an EVM.
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  const environment = createBlockEnvironment(header, rules)
  return withEvm({ rules, state, block: environment, blockHash }, async (evm) => {
    const { depositContract } = schedule
    await payDaoRefunds(state, header, schedule)
    const execution = await BlockExecution.begin({ evm, rules, header, block: environment, depositContract })
    for (const [index, transaction] of pooled.entries()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      await execution.apply(transaction).catch(refuseTransaction(header, index))
    }
    const { uncles, uncleHashes, size } = block
    const outcome = await execution.finish({ withdrawals, uncles }).catch(refuseRequests(header))
    const commitment = await state.computeRootInSlices(slice)
    const sealing = sealBlock(execution, outcome, {
      header,
      stateRoot: commitment.root,
      parentTotalDifficulty: parent.totalDifficulty,
      altered: false,
      ...(withdrawals !== undefined && { withdrawals }),
    })
    const sealed = await runInSlices(sealing, slice)
    compare(header, sealed)
    // Sealing does not handle uncles.
    const encoded = uncles.length === 0 ? sealed.encoded : undefined
    return { block: { ...sealed, encoded, uncles, uncleHashes, size }, commitment }
  })
}

function checkBody({ header, uncles, withdrawals, size }: BlockParts, rules: ForkRules): void {
  if (rules.isActivatedEIP(7934) && size > MAXIMUM_BLOCK_SIZE) {
    throw new ImportError(header.number, 'size', `${size} bytes are more than ${MAXIMUM_BLOCK_SIZE}`)
  }
  const expected = keccak256(encodeRlp(uncles.map(headerToList)))
  if (!bytesEqual(header.uncleHash, expected)) {
    const actual = bytesToHex(header.uncleHash)
    throw new ImportError(header.number, 'uncleHash', `expected ${bytesToHex(expected)}, got ${actual}`)
  }
  if ((withdrawals !== undefined) !== rules.isActivatedEIP(4895)) {
    throw new ImportError(
      header.number,
      'withdrawals',
      withdrawals === undefined ? 'are missing' : 'are not in force yet',
    )
  }
}

interface TransactionPosition {
  header: HeaderFields
  index: number
}

/** Bytes and items of a transaction that no gas is charged for, such as the hashes of its blobs. */
const FREE_BYTES = 16_384
const FREE_ITEMS = 512
/**
 * Least gas of an item of a transaction's lists: EIP-2930 charges 2,400 for an address, which is three items with its
 * entry and an empty list of keys. A key costs 1,900, and an authorization (EIP-7702) 25,000 for seven items.
 */
const MIN_GAS_OF_ITEM = 800n

/** @throws ImportError if the gas of a block does not pay for a transaction, which might take long to decode */
function* checkLength(
  raw: Uint8Array,
  rules: ForkRules,
  { header, index }: TransactionPosition,
): Steps<void> {
  const gas = rules.isActivatedEIP(7825) ? minBigint(header.gasLimit, MAX_TRANSACTION_GAS) : header.gasLimit
  const gasOfZero = rules.param(rules.isActivatedEIP(7623) ? 'totalCostFloorPerToken' : 'txDataZeroGas')
  const isPaid =
    BigInt(raw.length - FREE_BYTES) <= gas / gasOfZero &&
    (yield* hasAtMost(FREE_ITEMS + Number(gas / MIN_GAS_OF_ITEM), raw))
  if (!isPaid) {
    throw new ImportError(
      header.number,
      `transaction ${index}`,
      'its gas does not pay for its bytes and lists',
    )
  }
}

function readTransaction(
  raw: Uint8Array,
  rules: ForkRules,
  { header, index }: TransactionPosition,
): PooledTransaction {
  try {
    const fields = decodeTransaction(raw)
    if (fields.sidecar !== undefined)
      throw new ChainError('a transaction in a block must not have a blob sidecar')
    checkSignature(fields, rules)
    if (fields.type === 0 && fields.chainId !== undefined && !rules.gteHardfork('spuriousDragon')) {
      throw new ChainError('replay protection (EIP-155) is not in force yet')
    }
    return recoverTransaction(fields, rules)
  } catch (error) {
    return refuseTransaction(header, index)(error)
  }
}

/** Converts the rejection of a transaction to an error of its block. */
function refuseTransaction({ number }: HeaderFields, index: number): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ChainError || error instanceof EthereumJSError)) throw error
    throw new ImportError(number, `transaction ${index}`, error.message)
  }
}

/** Converts a failed system call or an invalid deposit to an error of its block. */
function refuseRequests({ number }: HeaderFields): (error: unknown) => never {
  return (error) => {
    throw error instanceof SystemCallError ? new ImportError(number, 'requests', error.message) : error
  }
}

/** Header fields that result from execution, ordered to report a cause before its consequences. */
const computedFields = [
  'transactionsRoot',
  'withdrawalsRoot',
  'gasUsed',
  'blobGasUsed',
  'logsBloom',
  'receiptsRoot',
  'requestsHash',
  'stateRoot',
] as const satisfies readonly (keyof HeaderFields)[]

function compare(header: HeaderFields, sealed: SealedBlock): void {
  for (const field of computedFields) {
    const [expected, actual] = [show(sealed.header[field]), show(header[field])]
    if (expected !== actual)
      throw new ImportError(header.number, field, `expected ${expected}, got ${actual}`)
  }
}

function show(value: bigint | Uint8Array | undefined): string {
  return value instanceof Uint8Array ? bytesToHex(value) : String(value ?? 'none')
}

/** Where the parent of an imported block and its state are found. */
export interface ParentSources {
  position: Pick<ChainPosition, 'head' | 'parts'>
  states: Pick<HeadStates, 'take'>
  view: ChainView
}

/** An imported block that was executed and checked, but not stored. */
export interface ExecutedImport {
  parent: StoredBlock
  produced: ProducedBlock
  /** The state after its execution. */
  state: WorkingState
}

/**
 * Executes a block from elsewhere on its parent's state, and checks it. Reuses the head's state if the parent is the
 * head.
 *
 * @throws ImportError if the parent is not stored, or the block is invalid
 */
export async function executeOnParent(
  { position, states, view }: ParentSources,
  block: BlockParts,
): Promise<ExecutedImport> {
  const { blocks, states: store, schedule } = position.parts
  const { head } = position
  const { header } = block
  const parent = blocks.byHash(header.parentHash)
  if (parent === undefined) throw new ImportError(header.number, 'parentHash', 'the parent is unknown')
  const onHead = parent.ordinal === head.block.ordinal && !isAltered(head)
  store.requireRoot(parent.header.stateRoot, parent.header)
  const base = store.viewAt(parent.header.stateRoot)
  const state = onHead ? states.take() : new WorkingState({ base, store })
  const { blockHash } = createCallSite(view, { header, rules: schedule.rulesAt(header), state: base })
  const produced = await executeBlock({ block, parent, schedule, blocks: view, state, blockHash })
  return { parent, produced, state }
}
