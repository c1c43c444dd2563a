import { type GivenBlobs, completeSidecar, encodeWithSidecar } from '../mempool/blobs.js'
import {
  type BlobSidecar,
  type CreatableFields,
  type PooledTransaction,
  createTransaction,
  maxPriorityFeePerGas,
} from '../mempool/transaction.js'
import { bytesEqual, bytesToHex, quantity } from '../../encoding/hex.js'
import {
  type Awaitable,
  type Steps,
  TimeSlice,
  runInSlices,
  runToCompletion,
} from '../../encoding/timeSlice.js'
import { headerBlobBaseFee } from '../block/header.js'
import type { CallObject } from '../calls/callObject.js'
import { isPlainTransfer } from '../calls/estimate.js'
import { PLAIN_TRANSFER_GAS } from '../evm/forkSchedule.js'
import type { ExecutionRequest, ExecutionView, MessageExecutor } from '../calls/executor.js'
import { ChainError } from '../errors.js'
import { keccak256 } from '../crypto.js'
import type { TransactionType } from '../mempool/decode.js'
import type { Mempool } from '../mempool/mempool.js'
import type { ForkRules } from '../types.js'
import type { ChainView } from '../view.js'
import { unsignedTransaction } from '../evm/internals.js'
import { MAX_BLOBS_PER_TRANSACTION } from '../vm/preCheck.js'
import { type DefaultFeeCap, feeDefaults } from './feeDefaults.js'
import { type Impersonation, impersonate, protectedV } from './impersonation.js'
import { type Keyring, UnknownAccountError } from './keyring.js'

/** Entries of lists of a transaction that is signed in one step: the library goes through them again and again. */
const MOST_SIGNED_AT_ONCE = 256

/** What a wallet fills in transactions from. */
export interface WalletParts {
  keyring: Keyring
  impersonation: Impersonation
  view: ExecutionView & Pick<ChainView, 'chainId' | 'head' | 'rulesAt'>
  mempool: Pick<Mempool, 'pendingNonce' | 'contentFrom' | 'checkFirst'>
  executor: Pick<MessageExecutor, 'estimateGas'>
  /** Wei per gas above the base fee that transactions offer by default. */
  suggestedTip: () => bigint
  /** What transactions that leave it open offer above the base fee, in wei per gas, where that is not what is suggested. */
  usualTip?: bigint | undefined
  /** Wei per gas. */
  nextBaseFee: () => bigint
  /** The gas of a transaction that names none and whose estimate fails; without it the failure is the answer. */
  fallbackGas?: (() => bigint) | undefined
  /** Whether transfers to accounts without code take 21,000 gas without a look at the funds, as in anvil. */
  estimatesPlainTransfersStatically?: boolean | undefined
  /** What is estimated of a call as it was given; without it that is the call with all its fields. @throws ChainError */
  estimatedCall?: ((given: CallObject) => Pick<ExecutionRequest, 'call' | 'baseFee'>) | undefined
  /** Whether a legacy transaction without a signature says for which chain it is, as in anvil. */
  protectsUnsigned?: boolean | undefined
  /** geth's unless given. */
  defaultFeeCap?: DefaultFeeCap | undefined
  /** Whether fees of zero and a tip above the cap are left to the mempool; false unless given. */
  leavesFeesToMempool?: boolean | undefined
  /** The gas of a transaction that names none; it is estimated unless this is given. */
  defaultGas?: (() => bigint) | undefined
  /** Whether a creation may have no data; geth takes it for a forgotten recipient. */
  createsWithoutData?: boolean | undefined
}

/** Makes transactions of the accounts that the node holds keys of. */
export class Wallet {
  readonly #parts: WalletParts

  constructor(parts: WalletParts) {
    this.#parts = parts
  }

