import { estimateGas } from '../chain/calls/estimate.js'
import { estimateFromGasUsed, estimateLeast } from '../chain/calls/estimateFromGasUsed.js'
import { StateRanges } from '../chain/state/stateRange.js'
import { randomBytes } from 'node:crypto'
import { accessListFees } from '../chain/accounts/feeDefaults.js'
import { Impersonation } from '../chain/accounts/impersonation.js'
import { type KeyedAccount, Keyring, messageSigner, signTypedData } from '../chain/accounts/keyring.js'
import { Wallet, resend } from '../chain/accounts/wallet.js'
import type { ChainStores } from '../chain/reader.js'
import { rawTransactions, uncleHeaders } from '../chain/block/rawParts.js'
import { createCallSite } from '../chain/calls/call.js'
import { MessageExecutor } from '../chain/calls/executor.js'
import { Simulator } from '../chain/calls/simulate/simulator.js'
import type { Chain } from '../chain/chain.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { HashNotFoundError } from '../chain/errors.js'
import { type ForkSchedule, MAX_TRANSACTION_GAS, type MovableSchedule } from '../chain/evm/forkSchedule.js'
import type { SignatureRecoveries } from '../chain/evm/signatureRecoveries.js'
import type { BlobStore } from '../chain/mempool/blobs.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import { buildBlock } from '../chain/mining/build.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import { proveAccount } from '../chain/state/trieNode.js'
import { StatePreview, WorkingState } from '../chain/state/workingState.js'
import { CallSequence, HistoryTracer } from '../chain/tracing/historyTracer.js'
import { bytesToBigint } from '../encoding/hex.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { NodeSettings } from '../options.js'
import type { Backend, BlockBuilder, BlockRecords, Prover, RpcSettings } from '../rpc/backend.js'
import { type CompatibilityProfile, compatibilityProfile } from '../rpc/compatibility.js'
import { suggestTip } from '../rpc/fees/suggestTip.js'
import type { ChainBases } from './chainBases.js'
import { createControls } from './controls.js'

/** What the backend of a network is joined from. */
export interface BackendParts {
  chain: Chain
  submission: TransactionSubmission
  mining: MiningSchedule
  snapshots: Snapshots
  bases: ChainBases
  schedules: MovableSchedule
  recoveries: SignatureRecoveries
  blobs: BlobStore
  logging: { enabled: boolean }
  accounts: readonly KeyedAccount[]
  settings: NodeSettings
}

/** Who estimates gas. */
const gasEstimators = { searched: estimateGas, least: estimateLeast, used: estimateFromGasUsed }

/** Joins the parts of a network into what JSON-RPC methods work with. */
export function createBackend(parts: BackendParts): Backend {
  const { chain, submission, mining, accounts, settings } = parts
  const { view, mempool } = chain
  const keyring = new Keyring(accounts)
  const impersonation = new Impersonation({ automatic: settings.autoImpersonate })
  const answers = rpcSettings(settings)
  const { compatibility } = answers
  const executor = new MessageExecutor({
    pendingGasLimit: () => chain.settings.gasLimit,
    completeFees: (call, header) => accessListFees(call, header, view.rulesAt(header)),
    estimate: gasEstimators[compatibility.gasEstimate],
    onConsole: (data) => chain.onConsole?.(data),
  })
  applyCompatibility(parts, compatibility)
  const wallet = new Wallet({
    keyring,
    impersonation,
    view,
    mempool,
    executor,
    suggestedTip: () => suggestTip(view, answers.startTip),
    nextBaseFee: () => chain.nextBaseFee(),
    createsWithoutData: compatibility.allowsEmptyCreation,
    defaultFeeCap: compatibility.defaultFeeCap,
    allowsZeroFees: compatibility.allowsZeroFees,
    estimatesTransfersUnseen: compatibility.estimatesPlainTransfersStatically,
    ...(compatibility.sendsWithBlockGasLimit && { defaultGas: () => mostTransactionGas(chain) }),
    ...(compatibility.fallsBackToBlockGasLimit && { fallbackGas: () => chain.settings.gasLimit }),
  })
  return {
    chain: view,
    executor,
    prover: createProver(chain.stores),
    tracing: new HistoryTracer(chain.stores),
    ranges: new StateRanges(chain.stores),
    sequence: new CallSequence(chain.stores),
    simulator: new Simulator({ stores: chain.stores, schedule: parts.schedules }),
    records: createRecords(chain.stores),
    builder: createBuilder(chain, parts.schedules),
    forks: parts.schedules,
    pool: {
      sendRaw: async (raw) => (await submission.sendRaw(raw)).hash,
      send: async (call) => (await submission.sendPrepared(() => wallet.prepare(call))).hash,
      resend: async (call, change) =>
        (await submission.sendPrepared(() => resend(wallet, call, change))).hash,
      get: (hash) => mempool.get(hash),
      blob: (versionedHash) => parts.blobs.get(versionedHash),
      content: () => mempool.content(),
      contentFrom: (sender) => mempool.contentFrom(sender),
      nextNonce: async (address) => {
        const pending = mempool.pendingNonce(address)
        if (pending !== undefined) return pending
        const { state } = await view.stateAt({ tag: 'latest' })
        return (await state.getAccount(address))?.nonce ?? 0n
      },
    },
    accounts: {
      addresses: () => keyring.addresses(),
      signMessage: (address, message) => keyring.signMessage(address, message),
      messageSigner,
      signTypedData: (address, typedData) => signTypedData(keyring, address, typedData),
      signTransaction: async (call) => {
        const { transaction, hash } = await (compatibility.fillsBeforeSigning
          ? wallet.prepare(call)
          : wallet.sign(call))
        return { raw: transaction.serialize(), transaction, hash }
      },
      fillTransaction: (call, blobs) => wallet.complete(call, blobs),
    },
    controls: createControls({
      ...parts,
      schedule: mining,
      executor,
      keyring,
      impersonation,
      wallet,
      instance: new Instance(),
      compatibility,
    }),
    events: chain.events,
    settings: answers,
    clientVersion: settings.clientVersion ?? compatibility.clientVersion,
  }
}

