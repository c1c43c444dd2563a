import { Impersonation } from '../chain/accounts/impersonation.js'
import { type KeyedAccount, Keyring, messageSigner, signTypedData } from '../chain/accounts/keyring.js'
import { Wallet, resend } from '../chain/accounts/wallet.js'
import type { Chain } from '../chain/chain.js'
import { MessageExecutor } from '../chain/execution/executor.js'
import type { MovableSchedule } from '../chain/execution/movableSchedule.js'
import type { SignatureRecoveries } from '../chain/execution/signatureRecoveries.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import type { BlobStore } from '../chain/mempool/blobStore.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import { Simulator } from '../chain/simulate/simulator.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { CallSequence } from '../chain/tracing/callSequence.js'
import { HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { NodeSettings } from '../options.js'
import type { Backend } from '../rpc/backend.js'
import { suggestTip } from '../rpc/fees/suggestTip.js'
import { createBuilder } from './builder.js'
import type { ChainBases } from './chainBases.js'
import { createControls } from './controls.js'
import { Instance } from './instance.js'
import { takeOnHabits } from './mempoolHabits.js'
import { createProver } from './prover.js'
import { createRecords } from './records.js'
import { rpcSettings } from './rpcSettings.js'

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

/** Joins the parts of a network into what JSON-RPC methods work with. */
export function createBackend(parts: BackendParts): Backend {
  const { chain, submission, mining, accounts, settings } = parts
  const { view, mempool } = chain
  const keyring = new Keyring(accounts)
  const impersonation = new Impersonation({ automatic: settings.autoImpersonate })
  const executor = new MessageExecutor({
    pendingGasLimit: () => chain.settings.gasLimit,
    onConsole: (data) => chain.onConsole?.(data),
  })
  const answers = rpcSettings(settings)
  const { habits } = answers
  takeOnHabits(parts, habits)
  const wallet = new Wallet({
    keyring,
    impersonation,
    view,
    mempool,
    executor,
    suggestedTip: () => suggestTip(view, answers.startTip),
    nextBaseFee: () => chain.nextBaseFee(),
    keepsAccessLists: habits.keepsAccessLists,
    createsWithoutData: habits.createsWithoutData,
    capsAtNextPrice: habits.capsAtNextPrice,
    estimatesTransfersUnseen: habits.estimatesTransfersUnseen,
    ...(habits.sendsWithoutEstimate && { fallbackGas: () => chain.settings.gasLimit }),
  })
  return {
    chain: view,
    executor,
    prover: createProver(chain.stores),
    tracing: new HistoryTracer(chain.stores),
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
        const { transaction, hash } = await (habits.signsIncomplete
          ? wallet.prepare(call)
          : wallet.sign(call))
        return { raw: transaction.serialize(), transaction, hash }
      },
      fillTransaction: async (call) => {
        const { transaction, hash } = await wallet.complete(call)
        return { raw: transaction.serialize(), transaction, hash }
      },
    },
    controls: createControls({
      ...parts,
      schedule: mining,
      executor,
      keyring,
      impersonation,
      wallet,
      instance: new Instance(),
      habits,
    }),
    events: chain.events,
    settings: answers,
    clientVersion: settings.clientVersion ?? habits.clientVersion,
  }
}
