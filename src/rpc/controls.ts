import type { MinedBlock } from '../chain/chain.js'
import type { MineBlocksOptions } from '../chain/controls/mineBlocks.js'
import type { ImportedState } from '../chain/controls/stateDump.js'
import type { Replacement } from '../chain/controls/reorganise.js'
import type { CallObject } from '../chain/calls/callObject.js'
import type { GenesisAccount } from '../chain/genesis/ownGenesis.js'
import type { MiningInterval, MiningMode } from '../chain/mining/schedule.js'
import type { Awaitable } from '../chain/types.js'

/** Mines, and decides when blocks are mined and what they get from the operator. */
export interface MiningControls {
  /** Mines blocks now, whatever the mining mode. @param mined - told of each of them */
  mine(order: MineBlocksOptions, mined?: (block: MinedBlock) => void): Promise<void>
  miningMode(): MiningMode
  setAutomine(enabled: boolean): Awaitable<void>
  /** @param interval - milliseconds between blocks; 0 ends mining by the clock */
  setIntervalMining(interval: MiningInterval): Awaitable<void>
  /** Of blocks from the next on. */
  setBlockGasLimit(gas: bigint): Awaitable<void>
  /** Wei per gas, of the next block alone. @throws UnsupportedControlError before London */
  setNextBaseFee(baseFee: bigint): Awaitable<void>
  /** Wei per gas of the next block where {@link setNextBaseFee} has set it; undefined where the chain decides. */
  imposedBaseFee(): bigint | undefined
  /** Wei per gas that eth_gasPrice answers and transactions have to offer. @throws UnsupportedControlError from London on */
  setMinGasPrice(gasPrice: bigint): Awaitable<void>
  /** Wei per gas that eth_gasPrice answers; undefined leaves it to the chain. */
  gasPrice(): bigint | undefined
  /** Makes eth_gasPrice answer so many wei per gas. */
  setGasPrice(gasPrice: bigint): Awaitable<void>
  /** 20 bytes; who gets the fees of blocks from the next on. */
  coinbase(): Uint8Array
  setCoinbase(address: Uint8Array): Awaitable<void>
  /** 32 bytes, of the next block alone. */
  setPrevRandao(value: Uint8Array): Awaitable<void>
  /** At most 32 bytes, of blocks from the next on. */
  setExtraData(data: Uint8Array): Awaitable<void>
}

/** Moves the clock that block times come from. All times are in seconds. */
export interface ClockControls {
  /** @returns by how much the clock is ahead of the wall clock now */
  increaseTime(seconds: bigint): Awaitable<bigint>
  /** Sets the clock; it runs on from there. @returns by how much it moved */
  setTime(timestamp: bigint): Awaitable<bigint>
  /** @throws TimestampError if the next block cannot have this time */
  setNextBlockTimestamp(timestamp: bigint): Awaitable<void>
  /** Fixes the time between blocks; undefined lets the clock decide. @returns whether it was fixed before */
  setBlockTimestampInterval(seconds: bigint | undefined): Awaitable<boolean>
  genesisTime(): bigint
}

/** A point to go back to. */
export interface SnapshotFacts {
  id: bigint
  blockNumber: bigint
  /** 32 bytes. */
  blockHash: Uint8Array
}

/** Where a reset is to take the chain: a block of another node's chain. */
export interface ForkTarget {
  /** Of the node; that of the fork that the chain stands on if undefined. */
  url?: string | undefined
  /** The newest block if undefined. */
  blockNumber?: bigint | undefined
}

/** What a reset does besides going back to the first block. */
export interface ResetOrder {
  /** The block of another node's chain that the chain is to go on from; where it was started if undefined. */
  fork?: ForkTarget | undefined
  /** Whether the first block is made anew, with the time of now, and snapshots are numbered from the beginning. */
  beginsAnew?: boolean
}

