import type { Awaitable } from '../encoding/timeSlice.js'
import { randomBytes } from 'node:crypto'
import type { Impersonation } from '../chain/accounts/impersonation.js'
import type { Keyring } from '../chain/accounts/keyring.js'
import { accountOfKey } from '../chain/accounts/mnemonic.js'
import type { Wallet } from '../chain/accounts/wallet.js'
import type { MessageExecutor } from '../chain/calls/executor.js'
import type { Chain, MinedBlock } from '../chain/chain.js'
import { type MineBlocksOptions, mineBlocks } from '../chain/controls/mineBlocks.js'
import { type Replacement, importBranch, reorganise, rollback } from '../chain/controls/reorganise.js'
import type { RevertOutcome, SnapshotEntry, Snapshots } from '../chain/controls/snapshots.js'
import { type ImportedState, exportAccounts, importState } from '../chain/controls/stateDump.js'
import * as stateEdits from '../chain/controls/stateEdits.js'
import { ChainError, UnsupportedControlError } from '../chain/errors.js'
import type { MovableSchedule } from '../chain/evm/forkSchedule.js'
import type { SignatureRecoveries } from '../chain/evm/signatureRecoveries.js'
import type { GenesisAccount } from '../chain/genesis/ownGenesis.js'
import { decodeTransaction } from '../chain/mempool/decode.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import { recoverTransaction } from '../chain/mempool/transaction.js'
import type { MiningInterval, MiningMode, MiningSchedule } from '../chain/mining/schedule.js'
import type { CompatibilityProfile } from './compatibility.js'

/** A block of another node's chain. */
export interface ForkTarget {
  /** Of the node; that of the present fork if undefined. */
  url?: string | undefined
  /** The newest block if undefined. */
  blockNumber?: bigint | undefined
}

/** What a reset does besides going back to the first block. */
export interface ResetOrder {
  /** The block of another node's chain to continue from; where the chain was started if undefined. */
  fork?: ForkTarget | undefined
  /** Whether the genesis is made again with the current time, and snapshots are numbered from the start. */
  beginsAnew?: boolean
}

/** Controls that replace the base of the chain. */
export interface RemoteControls {
  /** @throws UnsupportedControlError if the order names a URL that calls may not name */
  reset(order: ResetOrder): Promise<void>
  /** @throws UnsupportedControlError as `reset` does */
  setRemote(url: string): Promise<void>
}

/** What a node reports about itself where no other method does. */
export interface NodeFacts {
  /** 32 bytes; changes with each start and each reset. */
  instanceId: Uint8Array
  /** Of the next block. */
  hardfork: string
  order: 'fees' | 'fifo'
  /** Of the next block, in wei per gas. */
  baseFee: bigint
  /** Of the next block. */
  gasLimit: bigint
}

/** What the controls of a chain work on. */
export interface ControlParts {
  chain: Chain
  mining: MiningSchedule
  snapshots: Snapshots
  submission: TransactionSubmission
  remote: RemoteControls
  executor: MessageExecutor
  keyring: Keyring
  impersonation: Impersonation
  wallet: Wallet
  schedules: MovableSchedule
  recoveries: SignatureRecoveries
  /** Whether the node reports blocks and calls; changes in place. */
  logging: { enabled: boolean }
  compatibility: CompatibilityProfile
}

/** The controls of development nodes: what a test suite drives a chain with. Times are in seconds, addresses 20 bytes. */
export class Controls {
  readonly #parts: ControlParts
  readonly #chain: Chain
  #gasPrice: bigint | undefined
  #instanceId = newInstanceId()

  constructor(parts: ControlParts) {
    this.#parts = parts
    this.#chain = parts.chain
  }

  /* Mining */

