import type { Awaitable } from '../encoding/timeSlice.js'
import { randomBytes } from 'node:crypto'
import type { Impersonation } from '../chain/accounts/impersonation.js'
import type { Keyring } from '../chain/accounts/keyring.js'
import { accountOfKey } from '../chain/accounts/mnemonic.js'
import type { Wallet } from '../chain/accounts/wallet.js'
import type { MessageExecutor } from '../chain/calls/executor.js'
import type { Chain, MinedBlock } from '../chain/chain.js'
import { type MineBlocksOptions, mineBlocks } from '../chain/controls/mineBlocks.js'
import { type ReorganisationOrder, importBranch, reorganise, rollback } from '../chain/controls/reorganise.js'
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
import { checkReadable } from '../chain/mempool/validation.js'
import type { MiningInterval, MiningMode, MiningSchedule } from '../chain/mining/schedule.js'
import type { CompatibilityProfile } from './compatibility.js'

/** A block of another node's chain. */
export interface ForkTarget {
  /** URL of the node; the current fork's if undefined. */
  url?: string | undefined
  /** The newest block if undefined. */
  blockNumber?: bigint | undefined
}

/** Options of a reset. */
export interface ResetOrder {
  /** Remote block to continue from; if undefined, the block from which the chain was started. */
  fork?: ForkTarget | undefined
  /** Whether to rebuild the genesis with the current time and restart snapshot numbering. */
  beginsAnew?: boolean
}

/** Controls that replace the base of the chain. */
export interface RemoteControls {
  /** @throws UnsupportedControlError if calls may not use the given URL */
  reset(order: ResetOrder): Promise<void>
  /** @throws UnsupportedControlError like `reset` */
  setRemote(url: string): Promise<void>
}

/** Facts about the node that no other method reports. */
export interface NodeFacts {
  /** 32 bytes; changes with each start and reset. */
  instanceId: Uint8Array
  /** Of the next block. */
  hardfork: string
  order: 'fees' | 'fifo'
  /** Of the next block, in wei per gas. */
  baseFee: bigint
  /** Of the next block. */
  gasLimit: bigint
}

/** Parts that the controls operate on. */
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
  /** Whether the node logs blocks and calls; updated in place. */
  logging: { enabled: boolean }
  compatibility: CompatibilityProfile
}

