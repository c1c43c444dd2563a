import type { Impersonation } from '../chain/accounts/impersonation.js'
import type { Keyring } from '../chain/accounts/keyring.js'
import { accountOfKey } from '../chain/accounts/mnemonic.js'
import type { Wallet } from '../chain/accounts/wallet.js'
import type { Chain } from '../chain/chain.js'
import { mineBlocks } from '../chain/controls/mineBlocks.js'
import { importBranch, reorganise, rollback } from '../chain/controls/reorganise.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { exportAccounts, importState } from '../chain/controls/stateDump.js'
import {
  addBalance,
  setBalance,
  setCallResult,
  setCode,
  setNonce,
  setStorage,
} from '../chain/controls/stateEdits.js'
import { UnsupportedControlError } from '../chain/errors.js'
import type { MessageExecutor } from '../chain/calls/executor.js'
import type { MovableSchedule } from '../chain/evm/forkSchedule.js'
import type { SignatureRecoveries } from '../chain/evm/signatureRecoveries.js'
import { decodeTransaction } from '../chain/mempool/decode.js'
import { recoverTransaction } from '../chain/mempool/transaction.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import type { CompatibilityProfile } from '../rpc/compatibility.js'
import type {
  AccountControls,
  ClockControls,
  Controls,
  HistoryControls,
  MiningControls,
  NodeControls,
  PoolControls,
  StateControls,
} from '../rpc/controls.js'
import type { Instance } from './backend.js'
import type { ChainBases } from './chainBases.js'
import { resetChain } from './reset.js'

/** What the controls of a chain work on. */
export interface ControlParts {
  chain: Chain
  bases: ChainBases
  schedule: MiningSchedule
  snapshots: Snapshots
  submission: TransactionSubmission
  executor: MessageExecutor
  keyring: Keyring
  impersonation: Impersonation
  wallet: Wallet
  schedules: MovableSchedule
  recoveries: SignatureRecoveries
  instance: Instance
  /** Whether the node tells about blocks and calls; changes in place. */
  logging: { enabled: boolean }
  compatibility: CompatibilityProfile
}

/** The controls that test suites drive a chain with. */
export function createControls(parts: ControlParts): Controls {
  return {
    ...createMiningControls(parts),
    ...createClockControls(parts),
    ...createHistoryControls(parts),
    ...createStateControls(parts),
    ...createAccountControls(parts),
    ...createPoolControls(parts),
    ...createNodeControls(parts),
  }
}

/** Who may send transactions. */
export function createAccountControls({ impersonation, keyring, recoveries }: ControlParts): AccountControls {
  return {
    impersonate: (address) => impersonation.start(address),
    stopImpersonating: (address) => impersonation.stop(address),
    autoImpersonate: (enabled) => {
      impersonation.automatic = enabled
    },
    impersonateSignature: (signature, address) => recoveries.set(signature, address),
    impersonated: () => impersonation.addresses(),
    importKey: (privateKey) => {
      const account = accountOfKey(privateKey)
      keyring.add(account)
      return account.address
    },
  }
}

/** What waits for a block. */
export function createPoolControls({ chain, submission, wallet }: ControlParts): PoolControls {
  const { mempool } = chain
  const change = <T>(work: () => T): Promise<T> =>
    chain.exclusively(() => {
      const result = work()
      submission.removeStale()
      return result
    })
  return {
    dropTransaction: (hash) => change(() => mempool.drop(hash) !== undefined),
    dropAllTransactions: () => change(() => mempool.dropAll()),
    dropTransactionsFrom: (sender) => change(() => mempool.dropFrom(sender)),
    sendUnsigned: async (call) => (await submission.sendPrepared(() => wallet.prepareUnsigned(call))).hash,
  }
}

/** The clock of a chain. */
export function createClockControls({ chain }: ControlParts): ClockControls {
  const { clock } = chain
  const headTime = () => chain.head.block.header.timestamp
  return {
    increaseTime: (seconds) => chain.adjust(() => clock.increase(seconds, headTime())),
    setTime: (timestamp) => chain.adjust(() => clock.set(timestamp)),
    setNextBlockTimestamp: (timestamp) => chain.adjust(() => clock.setNext(timestamp, headTime())),
    setBlockTimestampInterval: (seconds) => chain.adjust(() => clock.setInterval(seconds)),
    genesisTime: () => chain.view.resolve({ tag: 'earliest' })?.header.timestamp ?? 0n,
  }
}

