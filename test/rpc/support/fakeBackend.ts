import { type BlockRange, type ChainView, type LogQuery, blockNotFound } from '../../../src/chain/view.js'
import { ChainEvents } from '../../../src/chain/reader.js'
import type { BlockWire, EncodedBlock, SealedBlock, StoredBlock } from '../../../src/chain/block/record.js'
import { NotCanonicalError } from '../../../src/chain/errors.js'
import { createRules, createSingleForkSchedule } from '../../../src/chain/evm/forkSchedule.js'
import type { PooledTransaction } from '../../../src/chain/mempool/transaction.js'
import type { ForkRules, StateView } from '../../../src/chain/types.js'
import { bytesEqual } from '../../../src/encoding/hex.js'
import { runToCompletion } from '../../../src/encoding/timeSlice.js'
import type { Backend, RpcSettings } from '../../../src/rpc/backend.js'
import { compatibilityProfile } from '../../../src/rpc/compatibility.js'
import type { Controls } from '../../../src/rpc/controls.js'
import { blockEncoder } from '../../../src/rpc/format/block.js'
import { FilterFeed } from '../../../src/rpc/subscriptions/filterFeed.js'

/** Osaka rules for chain 1. */
export const osaka = createRules({ chainId: 1n, hardfork: 'osaka' })

export const defaultSettings: RpcSettings = {
  maxLogs: 10_000,
  logTimeoutMilliseconds: 10_000,
  maxLogParameters: 5_000,
  startTip: 1_000_000n,
  maxTraceBytes: 1_000_000,
  logsRange: 'strict',
  logsError: 'plain',
  totalDifficulty: true,
  pendingFields: 'spec',
  compatibility: compatibilityProfile(undefined),
}

interface Kept {
  stored: StoredBlock
  sealed: SealedBlock
  encoded: EncodedBlock
}

/** In-memory chain of given blocks with an empty state. */
export class FakeChain implements ChainView {
  readonly chainId = 1n
  readonly kept: Kept[] = []
  readonly queries: LogQuery[] = []
  readonly events = new ChainEvents((fault) => {
    throw fault
  })
  pending: SealedBlock | undefined

  constructor(blocks: readonly SealedBlock[]) {
    for (const block of blocks) this.add(block)
  }

  add(sealed: SealedBlock): StoredBlock {
    const { hash, header, size, altered, transactions, totalDifficulty, uncleHashes } = sealed
    const ordinal = this.kept.length
    const stored: StoredBlock = {
      ordinal,
      hash,
      header,
      size,
      altered,
      transactions,
      totalDifficulty,
      uncleHashes,
    }
    this.kept.push({ stored, sealed, encoded: runToCompletion(blockEncoder.encode(sealed)) })
    return stored
  }

  head(): StoredBlock {
    return this.#at(this.kept.length - 1).stored
  }

  blockByNumber(number: bigint): StoredBlock | undefined {
    return this.kept[Number(number)]?.stored
  }

  async *blocksWithTransactions({ from, to }: BlockRange): AsyncGenerator<StoredBlock> {
    const step = from > to ? -1n : 1n
    for (let number = from; number !== to + step; number += step) {
      const block = this.blockByNumber(number)
      if (block !== undefined && block.transactions.length > 0) yield block
    }
  }

  earlierHash(): undefined {
    return undefined
  }

  blockByHash(hash: Uint8Array): StoredBlock | undefined {
    return this.kept.find(({ stored }) => bytesEqual(stored.hash, hash))?.stored
  }

  isCanonical(): boolean {
    return true
  }

  resolve(selector: Parameters<ChainView['resolve']>[0]): StoredBlock | undefined {
    if ('number' in selector) return this.blockByNumber(selector.number)
    if ('hash' in selector) {
      if (selector.requireCanonical && selector.hash[0] === 0xff) throw new NotCanonicalError()
      return this.blockByHash(selector.hash)
    }
    if (selector.tag === 'earliest') return this.blockByNumber(0n)
    return selector.tag === 'safe' ? undefined : this.head()
  }

  pendingBlock(): ReturnType<ChainView['pendingBlock']> {
    if (this.pending === undefined) return Promise.reject(new Error('no pending block'))
    return Promise.resolve({ block: this.pending, state: emptyState })
  }

  stateAt(selector: Parameters<ChainView['stateAt']>[0]): ReturnType<ChainView['stateAt']> {
    const block = this.resolve(selector)
    if (block === undefined) {
      return Promise.reject(blockNotFound(selector, this.head()))
    }
    return Promise.resolve({ header: block.header, hash: block.hash, state: emptyState, rules: osaka })
  }

  transactionLocation(hash: Uint8Array): ReturnType<ChainView['transactionLocation']> {
    for (const { stored } of this.kept) {
      const index = stored.transactions.findIndex((entry) => bytesEqual(entry.hash, hash))
      if (index >= 0) return { block: stored, index }
    }
    return undefined
  }