/** The most gas that a transaction of the next block may have. */
function mostTransactionGas(chain: Pick<Chain, 'settings' | 'nextRules'>): bigint {
  const { gasLimit } = chain.settings
  const isCapped = chain.nextRules().isActivatedEIP(7825)
  return isCapped && gasLimit > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : gasLimit
}

/** Builds blocks on any stored parent, without storing them. */
export function createBuilder(chain: Chain, schedule: ForkSchedule): BlockBuilder {
  const { view, mempool, settings } = chain
  return {
    build: async ({ parentHash, attributes, transactions, extraData }) => {
      const parent = view.blockByHash(parentHash)
      if (parent === undefined) throw new HashNotFoundError(parentHash, view.head().header.number)
      const { states } = chain.stores
      const base = states.viewAt(parent.header.stateRoot)
      const header = { ...parent.header, number: parent.header.number + 1n, parentHash }
      const { blockHash } = createCallSite(view, { header, rules: view.rulesAt(header), state: base })
      return buildBlock({
        parent,
        schedule,
        attributes,
        transactions: transactions ?? mempool,
        settings: { extraData: extraData ?? settings.extraData },
        state: new WorkingState({ base, store: states }),
        blockHash,
      })
    },
  }
}

/** Proves from the tries of a store; the pending state brings its own nodes. */
export function createProver(stores: Pick<ChainStores, 'states'>): Prover {
  return {
    async prove(state, address, slots) {
      const reader = state instanceof StatePreview ? state.reader : stores.states
      const proving = proveAccount(reader, state.root, address, slots)
      const { exists, account, accountProof, storageProof } = await runInSlices(proving, new TimeSlice())
      return {
        ...(exists && { account }),
        accountProof,
        storageProof: storageProof.map(({ value, proof }) => ({ value: bytesToBigint(value), proof })),
      }
    },
  }
}

/** The consensus forms of what a store holds. */
export function createRecords(stores: Pick<ChainStores, 'blocks' | 'states'>): BlockRecords {
  return {
    rawBlock: (block) => stores.blocks.blockRlp(block),
    rawReceipts: (block) => stores.blocks.receiptsRlp(block),
    rawTransaction: (block, index) => {
      const raw = rawTransactions(stores.blocks.blockRlp(block))[index]
      if (raw === undefined) throw new RangeError(`block ${block.header.number} has no transaction ${index}`)
      return raw
    },
    rawTransactions: (block) => rawTransactions(stores.blocks.blockRlp(block)),
    uncles: (block) => (block.uncleHashes.length === 0 ? [] : uncleHeaders(stores.blocks.blockRlp(block))),
    code: (hash) => stores.states.getCode(hash),
  }
}

/** What anvil and hardhat suggest as a tip, wei per gas. */
const devnetStartTip = 1_000_000_000n
/** What geth suggests before it has seen a transaction (miner/miner.go, DefaultConfig). */
const gethStartTip = 1_000_000n

/** The limits and choices of a node, as methods take them. */
export function rpcSettings(settings: NodeSettings): RpcSettings {
  const compatibility = compatibilityProfile(settings.compat)
  return {
    maxLogs: settings.logsMaxResults,
    logTimeoutMilliseconds: settings.logsTimeoutMs,
    maxLogParameters: settings.logsMaxParameters,
    maxLogRange: settings.logsMaxRange,
    logsRange: settings.logsRange ?? compatibility.logsRange,
    logsError: settings.logsError,
    gasCapInBlocks: settings.gasCapBlocks,
    startTip: settings.genesis === undefined ? devnetStartTip : gethStartTip,
    maxTraceBytes: settings.maxResponse,
    totalDifficulty: !settings.noTotalDifficulty,
    pendingFields: settings.pendingFields ?? compatibility.pendingFields,
    compatibility,
  }
}

/** Tells one run of a chain from another: a new start or a reset is a new instance. */
export class Instance {
  #id: Uint8Array = newId()

  /** 32 bytes. */
  get id(): Uint8Array {
    return this.#id
  }

  renew(): void {
    this.#id = newId()
  }
}

function newId(): Uint8Array {
  return Uint8Array.from(randomBytes(32))
}

/** What a mempool takes on compatibility from. */
export interface MempoolCompatibilityParts {
  chain: Pick<Chain, 'mempool' | 'nextBaseFee'>
  mining: Pick<MiningSchedule, 'mode'>
}

/** Lets a chain's mempool refuse and replace as the node does that is stood in for. */
export function applyCompatibility(
  { chain, mining }: MempoolCompatibilityParts,
  { rejectsUnminable, rejectsFeeCapBelowBaseFee, higherFeeCapReplaces }: CompatibilityProfile,
): void {
  const { options } = chain.mempool
  if (rejectsUnminable)
    options.automineBaseFee = () => (mining.mode.automine ? chain.nextBaseFee() : undefined)
  if (rejectsFeeCapBelowBaseFee) options.minimumFeeCap = () => chain.nextBaseFee()
  options.capReplaces = higherFeeCapReplaces
}