  /**
   * A signed transaction from what a caller gave of it; what is missing is filled in (geth:
   * internal/ethapi/transaction_args.go, setDefaults). Without `from` it is the first account's.
   *
   * @throws UnknownAccountError if the node has no key of the sender, and it is not impersonated.
   * @throws ChainError in geth's words if the fields do not go together, and what an estimate of its gas throws.
   */
  async prepare(call: CallObject): Promise<PooledTransaction> {
    const from = this.#senderOf(call)
    const fields = await this.fill({ ...call, from }, { given: call, fallbackGas: this.#parts.fallbackGas })
    await this.#parts.mempool.checkFirst(fields, from)
    return this.#complete(from, fields)
  }

  /** The same for a transaction that is not sent, which the mempool need not take. */
  async prepareUnsent(call: CallObject): Promise<PooledTransaction> {
    const from = this.#senderOf(call)
    return this.#complete(
      from,
      await this.fill({ ...call, from }, { given: call, fallbackGas: this.#parts.fallbackGas }),
    )
  }

  /** A transaction of any account, whether the node has a key of it or not; what is missing is filled in. */
  async prepareUnsigned(call: CallObject & { from: Uint8Array }): Promise<PooledTransaction> {
    const fields = await this.fill(call)
    await this.#parts.mempool.checkFirst(fields, call.from)
    return impersonate(call.from, fields, this.#rules())
  }

  #senderOf({ from: given }: CallObject): Uint8Array {
    const { keyring, impersonation } = this.#parts
    const from = given ?? keyring.addresses()[0]
    if (from === undefined || !(keyring.has(from) || impersonation.allows(from))) {
      throw new UnknownAccountError(from)
    }
    return from
  }

  #complete(from: Uint8Array, fields: CreatableFields): Awaitable<PooledTransaction> {
    return this.#parts.keyring.has(from) ? this.#sign(from, fields) : impersonate(from, fields, this.#rules())
  }

  /**
   * A signed transaction whose gas, fees and nonce the caller has to name (eth_signTransaction).
   *
   * @throws as {@link prepare} does
   */
  async sign(call: CallObject): Promise<PooledTransaction> {
    if (call.gas === undefined) throw new ChainError('gas not specified')
    if (
      call.gasPrice === undefined &&
      (call.maxFeePerGas === undefined || call.maxPriorityFeePerGas === undefined)
    ) {
      throw new ChainError('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
    }
    if (call.nonce === undefined) throw new ChainError('nonce not specified')
    const from = call.from ?? this.#parts.keyring.addresses()[0]
    if (from === undefined || !this.#parts.keyring.has(from)) {
      throw new UnknownAccountError(from)
    }
    return this.prepareUnsent(call)
  }

  /**
   * A transaction of any account with everything that the caller left open, and without a signature
   * (eth_fillTransaction; geth: internal/ethapi/api.go, FillTransaction). Its hash is that of the unsigned encoding,
   * in which v, r and s are zero.
   *
   * @param from - whose nonce it gets; the sender of the call unless given
   *
   * @throws as {@link prepare} does
   */
  async complete(
    call: CallObject,
    {
      from = call.from ?? new Uint8Array(20),
      given,
    }: { from?: Uint8Array | undefined; given?: GivenBlobs | undefined } = {},
  ): Promise<CompletedTransaction> {
    const rules = this.#rules()
    const blobs = given && (await completeSidecar(given, rules))
    const blobVersionedHashes = blobs?.versionedHashes ?? call.blobVersionedHashes
    const named = blobVersionedHashes === undefined ? call : { ...call, blobVersionedHashes }
    const fields = await this.fill({ ...this.#withSuggestedTip(named), from }, { given: call })
    const { type, chainId } = fields
    const isMarked = type === 0 && chainId !== undefined && this.#parts.protectsUnsigned === true
    const transaction = unsignedTransaction(isMarked ? { ...fields, v: protectedV(chainId) } : fields, rules)
    const raw = transaction.serialize()
    const hash = keccak256(raw)
    if (blobs === undefined || transaction.type !== 3) return { transaction, hash, raw }
    const { sidecar } = blobs
    return { transaction, hash, raw: encodeWithSidecar(raw, sidecar), sidecar }
  }

  /**
   * Signs a transaction again that waits already, with another gas price or gas limit (geth: internal/ethapi/api.go,
   * Resend). As in geth, a price means nothing to a transaction that does not have one, and zeros mean what was there.
   *
   * @param call - the transaction as it waits
   * @throws ChainError if nothing that waits has these contents, and as {@link prepare} does
   */
  async resend(call: CallObject, { gasPrice, gas }: ResendChange): Promise<PooledTransaction> {
    const waiting = await this.#findWaiting(call)
    return this.prepare({
      ...call,
      gas: gas || waiting.transaction.gasLimit,
      gasPrice: call.gasPrice === undefined ? undefined : gasPrice || call.gasPrice,
    })
  }

  /**
   * The transaction of the mempool with the contents that a caller gives; what is missing is filled in.
   *
   * @throws ChainError if there is none, and as {@link prepare} does
   */
  async #findWaiting(call: CallObject): Promise<PooledTransaction> {
    const from = call.from ?? new Uint8Array(20)
    const wanted = unsignedTransaction(
      await this.fill({ ...this.#withSuggestedTip(call), from }),
      this.#rules(),
    )
    const contents = wanted.getHashedMessageToSign()
    const { pending, queued } = this.#parts.mempool.contentFrom(from)
    const waiting = [...pending, ...queued].find(({ transaction }) =>
      bytesEqual(transaction.getHashedMessageToSign(), contents),
    )
    if (waiting !== undefined) return waiting
    throw new ChainError(`transaction ${bytesToHex(keccak256(wanted.serialize()))} not found`)
  }

  /** The fields of a transaction with everything that the caller left open. @throws as {@link prepare} does */
  async fill(
    call: CallObject & { from: Uint8Array },
    { given = call, fallbackGas }: FillOptions = this.#parts,
  ): Promise<CreatableFields> {
    const {
      view,
      defaultFeeCap = 'twice the base fee',
      leavesFeesToMempool = false,
      defaultGas,
      estimatedCall,
    } = this.#parts
    const { header } = view.head()
    const rules = view.rulesAt(header)
    const fees = feeDefaults(call, {
      baseFee: header.baseFeePerGas,
      blobBaseFee: headerBlobBaseFee(header, rules),
      nextBaseFee: this.#parts.nextBaseFee(),
      suggestedTip: this.#parts.suggestedTip(),
      usualTip: this.#parts.usualTip,
      replacedTip: this.#replacedTip(call),
      defaultFeeCap,
      leavesFeesToMempool,
    })
    checkContents(call, this.#parts)
    const {
      to,
      value = 0n,
      data = new Uint8Array(0),
      accessList = [],
      blobVersionedHashes,
      authorizationList,
    } = call
    const nonce = call.nonce ?? (await this.nextNonce(call.from))
    const { chainId: givenChain, ...onOwnChain } = call
    const gasLimit =
      call.gas ??
      defaultGas?.() ??
      (await this.#estimate(
        call,
        () => estimatedCall?.(given) ?? { call: { ...onOwnChain, ...fees } },
        fallbackGas,
      ))
    if (givenChain !== undefined && givenChain !== view.chainId) {
      throw new ChainError(`chainId does not match node's (have=${givenChain}, want=${view.chainId})`)
    }
    return {
      type: this.#typeOf({ ...call, ...fees }),
      ...(isProtected(rules) ? { chainId: view.chainId } : {}),
      nonce,
      gasLimit,
      ...fees,
      ...(to === undefined ? {} : { to }),
      value,
      data,
      accessList,
      ...(blobVersionedHashes === undefined ? {} : { blobVersionedHashes }),
      ...(authorizationList === undefined ? {} : { authorizationList }),
    }
  }

  /** The type follows from what is given (geth: internal/ethapi/transaction_args.go, ToTransaction). */
  #typeOf({ gasPrice, accessList, blobVersionedHashes, authorizationList }: CallObject): TransactionType {
    if (gasPrice !== undefined) return accessList === undefined ? 0 : 1
    if (authorizationList !== undefined) return 4
    return blobVersionedHashes === undefined ? 2 : 3
  }

  async #estimate(
    call: CallObject,
    estimated: () => Pick<ExecutionRequest, 'call' | 'baseFee'>,
    fallbackGas: WalletParts['fallbackGas'],
  ): Promise<bigint> {
    const { view, executor, estimatesPlainTransfersStatically = false } = this.#parts
    try {
      if (estimatesPlainTransfersStatically) {
        const { state } = await view.stateAt({ tag: 'latest' })
        if (await isPlainTransfer(call, state)) return PLAIN_TRANSFER_GAS
      }
      return await executor.estimateGas({ view, block: { tag: 'latest' }, ...estimated() })
    } catch (error) {
      if (fallbackGas === undefined || !(error instanceof ChainError)) throw error
      return fallbackGas()
    }
  }

  /** The call with the usual tip beside a cap that it names: as in geth, a cap below that is then a contradiction. */
  #withSuggestedTip(call: CallObject): CallObject {
    const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, gasPrice } = call
    // A cap of zero for blobs is refused before anything is said of the other fees.
    if (maxFeePerBlobGas === 0n) return call
    const isOpen = maxFeePerGas !== undefined && maxPriorityFeePerGas === undefined && gasPrice === undefined
    const { baseFeePerGas } = this.#parts.view.head().header
    if (!isOpen || baseFeePerGas === undefined) return call
    const tip = this.#parts.usualTip ?? this.#parts.suggestedTip()
    if (maxFeePerGas >= tip || this.#parts.leavesFeesToMempool) return { ...call, maxPriorityFeePerGas: tip }
    throw new ChainError(`maxFeePerGas (${quantity(maxFeePerGas)}) < maxPriorityFeePerGas (${quantity(tip)})`)
  }

  #replacedTip({ from, nonce }: { from: Uint8Array; nonce?: bigint | undefined }): bigint | undefined {
    if (nonce === undefined) return undefined
    const { pending, queued } = this.#parts.mempool.contentFrom(from)
    const replaced = [...pending, ...queued].find(({ transaction }) => transaction.nonce === nonce)
    return replaced === undefined ? undefined : maxPriorityFeePerGas(replaced.transaction)
  }

  /** The nonce after the last pending transaction of a 20-byte account. */
  async nextNonce(from: Uint8Array): Promise<bigint> {
    const { view, mempool } = this.#parts
    const pending = mempool.pendingNonce(from)
    if (pending !== undefined) return pending
    const { state } = await view.stateAt({ tag: 'latest' })
    return (await state.getAccount(from))?.nonce ?? 0n
  }

  #sign(sender: Uint8Array, fields: CreatableFields): Awaitable<PooledTransaction> {
    const { accessList, authorizationList = [] } = fields
    const signing = this.#signInSteps(sender, fields)
    return accessList.length + authorizationList.length <= MOST_SIGNED_AT_ONCE
      ? runToCompletion(signing)
      : runInSlices(signing, new TimeSlice())
  }

  *#signInSteps(sender: Uint8Array, fields: CreatableFields): Steps<PooledTransaction> {
    const key = this.#parts.keyring.privateKey(sender)
    const unsigned = createTransaction(fields, this.#rules())
    yield
    const transaction = unsigned.sign(key)
    yield
    return { transaction, hash: transaction.hash(), sender, impersonated: false }
  }

  #rules(): ForkRules {
    const { view } = this.#parts
    return view.rulesAt(view.head().header)
  }
}