/** Development-node controls for test suites. Times are in seconds, addresses 20 bytes. */
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

  /** Mines blocks immediately in any mining mode. @param mined - called with each block; the next one waits for it */
  mine(order: MineBlocksOptions, mined?: (block: MinedBlock) => Awaitable<void>): Promise<void> {
    return mineBlocks(this.#chain, order, mined)
  }

  miningMode(): MiningMode {
    return this.#parts.mining.mode
  }

  async setAutomine(enabled: boolean): Promise<void> {
    const { mining, compatibility } = this.#parts
    // Like anvil, turning automine off when it is already off leaves interval mining running.
    if (compatibility.intervalMiningDisablesAutomine && (enabled || mining.mode.automine))
      mining.setInterval(0)
    await mining.setAutomine(enabled)
  }

  /** @param interval - milliseconds between blocks; 0 stops interval mining */
  async setIntervalMining(interval: MiningInterval): Promise<void> {
    const { mining, compatibility } = this.#parts
    if (compatibility.intervalMiningDisablesAutomine) await mining.setAutomine(false)
    mining.setInterval(interval)
  }

  /** Sets the gas limit, starting with the next block; transactions above it are dropped, or wait in anvil's profile. */
  async setBlockGasLimit(gasLimit: bigint): Promise<void> {
    await this.#setBlockSettings({ gasLimit })
    await this.#removeStale()
  }

  /** Sets the base fee of the next block only, in wei per gas. @throws UnsupportedControlError before London */
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

  /** Returns the base fee set by {@link setNextBaseFee}, if any. */
  imposedBaseFee(): bigint | undefined {
    return this.#chain.settings.nextBaseFee
  }

  /** Sets the minimum gas price of transactions and eth_gasPrice. @throws UnsupportedControlError from London on */
  setMinGasPrice(price: bigint): void {
    if (this.#isLondon) {
      throw new UnsupportedControlError('anvil_setMinGasPrice is not supported when EIP-1559 is active')
    }
    this.#chain.mempool.options.minimumTip = price
    this.#gasPrice = price
  }

  /** Returns the eth_gasPrice override in wei per gas, if a control has set one. */
  gasPrice(): bigint | undefined {
    return this.#gasPrice
  }

  setGasPrice(price: bigint): void {
    this.#gasPrice = price
  }

  /** Returns the fee recipient of the next block, 20 bytes. */
  coinbase(): Uint8Array {
    return this.#chain.settings.coinbase
  }

  /** Returns the gas limit of the next block. */
  gasLimit(): bigint {
    return this.#chain.settings.gasLimit
  }

  /** Sets the fee recipient, starting with the next block. */
  setCoinbase(coinbase: Uint8Array): Promise<void> {
    return this.#setBlockSettings({ coinbase })
  }

  /** Sets the prevRandao of the next block only, 32 bytes. @throws UnsupportedControlError before the merge */
  setPrevRandao(nextPrevRandao: Uint8Array): Promise<void> {
    return this.#chain.adjust(() => {
      if (!this.#chain.nextRules().isActivatedEIP(4399)) {
        throw new UnsupportedControlError('anvil_setNextBlockPrevRandao is only supported after the merge')
      }
      this.#chain.settings.nextPrevRandao = nextPrevRandao
    })
  }

  /** Sets the extra data, at most 32 bytes, starting with the next block. */
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

  /** @returns the clock's current offset from the wall clock */
  increaseTime(seconds: bigint): Promise<bigint> {
    return this.#chain.adjust(() => this.#chain.clock.increase(seconds, this.#headTime))
  }

  /** Sets the clock, which keeps running. @returns how far it moved */
  setTime(timestamp: bigint): Promise<bigint> {
    return this.#chain.adjust(() => this.#chain.clock.set(timestamp))
  }

  /** @throws TimestampError if the next block cannot have this timestamp */
  setNextBlockTimestamp(timestamp: bigint): Promise<void> {
    return this.#chain.adjust(() => this.#chain.clock.setNext(timestamp, this.#headTime))
  }

  /** Fixes the time between blocks; undefined restores the clock. @returns whether it was fixed before */
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

  /** Skips the number of a snapshot. */
  skipSnapshot(): void {
    this.#parts.snapshots.skipId()
  }

  /** Reverts to a snapshot, removing it and all later ones. */
  revert(snapshot: bigint): Promise<RevertOutcome> {
    return this.#parts.snapshots.revert(snapshot)
  }

  /** Iterates over the snapshots, oldest first. */
  snapshots(): Iterable<SnapshotEntry> {
    return this.#parts.snapshots.list()
  }

  /**
   * Resets the chain to the block it was started from, or to a block of a remote chain.
   *
   * @throws UnsupportedControlError if calls may not use the given URL
   */
  async reset(order: ResetOrder = {}): Promise<void> {
    await this.#parts.remote.reset(order)
    this.#parts.recoveries.clear()
    if (order.beginsAnew === true) this.#parts.impersonation.clear()
    this.#instanceId = newInstanceId()
  }

  /** Switches to another node of the forked chain. @throws UnsupportedControlError like `reset` */
  setRemote(url: string): Promise<void> {
    return this.#parts.remote.setRemote(url)
  }

  /** Removes the last blocks with their transactions. @throws DepthError if the chain has too few */
  rollback(depth: number): Promise<void> {
    return rollback(this.#chain, depth)
  }

  /** Replaces the last blocks by as many new ones. @throws DepthError if the chain has too few */
  reorganise(order: ReorganisationOrder): Promise<void> {
    const { wallet } = this.#parts
    return reorganise(
      {
        chain: this.#chain,
        prepare: async (transaction, nonceOf) => {
          if (transaction instanceof Uint8Array) {
            const rules = this.#chain.nextRules()
            checkReadable(transaction, rules)
            return recoverTransaction(decodeTransaction(transaction), rules)
          }
          const nonce = transaction.nonce ?? (await nonceOf(transaction.from))
          return wallet.prepareUnsigned({ ...transaction, nonce })
        },
      },
      order,
    )
  }

  /**
   * Imports RLP-encoded blocks, parents first, and makes the last one the head.
   *
   * @throws ImportError for the first invalid block; earlier ones remain stored
   */
  importBlocks(blocks: readonly Uint8Array[]): Promise<void> {
    return importBranch(this.#chain, blocks)
  }

  /* State for the next block, visible at `latest` */

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

  /** @param slot - 32 bytes, like `value` */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void> {
    return stateEdits.setStorage(this.#chain, address, slot, value)
  }

  /** Finds the slot that a view function reads, and sets it. @returns false if there is no such slot */
  setCallResult(call: { to: Uint8Array; data: Uint8Array }, value: bigint): Promise<boolean> {
    return stateEdits.setCallResult({ chain: this.#chain, executor: this.#parts.executor }, call, value)
  }

  /**
   * Calls `write` with all accounts of `latest`, holding back chain changes until it is done.
   *
   * @param signal - abort it when the client disconnects, to release the chain
   * @throws ChainError if aborted before everything is written
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
        throw new ChainError('the client is gone before the whole state was written')
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

  /** Accepts unsigned transactions from every account, or only from those passed to {@link impersonate}. */
  autoImpersonate(enabled: boolean): void {
    this.#parts.impersonation.automatic = enabled
  }

  /** Makes ECRECOVER return `address` for a 65-byte signature of any hash. */
  impersonateSignature(signature: Uint8Array, address: Uint8Array): void {
    this.#parts.recoveries.set(signature, address)
  }

  /** Iterates over the impersonated accounts, 20 bytes each. */
  impersonated(): Iterable<Uint8Array> {
    return this.#parts.impersonation.addresses()
  }

  /** Whether a 20-byte address is impersonated by name. */
  impersonates(address: Uint8Array): boolean {
    return this.#parts.impersonation.lists(address)
  }

  /** Adds a 32-byte private key. @returns its address */
  importKey(privateKey: Uint8Array): Uint8Array {
    const account = accountOfKey(privateKey)
    this.#parts.keyring.add(account)
    return account.address
  }

  /* Mempool */

  /** Drops a pooled transaction. @returns false if there is none with this hash */
  dropTransaction(hash: Uint8Array): Promise<boolean> {
    return this.#changeMempool(({ mempool }) => mempool.drop(hash) !== undefined)
  }

  dropAllTransactions(): Promise<void> {
    return this.#changeMempool(({ mempool }) => mempool.dropAll())
  }

  dropTransactionsFrom(sender: Uint8Array): Promise<void> {
    return this.#changeMempool(({ mempool }) => mempool.dropFrom(sender))
  }

  /** Deletes the stored transactions that a change has dropped. */
  #removeStale(): Promise<void> {
    return this.#chain.exclusively(async () => this.#parts.submission.removeStale())
  }

  #changeMempool<T>(change: (chain: Chain) => Awaitable<T>): Promise<T> {
    return this.#chain.exclusively(async () => {
      const result = await change(this.#chain)
      await this.#parts.submission.removeStale()
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
      gasLimit: this.gasLimit(),
    }
  }

  /** Changes the chain id until the node stops, and drops the transactions for another, as anvil does when it mines. */
  async setChainId(chainId: bigint): Promise<void> {
    await this.#chain.adjust(() => this.#parts.schedules.setChainId(chainId))
    await this.#removeStale()
  }

  setLogging(enabled: boolean): void {
    this.#parts.logging.enabled = enabled
  }
}

function newInstanceId(): Uint8Array {
  return Uint8Array.from(randomBytes(32))
}
