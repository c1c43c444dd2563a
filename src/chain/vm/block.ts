import type { EVM } from '@ethereumjs/evm'
import { Account, Address, generateAddress } from '@ethereumjs/util'
import { minimalBytes } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { joinBlooms } from '../block/body.js'
import { GAS_PER_BLOB } from '../block/header.js'
import type { SealedTransaction } from '../block/record.js'
import { MessageRejectedError } from '../errors.js'
import { type PooledTransaction, typeForks } from '../mempool/transaction.js'
import { DEPOSIT_CONTRACT_ADDRESS } from '../genesis/systemContracts.js'
import type { ExecutionLog, ExecutionReceipt, ForkRules, HeaderFields, Withdrawal } from '../types.js'
import type { BlockEnvironment } from './blockEnvironment.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { effectiveGasPrice } from './message.js'
import { runTransaction, type MessageResult } from './runTransaction.js'
import { collectRequests, hashRequests, runBlockStart, type ConsensusRequest } from './systemCalls.js'

/** Withdrawals are in gwei (EIP-4895), balances in wei. */
const WEI_PER_GWEI = 1_000_000_000n

/** Header fields that result from executing a whole block. */
export interface BlockOutcome {
  gasUsed: bigint
  logsBloom: Uint8Array
  blobGasUsed?: bigint
  requestsHash?: Uint8Array
  /** The requests that `requestsHash` covers (EIP-7685); the hash skips those without data. */
  requests?: readonly ConsensusRequest[]
}

/** What a block pays at its end. */
export interface BlockEnd {
  withdrawals?: readonly Withdrawal[] | undefined
  /** Only before the merge. */
  uncles?: readonly HeaderFields[]
}

/** Everything that a block is executed with. */
export interface BlockExecutionContext {
  /** Lent for this block only, bound to the state that the block changes. */
  evm: PooledEvm
  rules: ForkRules
  header: HeaderFields
  /** The header as the opcodes read it. */
  block: BlockEnvironment
  /** 20 bytes; mainnet's unless a genesis names another. */
  depositContract?: Uint8Array
  /** Upper bound for the total gas of the transactions; the header's gas limit by default. */
  maximumGas?: bigint | undefined
}

/**
 * Execution of one block, from the system calls at its start to the requests at its end. Transactions are applied one
 * after another, each atomically.
 */
export class BlockExecution {
  readonly #context: BlockExecutionContext
  readonly #transactions: SealedTransaction[] = []
  #gasUsed = 0n
  #blobGasUsed = 0n

  private constructor(context: BlockExecutionContext) {
    this.#context = context
  }

  static async begin(context: BlockExecutionContext): Promise<BlockExecution> {
    await runBlockStart(context.evm, context.header)
    return new BlockExecution(context)
  }

  get transactions(): readonly SealedTransaction[] {
    return this.#transactions
  }

  /** Gas left for further transactions. */
  get gasLeft(): bigint {
    const { maximumGas, header } = this.#context
    return (maximumGas ?? header.gasLimit) - this.#gasUsed
  }

  /** Blob gas left for further transactions. */
  get blobGasLeft(): bigint {
    const { rules } = this.#context
    if (!rules.isActivatedEIP(4844)) return 0n
    return rules.getBlobGasSchedule().maxBlobGasPerBlock - this.#blobGasUsed
  }