/** How the fields of a transaction are completed. */
interface FillOptions extends Pick<WalletParts, 'fallbackGas'> {
  /** The call as it came, before its sender was known. */
  given?: CallObject | undefined
}

/** EIP-155. */
function isProtected(rules: ForkRules): boolean {
  return rules.gteHardfork('spuriousDragon')
}

function checkContents(
  { to, data, hasTwoData, blobVersionedHashes, authorizationList }: CallObject,
  { createsWithoutData = false }: Pick<WalletParts, 'createsWithoutData'>,
): void {
  if (hasTwoData === true) {
    throw new ChainError(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  if (blobVersionedHashes?.length === 0) throw new ChainError('need at least 1 blob for a blob transaction')
  const blobs = blobVersionedHashes?.length ?? 0
  if (blobs > MAX_BLOBS_PER_TRANSACTION) {
    throw new ChainError(`too many blobs in transaction (have=${blobs}, max=${MAX_BLOBS_PER_TRANSACTION})`)
  }
  if (to !== undefined) return
  if (blobVersionedHashes !== undefined) throw new ChainError('missing "to" in blob transaction')
  if (!createsWithoutData && (data === undefined || data.length === 0)) {
    throw new ChainError('contract creation without any data provided')
  }
  if (authorizationList !== undefined) {
    throw new ChainError('authorizationList provided for contract creation, but "to" field is missing')
  }
}

/** A transaction without a signature. */
export interface CompletedTransaction extends Pick<PooledTransaction, 'transaction' | 'hash'> {
  /** With the sidecar if there is one. */
  raw: Uint8Array
  sidecar?: BlobSidecar
}

/** What a transaction that waits is sent again with. */
export interface ResendChange {
  /** Wei per gas. */
  gasPrice?: bigint | undefined
  gas?: bigint | undefined
}