  wire(block: StoredBlock): BlockWire {
    const { encoded } = this.#at(block.ordinal)
    const each = (part: 'transactions' | 'receipts', begin: number, end: number) =>
      encoded[part].slice(begin, end).map((span) => slice(encoded, span))
    return {
      head: () => slice(encoded, encoded.head),
      transactions: () => joined(encoded, 'transactions'),
      transaction: (index) => slice(encoded, encoded.transactions[index]),
      transactionsBetween: (begin, end) => each('transactions', begin, end),
      receipts: () => joined(encoded, 'receipts'),
      receiptsLength: () => joined(encoded, 'receipts').length,
      receipt: (index) => slice(encoded, encoded.receipts[index]),
      receiptStart: (index, length) => slice(encoded, encoded.receipts[index]).subarray(0, length),
      receiptsBetween: (begin, end) => each('receipts', begin, end),
    }
  }

  rulesAt(): ForkRules {
    return osaka
  }

  /** Returns every log in the range; matching is left to the real chain. */
  logs(query: LogQuery): Promise<Uint8Array[]> {
    this.queries.push(query)
    const { range } = query
    const found = this.kept.filter(({ stored: { ordinal, header } }) =>
      'block' in range
        ? range.block.ordinal === ordinal
        : header.number >= range.from && header.number <= range.to,
    )
    return Promise.resolve(found.flatMap(({ encoded }) => encoded.logs.map((span) => slice(encoded, span))))
  }

  #at(ordinal: number): Kept {
    const kept = this.kept[ordinal]
    if (kept === undefined) throw new Error(`no block ${ordinal}`)
    return kept
  }
}

function slice({ bytes }: EncodedBlock, span: { offset: number; length: number } | undefined): Uint8Array {
  if (span === undefined) throw new Error('no such piece')
  return bytes.subarray(span.offset, span.offset + span.length)
}

function joined(encoded: EncodedBlock, part: 'transactions' | 'receipts'): Uint8Array {
  const spans = encoded[part]
  const first = spans[0]
  const last = spans.at(-1)
  if (first === undefined || last === undefined) return new Uint8Array()
  return encoded.bytes.subarray(first.offset, last.offset + last.length)
}

const emptyState: StateView = {
  root: new Uint8Array(32),
  getAccount: () => undefined,
  getCode: () => new Uint8Array(),
  getStorage: () => new Uint8Array(32),
}

function unexpected(): never {
  throw new Error('not part of this test')
}

/** Controls that throw when called, except for those that ordinary methods read. */
const fakeControls = new Proxy({} as Controls, {
  get: (_, name) => (name === 'gasPrice' || name === 'imposedBaseFee' ? () => undefined : unexpected),
})

/** Creates a backend over a fake chain; parts that a test does not replace throw when called. */
export function fakeBackend(chain: FakeChain, replaced: Partial<Backend> = {}): Backend {
  const pooled: PooledTransaction[] = []
  return {
    chain,
    maxTransactionGas: unexpected,
    executor: { call: unexpected, estimateGas: unexpected, createAccessList: unexpected },
    prover: { prove: unexpected },
    tracing: {
      traceBlock: unexpected,
      traceCall: unexpected,
      traceCalls: unexpected,
      intermediateRoots: unexpected,
      executionWitness: unexpected,
    },
    ranges: {
      accounts: unexpected,
      allAccounts: unexpected,
      storageRoot: unexpected,
      storage: unexpected,
      allSlots: unexpected,
      code: unexpected,
      changedAccounts: unexpected,
      preimage: unexpected,
    },
    sequence: { run: unexpected },
    simulator: { simulate: unexpected },
    builder: { build: unexpected },
    forks: createSingleForkSchedule({ chainId: 1n, hardfork: 'osaka' }),
    records: {
      rawBlock: () => Uint8Array.of(0xc0),
      rawReceipts: () => [],
      rawTransaction: () => Uint8Array.of(1),
      rawTransactions: () => [Uint8Array.of(1)],
      uncles: () => [],
      code: () => undefined,
    },
    submission: { sendRaw: unexpected, sendPrepared: unexpected },
    mempool: {
      bytes: 0,
      content: () => [],
      contentFrom: () => ({ pending: [], queued: [] }),
      gappedSize: 0,
      size: 0,
      pendingSize: 0,
      get: (hash) => pooled.find((transaction) => bytesEqual(transaction.hash, hash)),
    },
    blobs: { get: () => undefined },
    wallet: {
      prepare: unexpected,
      prepareUnsent: unexpected,
      prepareUnsigned: unexpected,
      sign: unexpected,
      complete: unexpected,
      resend: unexpected,
      fill: unexpected,
      nextNonce: () => Promise.resolve(7n),
    },
    suggestedTip: () => 10n ** 9n,
    keyring: {
      first: undefined,
      has: () => false,
      addresses: () => [],
      signMessage: unexpected,
      signTypedData: unexpected,
    },
    controls: fakeControls,
    events: chain.events,
    filterFeed: new FilterFeed({ chain, events: chain.events }),
    settings: defaultSettings,
    clientVersion: 'Standin/test',
    ...replaced,
  }
}