  /** Mines blocks now, whatever the mining mode. @param mined - called with each of them */
  mine(order: MineBlocksOptions, mined?: (block: MinedBlock) => void): Promise<void> {
    return mineBlocks(this.#chain, order, mined)
  }

  miningMode(): MiningMode {
    return this.#parts.mining.mode
  }

  async setAutomine(enabled: boolean): Promise<void> {
    const { mining, compatibility } = this.#parts
    // As in anvil, turning off what is off already leaves a clock running.
    if (compatibility.intervalMiningDisablesAutomine && (enabled || mining.mode.automine))
      mining.setInterval(0)
    await mining.setAutomine(enabled)
  }

  /** @param interval - milliseconds between blocks; 0 ends interval mining */
  async setIntervalMining(interval: MiningInterval): Promise<void> {
    const { mining, compatibility } = this.#parts
    if (compatibility.intervalMiningDisablesAutomine) await mining.setAutomine(false)
    mining.setInterval(interval)
  }

  /** Sets the gas limit from the next block on. */
  setBlockGasLimit(gasLimit: bigint): Promise<void> {
    return this.#setBlockSettings({ gasLimit })
  }

  /** Sets the base fee of the next block alone, in wei per gas. @throws UnsupportedControlError before London */
  setNextBaseFee(nextBaseFee: bigint): Promise<void> {
    return this.#chain.adjust(() => {
      if (!this.#isLondon) {
        throw new UnsupportedControlError(
          'anvil_setNextBlockBaseFeePerGas is only supported when EIP-1559 is active',
        )
      }
      this.#chain.settings.nextBaseFee = nextBaseFee
    })
  }

  /** The base fee that {@link setNextBaseFee} has set for the next block. */
  imposedBaseFee(): bigint | undefined {
    return this.#chain.settings.nextBaseFee
  }

  /** Sets the least gas price of transactions, also for eth_gasPrice. @throws UnsupportedControlError from London on */
  setMinGasPrice(price: bigint): void {
    if (this.#isLondon) {
      throw new UnsupportedControlError('anvil_setMinGasPrice is not supported when EIP-1559 is active')
    }
    this.#chain.mempool.options.minimumTip = price
    this.#gasPrice = price
  }

  /** The answer of eth_gasPrice in wei per gas, if a control has set it. */
  gasPrice(): bigint | undefined {
    return this.#gasPrice
  }

  setGasPrice(price: bigint): void {
    this.#gasPrice = price
  }

  coinbase(): Uint8Array {
    return this.#chain.settings.coinbase
  }

  /** Sets who earns the fees from the next block on. */
  setCoinbase(coinbase: Uint8Array): Promise<void> {
    return this.#setBlockSettings({ coinbase })
  }

  /** Sets the prevRandao of the next block alone, 32 bytes. @throws UnsupportedControlError before the merge */
  setPrevRandao(nextPrevRandao: Uint8Array): Promise<void> {
    return this.#chain.adjust(() => {
      if (!this.#chain.nextRules().isActivatedEIP(4399)) {
        throw new UnsupportedControlError('anvil_setNextBlockPrevRandao is only supported after the merge')
      }
      this.#chain.settings.nextPrevRandao = nextPrevRandao
    })
  }

  /** Sets the extra data from the next block on, at most 32 bytes. */
  setExtraData(extraData: Uint8Array): Promise<void> {
    return this.#setBlockSettings({ extraData })
  }

  get #isLondon(): boolean {
    return this.#chain.head.block.header.baseFeePerGas !== undefined
  }

  #setBlockSettings(settings: Partial<Chain['settings']>): Promise<void> {
    return this.#chain.adjust(() => {
      Object.assign(this.#chain.settings, settings)
    })
  }

  /* Clock */

  /** @returns how far the clock is ahead of the wall clock now */
  increaseTime(seconds: bigint): Promise<bigint> {
    return this.#chain.adjust(() => this.#chain.clock.increase(seconds, this.#headTime))
  }

  /** Sets the clock, which then runs on. @returns how far it moved */
  setTime(timestamp: bigint): Promise<bigint> {
    return this.#chain.adjust(() => this.#chain.clock.set(timestamp))
  }

  /** @throws TimestampError if the next block cannot have this time */
  setNextBlockTimestamp(timestamp: bigint): Promise<void> {
    return this.#chain.adjust(() => this.#chain.clock.setNext(timestamp, this.#headTime))
  }

  /** Fixes the time between blocks; undefined leaves it to the clock. @returns whether it was fixed before */
  setBlockTimestampInterval(seconds: bigint | undefined): Promise<boolean> {
    return this.#chain.adjust(() => this.#chain.clock.setInterval(seconds))
  }

  genesisTime(): bigint {
    return this.#chain.view.resolve({ tag: 'earliest' })?.header.timestamp ?? 0n
  }

  get #headTime(): bigint {
    return this.#chain.head.block.header.timestamp
  }

  /* History */

  /** @returns the number of the snapshot */
  snapshot(): Promise<bigint> {
    return this.#parts.snapshots.take()
  }

  /** Reverts to a snapshot and removes it, and those that were taken after it. */
  revert(snapshot: bigint): Promise<RevertOutcome> {
    return this.#parts.snapshots.revert(snapshot)
  }

  snapshots(): readonly SnapshotEntry[] {
    return this.#parts.snapshots.list()
  }

  /**
   * Resets the chain to the first block that it was started with, or to a block of a remote chain.
   *
   * @throws UnsupportedControlError if the order names a URL that calls may not name
   */
  async reset(order: ResetOrder = {}): Promise<void> {
    await this.#parts.remote.reset(order)
    this.#parts.recoveries.clear()
    if (order.beginsAnew === true) this.#parts.impersonation.clear()
    this.#instanceId = newInstanceId()
  }

  /** Asks another node of the forked chain from now on. @throws UnsupportedControlError as `reset` does */
  setRemote(url: string): Promise<void> {
    return this.#parts.remote.setRemote(url)
  }

  /** Removes blocks from the end of the chain, and their transactions. @throws DepthError if there are not so many */
  rollback(depth: number): Promise<void> {
    return rollback(this.#chain, depth)
  }

  /** Replaces blocks at the end of the chain by as many others. @throws DepthError if there are not so many */
  reorganise(order: { depth: number; replacements: readonly Replacement[] }): Promise<void> {
    const { wallet } = this.#parts
    return reorganise(
      {
        chain: this.#chain,
        prepare: async (transaction, nonceOf) => {
          if (transaction instanceof Uint8Array) {
            return recoverTransaction(decodeTransaction(transaction), this.#chain.nextRules())
          }
          const nonce = transaction.nonce ?? (await nonceOf(transaction.from))
          return wallet.prepareUnsigned({ ...transaction, nonce })
        },
      },
      order,
    )
  }

  /**
   * Imports blocks as RLP, parents first, and makes the last of them the head.
   *
   * @throws ImportError for the first invalid block; those before it stay stored
   */
  importBlocks(blocks: readonly Uint8Array[]): Promise<void> {
    return importBranch(this.#chain, blocks)
  }

  /* State that the next block is executed on, and that `latest` reads */

  /** @param balance - wei */
  setBalance(address: Uint8Array, balance: bigint): Promise<void> {
    return stateEdits.setBalance(this.#chain, address, balance)
  }

  addBalance(address: Uint8Array, wei: bigint): Promise<void> {
    return stateEdits.addBalance(this.#chain, address, wei)
  }

  setNonce(address: Uint8Array, nonce: bigint): Promise<void> {
    return stateEdits.setNonce(this.#chain, address, nonce)
  }

  setCode(address: Uint8Array, code: Uint8Array): Promise<void> {
    return stateEdits.setCode(this.#chain, address, code)
  }

  /** @param slot - 32 bytes, as `value` is */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void> {
    return stateEdits.setStorage(this.#chain, address, slot, value)
  }

  /** Finds the slot that a view function reads, and sets it. @returns false if there is no such slot */
  setCallResult(call: { to: Uint8Array; data: Uint8Array }, value: bigint): Promise<boolean> {
    return stateEdits.setCallResult({ chain: this.#chain, executor: this.#parts.executor }, call, value)
  }

  /**
   * Calls `write` with every account of `latest`; the chain does not change meanwhile.
   *
   * @param signal - aborted when nobody waits for it any more: it holds back every change of the chain
   * @throws ChainError if the signal is aborted before all is written
   */
  exportState<T>(
    write: (accounts: readonly GenesisAccount[]) => Awaitable<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#chain.unchanged(async () => {
      try {
        signal?.throwIfAborted()
        return await write(await exportAccounts(this.#chain, signal))
      } catch (error) {
        if (signal?.aborted !== true) throw error
        throw new ChainError('the client is gone: the state is not written to its end')
      }
    })
  }

  /** Imports accounts into the state, and blocks in place of the chain. */
  importState(state: ImportedState): Promise<void> {
    return importState(this.#chain, state)
  }

  /* Accounts */

  impersonate(address: Uint8Array): void {
    this.#parts.impersonation.start(address)
  }

  /** @returns false if the account was not impersonated */
  stopImpersonating(address: Uint8Array): boolean {
    return this.#parts.impersonation.stop(address)
  }

  /** Accepts unsigned transactions of every account, or only of those that {@link impersonate} named. */
  autoImpersonate(enabled: boolean): void {
    this.#parts.impersonation.automatic = enabled
  }

  /** Makes ECRECOVER return an account for a signature of 65 bytes, whatever it signs. */
  impersonateSignature(signature: Uint8Array, address: Uint8Array): void {
    this.#parts.recoveries.set(signature, address)
  }

  impersonated(): readonly Uint8Array[] {
    return this.#parts.impersonation.addresses()
  }

  /** Adds a 32-byte private key. @returns its address */
  importKey(privateKey: Uint8Array): Uint8Array {
    const account = accountOfKey(privateKey)
    this.#parts.keyring.add(account)
    return account.address
  }

  /* Mempool */

  /** Drops a pooled transaction. @returns false if there is none of this hash */
  dropTransaction(hash: Uint8Array): Promise<boolean> {
    return this.#changeMempool(({ mempool }) => mempool.drop(hash) !== undefined)
  }

  dropAllTransactions(): Promise<void> {
    return this.#changeMempool(({ mempool }) => mempool.dropAll())
  }

  dropTransactionsFrom(sender: Uint8Array): Promise<void> {
    return this.#changeMempool(({ mempool }) => mempool.dropFrom(sender))
  }

  #changeMempool<T>(change: (chain: Chain) => T): Promise<T> {
    return this.#chain.exclusively(() => {
      const result = change(this.#chain)
      this.#parts.submission.removeStale()
      return result
    })
  }

  /* Node */

  facts(): NodeFacts {
    const chain = this.#chain
    return {
      instanceId: this.#instanceId,
      hardfork: chain.nextRules().hardfork(),
      order: chain.mempool.options.order,
      baseFee: chain.nextBaseFee(),
      gasLimit: chain.settings.gasLimit,
    }
  }

  setChainId(chainId: bigint): Promise<void> {
    return this.#chain.adjust(() => this.#parts.schedules.setChainId(chainId))
  }

  setLogging(enabled: boolean): void {
    this.#parts.logging.enabled = enabled
  }
}

function newInstanceId(): Uint8Array {
  return Uint8Array.from(randomBytes(32))
}
