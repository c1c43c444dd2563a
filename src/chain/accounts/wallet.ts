import { type PartialSidecar, completeSidecar } from '../mempool/blobs.js'
import { encodeWithSidecar } from '../mempool/networkForm.js'
import {
  type BlobSidecar,
  type CreatableFields,
  type PooledTransaction,
  checkSizes,
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
import { blobRulesAt, headerBlobBaseFee } from '../block/header.js'
import type { CallObject } from '../calls/callObject.js'
import { isPlainTransfer } from '../calls/estimate.js'
import { PLAIN_TRANSFER_GAS } from '../evm/forkSchedule.js'
import type { ExecutionRequest, ExecutionView, MessageExecutor } from '../calls/executor.js'
import { ChainError } from '../errors.js'
import { keccak256, sign } from '../crypto.js'
import type { TransactionType } from '../mempool/decode.js'
import type { Mempool } from '../mempool/mempool.js'
import type { ForkRules } from '../types.js'
import type { ChainView } from '../view.js'
import { setSignature, unsignedTransaction } from '../evm/internals.js'
import { MAX_BLOBS_PER_TRANSACTION } from '../vm/preCheck.js'
import { type DefaultFeeCap, feeDefaults } from './feeDefaults.js'
import { type Impersonation, impersonate, protectedV } from './impersonation.js'
import { type Keyring, UnknownAccountError } from './keyring.js'

/** What geth encodes with a signed blob transaction whose blobs it does not know. */
const noBlobs: BlobSidecar = { version: 0, blobs: [], commitments: [], proofs: [] }

/** Removes the fee caps of a call, and the members that require them. */
const withoutCaps = {
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
  maxFeePerBlobGas: undefined,
  blobVersionedHashes: undefined,
  authorizationList: undefined,
} satisfies CallObject

/** Longer lists make signing run in steps, because the library iterates over them repeatedly. */
const MAX_SIGNED_AT_ONCE = 256

/** The parts that a {@link Wallet} works with. */
export interface WalletParts {
  keyring: Keyring
  impersonation: Impersonation
  view: ExecutionView & Pick<ChainView, 'chainId' | 'head' | 'rulesAt'>
  mempool: Pick<Mempool, 'at' | 'pendingNonce' | 'checkFirst'>
  executor: Pick<MessageExecutor, 'estimateGas'>
  /** Returns the suggested tip in wei per gas. */
  suggestedTip: () => Awaitable<bigint>
  /** Default tip in wei per gas, if it is not the suggested one. */
  defaultTip?: bigint | undefined
  /** Returns the next base fee in wei per gas. */
  nextBaseFee: () => bigint
  /** Gas of a transaction that sets none and whose estimate fails; if absent, the failure is the answer. */
  fallbackGas?: (() => bigint) | undefined
  /** Whether transfers to accounts without code take 21,000 gas without checking the balance, as in anvil. */
  estimatesPlainTransfersStatically?: boolean | undefined
  /** Returns what to estimate for a call as given; by default, the call with all its fields. @throws ChainError */
  estimatedCall?: ((given: CallObject) => Pick<ExecutionRequest, 'call' | 'baseFee'>) | undefined
  /**
   * Whether an unsigned transaction may be of any chain, and encodes its id even if it is a legacy one, as in anvil.
   */
  keepsChainId?: boolean | undefined
  /** geth's by default. */
  defaultFeeCap?: DefaultFeeCap | undefined
  /** Whether a gas price wins over fee caps, as in anvil; otherwise both are refused. */
  gasPriceWins?: boolean | undefined
  /** Whether to let the mempool reject zero fees and a tip above the cap; false by default. */
  defersFeeChecksToMempool?: boolean | undefined
  /** Gas of a transaction that sets none, instead of an estimate. */
  defaultGas?: (() => bigint) | undefined
  /** Whether to allow a creation without data, which geth takes for a forgotten recipient. */
  createsWithoutData?: boolean | undefined
}

/** Builds transactions of the accounts whose keys the node holds. */
export class Wallet {
  readonly #parts: WalletParts

  constructor(parts: WalletParts) {
    this.#parts = parts
  }

  /**
   * Builds a signed transaction, filling in missing fields (geth: internal/ethapi/transaction_args.go, setDefaults).
   * `from` defaults to the first account.
   *
   * @throws UnknownAccountError if the node has no key of the sender, and it is not impersonated
   * @throws ChainError with geth's message if the fields are inconsistent, and whatever a gas estimate throws
   */
  async prepare(call: CallObject): Promise<PooledTransaction> {
    const from = this.#senderOf(call)
    const fields = await this.fill({ ...call, from }, { given: call, fallbackGas: this.#parts.fallbackGas })
    await this.#parts.mempool.checkFirst(fields, from)
    return this.#complete(from, fields)
  }

  /** Version of {@link prepare} for a transaction that is not sent, and that the mempool need not accept. */
  async prepareUnsent(call: CallObject): Promise<PooledTransaction> {
    const from = this.#senderOf(call)
    return this.#complete(
      from,
      await this.fill({ ...call, from }, { given: call, fallbackGas: this.#parts.fallbackGas }),
    )
  }

  /** Builds a transaction of any account, without needing its key, filling in missing fields. */
  async prepareUnsigned(call: CallObject & { from: Uint8Array }): Promise<PooledTransaction> {
    const fields = await this.fill(call)
    await this.#parts.mempool.checkFirst(fields, call.from)
    return impersonate(call.from, fields, this.#rules())
  }

  #senderOf({ from: given }: CallObject): Uint8Array {
    const { keyring, impersonation } = this.#parts
    const from = given ?? keyring.first
    if (from === undefined || !(keyring.has(from) || impersonation.allows(from))) {
      throw new UnknownAccountError(from)
    }
    return from
  }

  #complete(from: Uint8Array, fields: CreatableFields): Awaitable<PooledTransaction> {
    return this.#parts.keyring.has(from) ? this.#sign(from, fields) : impersonate(from, fields, this.#rules())
  }

  /**
   * Signs a transaction for which the caller must set gas, fees and nonce, including its blob proofs
   * (eth_signTransaction; geth: internal/ethapi/api.go, SignTransaction). Whether it could be sent or executed does not
   * matter.
   *
   * @throws as {@link complete} does, and UnknownAccountError if the node has no key of the sender
   */
  async sign(call: CallObject, given?: PartialSidecar): Promise<CompletedTransaction> {
    if (call.gas === undefined) throw new ChainError('gas not specified')
    if (
      call.gasPrice === undefined &&
      (call.maxFeePerGas === undefined || call.maxPriorityFeePerGas === undefined)
    ) {
      throw new ChainError('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
    }
    if (call.nonce === undefined) throw new ChainError('nonce not specified')
    const { keyring, view } = this.#parts
    const from = call.from ?? keyring.first
    const { transaction, ...blobs } = await this.complete(call, { from, given })
    if (from === undefined || !keyring.has(from)) throw new UnknownAccountError(from)
    const { r, s, yParity } = sign(transaction.getHashedMessageToSign(), keyring.privateKey(from))
    const v = BigInt(yParity) + (transaction.type === 0 ? protectedV(view.chainId) : 0n)
    setSignature(transaction, { v, r, s })
    const raw = transaction.serialize()
    const hash = keccak256(raw)
    if (transaction.type !== 3) return { transaction, hash, raw }
    return { ...blobs, transaction, hash, raw: encodeWithSidecar(raw, blobs.sidecar ?? noBlobs) }
  }

  /**
   * Builds an unsigned transaction of any account, filling in missing fields (eth_fillTransaction; geth:
   * internal/ethapi/api.go, FillTransaction). Its hash is that of the unsigned encoding, in which v, r and s are zero.
   *
   * @param from - account that provides the nonce; the sender of the call by default
   *
   * @throws as {@link prepare} does
   */
  async complete(
    call: CallObject,
    {
      from = call.from ?? new Uint8Array(20),
      given,
    }: { from?: Uint8Array | undefined; given?: PartialSidecar | undefined } = {},
  ): Promise<CompletedTransaction> {
    const rules = this.#rules()
    const blobs = given && (await completeSidecar(given, rules))
    const blobVersionedHashes = blobs?.versionedHashes ?? call.blobVersionedHashes
    const named = blobVersionedHashes === undefined ? call : { ...call, blobVersionedHashes }
    const { keepsChainId: anyChain = false } = this.#parts
    const fields = await this.fill(
      { ...(await this.#withSuggestedTip(named)), from },
      { given: call, anyChain },
    )
    const { type, chainId } = fields
    const isMarked = type === 0 && chainId !== undefined && anyChain
    const transaction = unsignedTransaction(isMarked ? { ...fields, v: protectedV(chainId) } : fields, rules)
    const raw = transaction.serialize()
    const hash = keccak256(raw)
    if (blobs === undefined || transaction.type !== 3) return { transaction, hash, raw }
    const { sidecar } = blobs
    return { transaction, hash, raw: encodeWithSidecar(raw, sidecar), sidecar }
  }

  /**
   * Re-signs a pending transaction with another gas price or gas limit (geth: internal/ethapi/api.go, Resend). As in
   * geth, zero keeps the current value, and a gas price leaves neither fee caps nor what only a transaction with fee
   * caps can have.
   *
   * @param call - the pending transaction
   * @throws ChainError if no pending transaction has these contents, and as {@link prepare} does
   */
  async resend(call: CallObject, { gasPrice, gas }: ResendChange): Promise<PooledTransaction> {
    const pooled = await this.#findPending(call)
    const changed = { ...call, gas: gas || pooled.transaction.gasLimit }
    return this.prepare(gasPrice ? { ...changed, ...withoutCaps, gasPrice } : changed)
  }

  /**
   * Finds the pending transaction with given contents, filling in missing fields.
   *
   * @throws ChainError if there is none, and as {@link prepare} does
   */
  async #findPending(call: CallObject): Promise<PooledTransaction> {
    const from = call.from ?? new Uint8Array(20)
    const wanted = unsignedTransaction(
      await this.fill({ ...(await this.#withSuggestedTip(call)), from }),
      this.#rules(),
    )
    const contents = wanted.getHashedMessageToSign()
    const { mempool } = this.#parts
    const found = mempool.at(from, wanted.nonce)
    const isPending = wanted.nonce < (mempool.pendingNonce(from) ?? 0n)
    if (
      found !== undefined &&
      isPending &&
      bytesEqual(found.transaction.getHashedMessageToSign(), contents)
    ) {
      return found
    }
    throw new ChainError(`transaction ${bytesToHex(keccak256(wanted.serialize()))} not found`)
  }

  /** Fills in the missing fields of a transaction. @throws as {@link prepare} does */
  async fill(
    call: CallObject & { from: Uint8Array },
    { given = call, fallbackGas, anyChain = false }: FillOptions = this.#parts,
  ): Promise<CreatableFields> {
    const {
      view,
      defaultFeeCap = 'twice the base fee',
      defersFeeChecksToMempool = false,
      defaultGas,
      estimatedCall,
    } = this.#parts
    const { header } = view.head()
    const rules = view.rulesAt(header)
    const fees = feeDefaults(this.#withoutCaps(call), {
      baseFee: header.baseFeePerGas,
      blobBaseFee: headerBlobBaseFee(header, blobRulesAt(view, header)),
      nextBaseFee: this.#parts.nextBaseFee(),
      suggestedTip: await this.#parts.suggestedTip(),
      defaultTip: this.#parts.defaultTip,
      replacedTip: this.#replacedTip(call),
      defaultFeeCap,
      defersFeeChecksToMempool,
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
    const { chainId: callChainId, ...onOwnChain } = call
    const checkChain = (): void => {
      if (callChainId === undefined || callChainId === view.chainId) return
      throw new ChainError(`chainId does not match node's (have=${callChainId}, want=${view.chainId})`)
    }
    const gasLimit =
      call.gas ??
      defaultGas?.() ??
      (await this.#estimate(
        call,
        () => {
          if (anyChain) checkChain()
          return estimatedCall?.(given) ?? { call: { ...onOwnChain, ...fees } }
        },
        fallbackGas,
      ))
    if (!anyChain) checkChain()
    checkSizes(data, accessList, authorizationList)
    return {
      type: this.#typeOf({ ...call, ...fees }),
      ...(isProtected(rules) ? { chainId: callChainId ?? view.chainId } : {}),
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

  /** Derives the type from the given fields (geth: internal/ethapi/transaction_args.go, ToTransaction). */
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

  /** Adds the default tip to a call with a fee cap. As in geth, a cap below the tip is then an error. */
  async #withSuggestedTip(call: CallObject): Promise<CallObject> {
    const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, gasPrice } = call
    // A blob fee cap of zero is rejected before any other fees.
    if (maxFeePerBlobGas === 0n) return call
    const isOpen = maxFeePerGas !== undefined && maxPriorityFeePerGas === undefined && gasPrice === undefined
    const { baseFeePerGas } = this.#parts.view.head().header
    if (!isOpen || baseFeePerGas === undefined) return call
    const tip = this.#parts.defaultTip ?? (await this.#parts.suggestedTip())
    if (maxFeePerGas >= tip || this.#parts.defersFeeChecksToMempool)
      return { ...call, maxPriorityFeePerGas: tip }
    throw new ChainError(`maxFeePerGas (${quantity(maxFeePerGas)}) < maxPriorityFeePerGas (${quantity(tip)})`)
  }

  #withoutCaps(call: CallObject): CallObject {
    return this.#parts.gasPriceWins === true && call.gasPrice !== undefined
      ? { ...call, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
      : call
  }

  #replacedTip({ from, nonce }: { from: Uint8Array; nonce?: bigint | undefined }): bigint | undefined {
    if (nonce === undefined) return undefined
    const replaced = this.#parts.mempool.at(from, nonce)
    return replaced === undefined ? undefined : maxPriorityFeePerGas(replaced.transaction)
  }

  /** Returns the nonce after the last pending transaction of a 20-byte account. */
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
    return accessList.length + authorizationList.length <= MAX_SIGNED_AT_ONCE
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

/** Options for filling in a transaction. */
interface FillOptions extends Pick<WalletParts, 'fallbackGas'> {
  /** The original call, before its sender was determined. */
  given?: CallObject | undefined
  /** Whether the transaction may be of another chain. */
  anyChain?: boolean
}

/** Whether EIP-155 is active. */
function isProtected(rules: ForkRules): boolean {
  return rules.gteHardfork('spuriousDragon')
}

function checkContents(
  { to, data, hasConflictingData, blobVersionedHashes, authorizationList }: CallObject,
  { createsWithoutData = false }: Pick<WalletParts, 'createsWithoutData'>,
): void {
  if (hasConflictingData === true) {
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

/** An unsigned transaction. */
export interface CompletedTransaction extends Pick<PooledTransaction, 'transaction' | 'hash'> {
  /** Includes the sidecar, if any. */
  raw: Uint8Array
  sidecar?: BlobSidecar
}

/** Changes to a transaction that is re-sent. */
export interface ResendChange {
  /** Wei per gas. */
  gasPrice?: bigint | undefined
  gas?: bigint | undefined
}
