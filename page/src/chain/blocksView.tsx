import { useEffect, useMemo, useReducer } from 'preact/hooks'
import { get } from '../api/control.js'
import { node } from '../api/node.js'
import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { EmptyState, Failure, Loading, Panel, Tile } from '../parts/basics.js'
import { formatClock, formatGwei, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { currentNetwork, navigate } from '../shell/router.js'
import type { Reorganisation } from './branches.js'
import { Branches } from './branches.js'
import type { Block } from './wire.js'
import { toNumber } from './wire.js'

/** The blocks that tags name, as far as they are there. */
interface Heads {
  latest: Block
  safe: Block | undefined
  finalized: Block | undefined
  pending: Block | undefined
  waiting: number
  reorganisations: Reorganisation[]
}

const columns: readonly Column<Block>[] = [
  {
    title: 'Block',
    width: '5.5rem',
    cell: ({ number }) => <span class="strong">{formatNumber(toNumber(number))}</span>,
  },
  { title: 'Time', width: '5rem', cell: ({ timestamp }) => formatClock(toNumber(timestamp) * 1000) },
  { title: 'Hash', width: 'minmax(8rem, 1fr)', cell: ({ hash }) => <Hash value={hash} kind="block" /> },
  {
    title: 'Transactions',
    width: '6.5rem',
    align: 'right',
    cell: ({ transactions }) => formatNumber(transactions.length),
  },
  { title: 'Gas', width: '11rem', wideOnly: true, cell: (block) => <Gas block={block} /> },
  {
    title: 'Base fee',
    width: '9rem',
    wideOnly: true,
    align: 'right',
    cell: ({ baseFeePerGas }) => (baseFeePerGas === undefined ? '' : formatGwei(BigInt(baseFeePerGas))),
  },
  {
    title: 'Bytes',
    width: '5rem',
    wideOnly: true,
    align: 'right',
    cell: ({ size }) => formatNumber(toNumber(size)),
  },
]

/** Blocks as they come, the newest first, and the branches near the head. */
export function BlocksView() {
  const network = currentNetwork.value
  const { value, error } = useLive(readHeads, [network], ['chain'])
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  const { latest, safe, finalized, pending } = value
  const head = toNumber(latest.number)
  return (
    <>
      <dl class="tiles">
        <Tile label="Head">{formatNumber(head)}</Tile>
        <Tile label="Pending">
          {pending === undefined ? 'none' : `${formatNumber(value.waiting)} waiting`}
        </Tile>
        <Tile label="Safe">{safe === undefined ? 'none' : formatNumber(toNumber(safe.number))}</Tile>
        <Tile label="Finalized">
          {finalized === undefined ? 'none' : formatNumber(toNumber(finalized.number))}
        </Tile>
        <Tile label="Reorganisations">{formatNumber(value.reorganisations.length)}</Tile>
      </dl>
      <Branches
        head={latest}
        marks={[
          ['head', latest],
          ['safe', safe],
          ['finalized', finalized],
        ]}
        reorganisations={value.reorganisations}
      />
      {head === 0 && <NoBlocks />}
      <Blocks key={network} head={head} generation={value.reorganisations.length} headHash={latest.hash} />
    </>
  )
}

async function readHeads(): Promise<Heads> {
  const tags = ['latest', 'safe', 'finalized', 'pending']
  const [[latest, safe, finalized, pending], status, reorganisations] = await Promise.all([
    readAll<Block>(tags.map((tag) => ['eth_getBlockByNumber', tag, false])),
    read<{ pending: string; queued: string }>('txpool_status'),
    get<Reorganisation[]>(`/reorganisations/${encodeURIComponent(currentNetwork.value)}`),
  ])
  if (latest === undefined) throw new Error('the head cannot be read')
  const waiting = toNumber(status.pending) + toNumber(status.queued)
  return { latest, safe, finalized, pending, waiting, reorganisations }
}

/** Blocks in the table that have been read, by number. */
class BlockCache {
  readonly #blocks = new Map<number, Block>()
  readonly #asked = new Set<number>()
  readonly #changed: () => void
  #head: string | undefined

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get(number: number): Block | undefined {
    return this.#blocks.get(number)
  }

  /** Forgets what another branch, or a chain that went back, may have changed. */
  follow(head: number, hash: string): void {
    if (this.#head !== hash) {
      for (const number of this.#blocks.keys()) if (number > head - 64) this.#forget(number)
    }
    this.#head = hash
  }

  clear(): void {
    this.#blocks.clear()
    this.#asked.clear()
  }

  /** Reads blocks of a range, both included, that are not there. */
  async load(from: number, to: number): Promise<void> {
    const missing: number[] = []
    for (let number = from; number <= to; number++)
      if (number >= 0 && !this.#asked.has(number)) missing.push(number)
    if (missing.length === 0) return
    for (const number of missing) this.#asked.add(number)
    // What was scrolled past long ago is read again when it is looked at.
    if (this.#blocks.size > 5000) this.clear()
    const blocks = await readAll<Block>(
      missing.map((number) => ['eth_getBlockByNumber', `0x${number.toString(16)}`, false]),
    )
    for (const [place, block] of blocks.entries()) {
      if (block) this.#blocks.set(missing[place]!, block)
      else this.#asked.delete(missing[place]!)
    }
    this.#changed()
  }

  #forget(number: number): void {
    this.#blocks.delete(number)
    this.#asked.delete(number)
  }
}

function Blocks(props: { head: number; generation: number; headHash: string }) {
  const { head, headHash, generation } = props
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const cache = useMemo(() => new BlockCache(() => draw(undefined)), [])
  const range = useMemo(() => ({ first: 0, last: 30 }), [])
  useEffect(() => cache.clear(), [generation])
  useEffect(() => {
    cache.follow(head, headHash)
    void cache.load(head - range.last, head - range.first)
  }, [headHash, generation])
  return (
    <VirtualTable
      label="Blocks, newest first"
      columns={columns}
      count={head + 1}
      row={(index) => cache.get(head - index)}
      rowKey={({ number }) => number}
      onOpen={({ number }) => navigate(`chain/block/${toNumber(number)}`)}
      onRange={(first, last) => {
        range.first = first
        range.last = last
        void cache.load(head - last, head - first)
      }}
    />
  )
}

function Gas({ block }: { block: Block }) {
  const used = toNumber(block.gasUsed)
  const limit = Math.max(1, toNumber(block.gasLimit))
  return (
    <span class="gas">
      <meter class="good" min={0} max={limit} value={used} aria-label="Share of the gas limit" />
      {formatNumber(used)}
    </span>
  )
}

function NoBlocks() {
  const url = node.value?.urls.url ?? ''
  return (
    <Panel title="No block has been mined yet">
      <EmptyState
        title="Send the first transaction"
        script={`curl -s ${url} -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0x1"]}'`}
      >
        <p>
          Transactions are mined as they come, unless the node was started otherwise. This mines an empty
          block:
        </p>
      </EmptyState>
    </Panel>
  )
}