  /**
   * Executes a transaction on top of the previous ones.
   *
   * @throws MessageRejectedError with geth's message (core/state_transition.go) if it may not be executed here; the
   *   state is unchanged then
   */
  async apply(pooled: PooledTransaction): Promise<SealedTransaction> {
    const { evm, rules, block } = this.#context
    this.#checkRoom(pooled.transaction)
    const result = await runTransaction(evm, pooled)
    const receipt = toReceipt(result, pooled, { block, gasUsedBefore: this.#gasUsed })
    if (rules.gteHardfork('byzantium')) receipt.status = result.failure === undefined ? 1 : 0
    else receipt.stateRoot = result.stateRoot
    this.#gasUsed = receipt.cumulativeGasUsed
    this.#blobGasUsed += receipt.blobGasUsed ?? 0n
    const { transaction, hash, sender, impersonated } = pooled
    const sealed = {
      transaction,
      hash,
      sender,
      impersonated,
      receipt,
      output: result.returnData,
      failure: result.failure?.message,
    }
    this.#transactions.push(sealed)
    return sealed
  }

  /** Checks that the fork supports the transaction type and that the block has enough gas left. */
  #checkRoom(transaction: PooledTransaction['transaction']): void {
    const { rules } = this.#context
    const fork = typeForks[transaction.type]
    if (fork !== undefined && !rules.isActivatedEIP(fork.eip)) {
      throw new MessageRejectedError('transaction type not supported')
    }
    if (transaction.gasLimit > this.gasLeft) throw new MessageRejectedError('gas limit reached')
    const blobs = 'blobVersionedHashes' in transaction ? transaction.blobVersionedHashes.length : 0
    if (GAS_PER_BLOB * BigInt(blobs) > this.blobGasLeft) {
      throw new MessageRejectedError('blob gas limit reached')
    }
  }

  /** Ends the block: pays rewards and withdrawals, and collects the requests. */
  async finish({ withdrawals = [], uncles = [] }: BlockEnd): Promise<BlockOutcome> {
    const { evm, rules, header, depositContract = DEPOSIT_CONTRACT_ADDRESS } = this.#context
    await payBlockRewards(evm, header, { rules, uncles })
    await payWithdrawals(evm, withdrawals)
    const outcome: BlockOutcome = {
      gasUsed: this.#gasUsed,
      logsBloom: joinBlooms(this.#transactions.map(({ receipt }) => receipt.logsBloom)),
    }
    if (rules.isActivatedEIP(4844)) outcome.blobGasUsed = this.#blobGasUsed
    if (rules.isActivatedEIP(7685)) {
      const requests = await collectRequests(evm, this.#logs(), depositContract)
      outcome.requests = requests
      outcome.requestsHash = hashRequests(requests)
    }
    return outcome
  }

  *#logs(): Iterable<ExecutionLog> {
    for (const { receipt } of this.#transactions) yield* receipt.logs
  }
}

/** Builds the receipt of a transaction, except for its status or state root. */
function toReceipt(
  { gasUsed, logs, logsBloom }: MessageResult,
  { transaction, sender }: PooledTransaction,
  { block: { header }, gasUsedBefore }: { block: BlockEnvironment; gasUsedBefore: bigint },
): ExecutionReceipt {
  // Objects of one shape are faster to read, so fields that most receipts lack are set to undefined.
  const receipt: ExecutionReceipt = {
    status: undefined,
    stateRoot: undefined,
    gasUsed,
    cumulativeGasUsed: gasUsedBefore + gasUsed,
    logsBloom,
    logs,
    contractAddress: undefined,
    effectiveGasPrice: paidGasPrice(transaction, header.baseFeePerGas ?? 0n),
    blobGasUsed: undefined,
    blobGasPrice: undefined,
  }
  if (transaction.to === undefined) {
    receipt.contractAddress = generateAddress(sender, minimalBytes(transaction.nonce))
  }
  if ('blobVersionedHashes' in transaction) {
    const blobBaseFee = header.getBlobGasPrice()
    if (blobBaseFee === undefined) return receipt
    receipt.blobGasUsed = GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length)
    receipt.blobGasPrice = blobBaseFee
  }
  return receipt
}

/** Returns the wei per gas that a transaction of any type pays at a base fee. */
function paidGasPrice(transaction: PooledTransaction['transaction'], baseFee: bigint): bigint {
  return 'maxFeePerGas' in transaction ? effectiveGasPrice(transaction, baseFee) : transaction.gasPrice
}

const WEI_PER_ETHER = 10n ** 18n
/** An uncle's reward falls by an eighth with each generation. */
const UNCLE_DIVISOR = 8n
/** The block earns this fraction of the block reward for each uncle. */
const NEPHEW_DIVISOR = 32n

/** Pays the proof-of-work rewards (geth: consensus/ethash/consensus.go, accumulateRewards); none since the merge. */
export async function payBlockRewards(
  evm: EVM,
  header: HeaderFields,
  { rules, uncles }: { rules: ForkRules; uncles: readonly HeaderFields[] },
): Promise<void> {
  if (header.difficulty === 0n) return
  const reward = blockReward(rules)
  for (const { coinbase, number } of uncles) {
    await addBalance(evm, coinbase, ((number + UNCLE_DIVISOR - header.number) * reward) / UNCLE_DIVISOR)
  }
  await addBalance(evm, header.coinbase, reward + (reward / NEPHEW_DIVISOR) * BigInt(uncles.length))
}

/** Returns the block reward, lowered by EIP-649 and EIP-1234. */
function blockReward(rules: ForkRules): bigint {
  if (rules.gteHardfork('constantinople')) return 2n * WEI_PER_ETHER
  return (rules.gteHardfork('byzantium') ? 3n : 5n) * WEI_PER_ETHER
}

/** Number of withdrawals after which touched empty accounts are removed. */
const WITHDRAWALS_AT_ONCE = 1024

/** Credits withdrawals from the beacon chain (EIP-4895). */
export async function payWithdrawals(evm: EVM, withdrawals: readonly Withdrawal[]): Promise<void> {
  const slice = new TimeSlice()
  for (const [index, { address, amount }] of withdrawals.entries()) {
    await addBalance(evm, address, amount * WEI_PER_GWEI)
    // The cleanup visits all touched accounts in one go.
    if (index % WITHDRAWALS_AT_ONCE === WITHDRAWALS_AT_ONCE - 1) await evm.journal.cleanup()
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  await evm.journal.cleanup()
}

/** Credits wei to an account outside any message; the balance wraps at 256 bits, as in geth. */
async function addBalance(evm: EVM, address: Uint8Array, wei: bigint): Promise<void> {
  const target = new Address(address)
  const account = (await evm.stateManager.getAccount(target)) ?? new Account()
  account.balance = BigInt.asUintN(256, account.balance + wei)
  await evm.journal.putAccount(target, account)
}
