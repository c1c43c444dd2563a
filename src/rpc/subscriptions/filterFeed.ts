import type { BlockPosition } from '../../chain/block/record.js'
import type { ChainEvent, ChainEvents } from '../../chain/reader.js'
import type { ChainView } from '../../chain/view.js'
import type { FilterWatcher } from './filterStore.js'

/** What a filter keeps of a block: an entire one takes a kilobyte. */
export interface KnownBlock extends BlockPosition {
  /** 32 bytes. */
  hash: Uint8Array
}

/** A value waiting to be polled, and the block that it came with. */
export interface QueuedValue<T> {
  value: T
  block?: KnownBlock | undefined
  /** In units of about 100 bytes; by default 1. */
  weight?: number
}

function weightOf(values: readonly QueuedValue<unknown>[]): number {
  return values.reduce((sum, { weight = 1 }) => sum + weight, 0)
}

/** What filters of a kind collect from events. */
export interface Collector<T> {
  /** Returns the values that come with an event. */
  collect(event: ChainEvent): readonly QueuedValue<T>[]
  /** Whether values come with blocks, and are dropped with them when the chain is rewound. */
  fromBlocks: boolean
}

type IsCanonical = (block: KnownBlock) => boolean

/** Receives what a {@link FilterFeed} collects. */
export interface FilterReceiver<T> {
  append(values: readonly QueuedValue<T>[], weight: number): void
  /** Drops the values from blocks that left the chain without a reorganisation. */
  rewind(isCanonical: IsCanonical): void
  /** Drops all values, as the chain switched to another base. */
  clear(): void
}

/**
 * Passes the events of a chain to its filters. Tens of thousands of filters may wait for the same events, so each kind
 * collects the values of an event once for all of its filters.
 */
export class FilterFeed {
  readonly #chain: Pick<ChainView, 'isCanonical'>
  readonly #events: Pick<ChainEvents, 'subscribe'>
  readonly #receivers = new Map<Collector<unknown>, Set<FilterReceiver<unknown>>>()

  constructor({
    chain,
    events,
  }: {
    chain: Pick<ChainView, 'isCanonical'>
    events: Pick<ChainEvents, 'subscribe'>
  }) {
    this.#chain = chain
    this.#events = events
  }

  /** @returns a function that ends the subscription */
  subscribe<T>(collector: Collector<T>, receiver: FilterReceiver<T>): () => void {
    // A chain without filters does nothing for them.
    if (this.#receivers.size === 0) this.#events.subscribe((event) => this.#pass(event))
    const receivers = this.#receivers.get(collector) ?? new Set()
    this.#receivers.set(collector, receivers.add(receiver))
    return () => receivers.delete(receiver)
  }

  #pass(event: ChainEvent): void {
    const isCanonical = rememberAnswers((block: KnownBlock) => this.#chain.isCanonical(block))
    for (const [collector, receivers] of this.#receivers) {
      if (event.type === 'replaced') {
        for (const receiver of receivers) receiver.clear()
      } else if (event.type === 'rewound') {
        if (collector.fromBlocks) for (const receiver of receivers) receiver.rewind(isCanonical)
      } else if (receivers.size > 0) {
        const values = collector.collect(event)
        const weight = weightOf(values)
        if (values.length > 0) for (const receiver of receivers) receiver.append(values, weight)
      }
    }
  }
}

/** Asks only once about each block, as all filters keep the same. */
function rememberAnswers(isCanonical: IsCanonical): IsCanonical {
  const known = new Map<KnownBlock, boolean>()
  return (block) => {
    let answer = known.get(block)
    if (answer === undefined) known.set(block, (answer = isCanonical(block)))
    return answer
  }
}

/** Values taken by a poll. */
export interface TakenValues<T> {
  values: readonly T[]
  /** Leaves the values from an index on to the next poll. */
  putBack(index: number, isCanonical: IsCanonical): void
}

/**
 * The values that a filter has collected and nobody has polled. Values from blocks that a revert rolls back are
 * dropped, as if they had never existed: all since the newest that is still canonical.
 */
export class FilterQueue<T> implements FilterReceiver<T> {
  /** Only grows, or is replaced. */
  #values: QueuedValue<T>[]
  #weight: number
  #watcher: FilterWatcher | undefined
  /** Numbers of times that some or all values were dropped. */
  #rewinds = 0
  #clears = 0

  constructor(first: readonly QueuedValue<T>[] = []) {
    this.#values = [...first]
    this.#weight = weightOf(first)
  }

  get weight(): number {
    return this.#weight
  }

  watch(watcher: FilterWatcher): void {
    this.#watcher = watcher
  }

  append(values: readonly QueuedValue<T>[], weight: number): void {
    this.#watcher?.beforeChange()
    for (const value of values) this.#values.push(value)
    this.#weight += weight
    this.#watcher?.grown(weight)
  }

  rewind(isCanonical: IsCanonical): void {
    this.#rewinds++
    const left = remaining(this.#values, isCanonical)
    if (left.length < this.#values.length) this.#replace(left)
  }

  clear(): void {
    this.#clears++
    this.#replace([])
  }

  /** Removes all values for a poll. */
  take(): TakenValues<T> {
    const [taken, rewinds, clears] = [this.#values, this.#rewinds, this.#clears]
    this.#replace([])
    return {
      values: taken.map(({ value }) => value),
      putBack: (index, isCanonical) => {
        if (clears !== this.#clears) return
        const rest = taken.slice(index)
        const left = rewinds === this.#rewinds ? rest : remaining(rest, isCanonical)
        this.#replace([...left, ...this.#values])
        this.#watcher?.grown(weightOf(left))
      },
    }
  }

  /** @returns a function that restores the present values */
  save(): () => void {
    const [values, { length }, weight] = [this.#values, this.#values, this.#weight]
    return () => {
      this.#values = values.slice(0, length)
      this.#weight = weight
    }
  }

  #replace(values: QueuedValue<T>[]): void {
    if (this.#values.length === 0 && values.length === 0) return
    this.#watcher?.beforeChange()
    this.#values = values
    this.#weight = weightOf(values)
  }
}

/** Drops the values from blocks that left the chain: all since the newest that is still canonical. */
function remaining<T>(values: readonly QueuedValue<T>[], isCanonical: IsCanonical): QueuedValue<T>[] {
  const last = values.findLastIndex(({ block }) => block !== undefined && isCanonical(block))
  const later = values.slice(last + 1)
  return values.slice(0, last + 1).concat(later.filter(({ block }) => block === undefined))
}
