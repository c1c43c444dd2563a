import { useEffect, useMemo, useReducer } from 'preact/hooks'
import { get } from '../api/control.js'
import { beginRead, takeRead } from '../api/firstReads.js'
import { rpcUrlOf } from '../api/node.js'
import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { count, formatClock, formatGwei, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Tile } from '../parts/panel.js'
import { EmptyState, Loaded } from '../parts/state.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { currentNetwork, navigate } from '../shell/router.js'
import { BlockCache } from './blockCache.js'
import type { Reorganisation } from './branches.js'
import { Branches } from './branches.js'
import type { Block } from './wire.js'
import { toNumber } from './wire.js'
import './blocksView.css'

/** Blocks of the tags, as far as they exist. */
interface Heads {
  latest: Block
  safe: Block | undefined
  finalized: Block | undefined
  pending: Block | undefined
  pendingCount: number
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

/** Starts the first reads of {@link BlocksView}. */
export function beginBlocks(): void {
  beginRead('heads', readHeads)
}

/** Blocks, newest first, and the branches near the head. */
export function BlocksView() {
  const network = currentNetwork.value
  const heads = useLive(() => takeRead('heads', readHeads), [network], ['chain'])
  return (
    <Loaded from={heads}>
      {(value) => {
        const { latest, safe, finalized, reorganisations } = value
        const head = toNumber(latest.number)
        return (
          <>
            <HeadTiles heads={value} />
            <Branches
              head={latest}
              marks={[
                ['head', latest],
                ['safe', safe],
                ['finalized', finalized],
              ]}
              reorganisations={reorganisations}
            />
            {head === 0 && <NoBlocks />}
            <Blocks key={network} latest={latest} generation={reorganisations.length} />
          </>
        )
      }}
    </Loaded>
  )
}

function HeadTiles({
  heads: { latest, safe, finalized, pending, pendingCount, reorganisations },
}: {
  heads: Heads
}) {
  const numberOf = (block: Block | undefined): string =>
    block === undefined ? 'none' : formatNumber(toNumber(block.number))
  return (
    <dl class="tiles">
      <Tile label="Head">{numberOf(latest)}</Tile>
      <Tile label="Pending">{pending === undefined ? 'none' : count(pendingCount, 'transaction')}</Tile>
      <Tile label="Safe">{numberOf(safe)}</Tile>
      <Tile label="Finalized">{numberOf(finalized)}</Tile>
      <Tile label="Reorganisations">{formatNumber(reorganisations.length)}</Tile>
    </dl>
  )
}

async function readHeads(): Promise<Heads> {
  const tags = ['latest', 'safe', 'finalized', 'pending']
  const [[latest, safe, finalized, pending], status, reorganisations] = await Promise.all([
    readAll<Block>(tags.map((tag) => ['eth_getBlockByNumber', tag, false])),
    read<{ pending: string; queued: string }>('txpool_status'),
    get<Reorganisation[]>(`/reorganisations/${encodeURIComponent(currentNetwork.value)}`),
  ])
  if (latest === undefined) throw new Error('failed to read the head')
  const pendingCount = toNumber(status.pending) + toNumber(status.queued)
  return { latest, safe, finalized, pending, pendingCount, reorganisations }
}

function Blocks({ latest, generation }: { latest: Block; generation: number }) {
  const head = toNumber(latest.number)
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const cache = useMemo(() => new BlockCache(() => draw(undefined)), [])
  const range = useMemo(() => ({ first: 0, last: 30 }), [])
  useEffect(() => cache.clear(), [generation])
  useEffect(() => {
    cache.follow(head, latest.hash)
    void cache.load(head - range.last, head - range.first)
  }, [latest.hash, generation])
  return (
    <VirtualTable
      label="Blocks, newest first"
      columns={columns}
      count={head + 1}
      row={(index) => (index === 0 ? latest : cache.get(head - index))}
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
  return (
    <EmptyState
      title="No block has been mined yet"
      script={`curl -s ${rpcUrlOf(currentNetwork.value)} -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0x1"]}'`}
    >
      <p>By default the node mines transactions as they arrive. To mine an empty block:</p>
    </EmptyState>
  )
}