/** Going back, and going another way. */
export function createHistoryControls(parts: ControlParts): HistoryControls {
  const { chain, bases, wallet, snapshots, instance, recoveries, impersonation } = parts
  return {
    snapshot: () => snapshots.take(),
    revert: (id) => snapshots.revert(id),
    snapshots: () => snapshots.list(),
    reset: async (order = {}) => {
      await resetChain(parts, order)
      recoveries.clear()
      if (order.beginsAnew === true) impersonation.clear()
      instance.renew()
    },
    setRemote: (url) => bases.setUrl(url),
    rollback: (depth) => rollback(chain, depth),
    importBlocks: (blocks) => importBranch(chain, blocks),
    reorganise: (order) =>
      reorganise(
        {
          chain,
          prepare: async (transaction, nonceOf) => {
            if (transaction instanceof Uint8Array) {
              return recoverTransaction(decodeTransaction(transaction), chain.nextRules())
            }
            const nonce = transaction.nonce ?? (await nonceOf(transaction.from))
            return wallet.prepareUnsigned({ ...transaction, nonce })
          },
        },
        order,
      ),
  }
}

/** Mining by order and by itself. */
export function createMiningControls({ chain, schedule, compatibility }: ControlParts): MiningControls {
  const isLondon = () => chain.head.block.header.baseFeePerGas !== undefined
  const { mempool } = chain
  let gasPrice: bigint | undefined
  return {
    mine: (order, mined) => mineBlocks(chain, order, mined),
    miningMode: () => schedule.mode,
    setAutomine: async (enabled) => {
      // As in anvil, turning off what is off already leaves a clock running.
      if (compatibility.intervalMiningDisablesAutomine && (enabled || schedule.mode.automine))
        schedule.setInterval(0)
      await schedule.setAutomine(enabled)
    },
    setIntervalMining: async (interval) => {
      if (compatibility.intervalMiningDisablesAutomine) await schedule.setAutomine(false)
      schedule.setInterval(interval)
    },
    setBlockGasLimit: (gas) =>
      chain.adjust(() => {
        chain.settings.gasLimit = gas
      }),
    setNextBaseFee: (baseFee) =>
      chain.adjust(() => {
        if (!isLondon()) {
          throw new UnsupportedControlError(
            'anvil_setNextBlockBaseFeePerGas is only supported when EIP-1559 is active',
          )
        }
        chain.settings.nextBaseFee = baseFee
      }),
    imposedBaseFee: () => chain.settings.nextBaseFee,
    setMinGasPrice: (price) => {
      if (isLondon()) {
        throw new UnsupportedControlError('anvil_setMinGasPrice is not supported when EIP-1559 is active')
      }
      mempool.options.minimumTip = price
      gasPrice = price
    },
    gasPrice: () => gasPrice,
    setGasPrice: (price) => {
      gasPrice = price
    },
    coinbase: () => chain.settings.coinbase,
    setCoinbase: (address) =>
      chain.adjust(() => {
        chain.settings.coinbase = address
      }),
    setPrevRandao: (value) =>
      chain.adjust(() => {
        if (!chain.nextRules().isActivatedEIP(4399)) {
          throw new UnsupportedControlError('anvil_setNextBlockPrevRandao is only supported after the merge')
        }
        chain.settings.nextPrevRandao = value
      }),
    setExtraData: (data) =>
      chain.adjust(() => {
        chain.settings.extraData = data
      }),
  }
}

/** The node as it describes itself. */
export function createNodeControls(parts: ControlParts): NodeControls {
  const { chain, instance, schedules, logging } = parts
  return {
    facts: () => ({
      instanceId: instance.id,
      hardfork: chain.nextRules().hardfork(),
      order: chain.mempool.options.order,
      baseFee: chain.nextBaseFee(),
      gasLimit: chain.settings.gasLimit,
    }),
    setChainId: (chainId) => chain.adjust(() => schedules.setChainId(chainId)),
    setLogging: (enabled) => {
      logging.enabled = enabled
    },
  }
}

/** Edits of the state that the next block is executed on. */
export function createStateControls({ chain, executor }: ControlParts): StateControls {
  return {
    setBalance: (address, balance) => setBalance(chain, address, balance),
    addBalance: (address, wei) => addBalance(chain, address, wei),
    setNonce: (address, nonce) => setNonce(chain, address, nonce),
    setCode: (address, code) => setCode(chain, address, code),
    setStorage: (address, slot, value) => setStorage(chain, address, slot, value),
    exportState: (write) => chain.unchanged(async () => write(await exportAccounts(chain))),
    importState: (state) => importState(chain, state),
    setCallResult: (call, value) => setCallResult({ chain, executor }, call, value),
  }
}