/** Goes back, forgets, and makes things happen otherwise. */
export interface HistoryControls {
  /** @returns the number of the snapshot */
  snapshot(): Awaitable<bigint>
  /** Goes back to a snapshot and uses it up. @returns false if there is none of this number */
  revert(snapshot: bigint): Awaitable<boolean>
  snapshots(): readonly SnapshotFacts[]
  /**
   * Puts the chain back to the first block that it was started with, or onto a block of a remote chain.
   *
   * @throws UnsupportedControlError if the order names a URL that calls may not name
   */
  reset(order?: ResetOrder): Awaitable<void>
  /** Asks another node of the chain that a fork goes on from. @throws UnsupportedControlError as `reset` does */
  setRemote(url: string): Awaitable<void>
  /** Takes blocks off the end of the chain; their transactions are gone. @throws DepthError if there are not so many */
  rollback(depth: number): Awaitable<void>
  /**
   * Takes blocks off the end of the chain and puts as many others in their place.
   *
   * @throws DepthError if there are not so many
   */
  reorganise(order: { depth: number; replacements: readonly Replacement[] }): Awaitable<void>
  /**
   * Takes blocks that were made elsewhere as RLP, parents first, and makes the last of them the head.
   *
   * @throws ImportError for the first that does not check; those before it stay, beside the chain if they were there
   */
  importBlocks(blocks: readonly Uint8Array[]): Awaitable<void>
}

/** Changes the state that the next block is executed on, and that `latest` reads. */
export interface StateControls {
  /** Wei. */
  setBalance(address: Uint8Array, balance: bigint): Awaitable<void>
  addBalance(address: Uint8Array, wei: bigint): Awaitable<void>
  setNonce(address: Uint8Array, nonce: bigint): Awaitable<void>
  setCode(address: Uint8Array, code: Uint8Array): Awaitable<void>
  /** 32 bytes each. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Awaitable<void>
  /** Finds the slot that a read-only call of a contract reads and sets it. @returns false if there is no such slot */
  setCallResult(call: { to: Uint8Array; data: Uint8Array }, value: bigint): Awaitable<boolean>
  /** Gives every account that `latest` knows to `write`; the chain stays as it is until that is done. */
  exportState<T>(write: (accounts: readonly GenesisAccount[]) => Awaitable<T>): Promise<T>
  /** Puts accounts into the state, and blocks in the place of the chain. */
  importState(state: ImportedState): Awaitable<void>
}

/** Decides which accounts transactions may come from. */
export interface AccountControls {
  impersonate(address: Uint8Array): Awaitable<void>
  /** @returns false if the account was not impersonated */
  stopImpersonating(address: Uint8Array): Awaitable<boolean>
  /** Lets transactions of every account in, or only of those that were named. */
  autoImpersonate(enabled: boolean): Awaitable<void>
  /** Makes ECRECOVER answer an account for a signature of 65 bytes, whatever it signs. */
  impersonateSignature(signature: Uint8Array, address: Uint8Array): Awaitable<void>
  impersonated(): readonly Uint8Array[]
  /** Takes up a 32-byte private key. @returns its address */
  importKey(privateKey: Uint8Array): Awaitable<Uint8Array>
}

/** Reaches into the mempool. */
export interface PoolControls {
  /** Takes a waiting transaction out. @returns false if there is none of this hash */
  dropTransaction(hash: Uint8Array): Awaitable<boolean>
  dropAllTransactions(): Awaitable<void>
  /** Takes out what waits of one account. */
  dropTransactionsFrom(sender: Uint8Array): Awaitable<void>
  /** Takes a transaction of any account without a signature. @returns its hash */
  sendUnsigned(call: CallObject & { from: Uint8Array }): Awaitable<Uint8Array>
}

/** What a node says of itself where no other method does. */
export interface NodeFacts {
  /** 32 bytes; another one after each start and each reset. */
  instanceId: Uint8Array
  /** Of the next block. */
  hardfork: string
  order: 'fees' | 'fifo'
  /** Of the next block, in wei per gas. */
  baseFee: bigint
  /** Of the next block. */
  gasLimit: bigint
}

/** Tells about the node and changes what it says of itself. */
export interface NodeControls {
  facts(): NodeFacts
  setChainId(chainId: bigint): Awaitable<void>
  setLogging(enabled: boolean): Awaitable<void>
}

/** All that a test suite drives a node with. */
export interface Controls
  extends
    MiningControls,
    ClockControls,
    HistoryControls,
    StateControls,
    AccountControls,
    PoolControls,
    NodeControls {}
