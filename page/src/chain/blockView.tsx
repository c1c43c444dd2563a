import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import type { AbiIndex } from '../decode/abi.js'
import { loadAbis } from '../decode/abi.js'
import { Badge } from '../parts/badge.js'
import { Json } from '../parts/code.js'
import { formatBytes, formatDate, formatEther, formatGwei, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Facts, Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { currentNetwork, link, navigate } from '../shell/router.js'
import { Status } from './status.js'
import type { Block, Receipt, Transaction } from './wire.js'
import { toNumber } from './wire.js'

interface Opened {
  block: Block
  /** Whether it is the canonical block of its number. */
  isCanonical: boolean
  rows: Row[]
}

interface Row {
  transaction: Transaction
  receipt: Receipt | undefined
  /** Called function, as far as known. */
  name: string
}

const columns: readonly Column<Row>[] = [
  {
    title: 'Transaction',
    width: 'minmax(6rem, 1fr)',
    cell: ({ transaction }) => <Hash value={transaction.hash} kind="transaction" />,
  },
  { title: 'Calls', width: 'minmax(5rem, 1fr)', cell: ({ name }) => <span class="mono">{name}</span> },
  {
    title: 'From',
    width: 'minmax(9rem, 1fr)',
    wideOnly: true,
    cell: ({ transaction }) => <Hash value={transaction.from} kind="address" />,
  },
  {
    title: 'To',
    width: 'minmax(9rem, 1fr)',
    wideOnly: true,
    cell: ({ transaction, receipt }) => {
      const to = transaction.to ?? receipt?.contractAddress
      return to ? <Hash value={to} kind="address" /> : ''
    },
  },
  {
    title: 'Value',
    width: '8rem',
    wideOnly: true,
    align: 'right',
    cell: ({ transaction }) => formatEther(BigInt(transaction.value)),
  },
  {
    title: 'Gas',
    width: '5.5rem',
    wideOnly: true,
    align: 'right',
    cell: ({ receipt }) => (receipt === undefined ? '' : formatNumber(toNumber(receipt.gasUsed))),
  },
  { title: 'Status', width: '5.5rem', cell: ({ receipt }) => <Status receipt={receipt} /> },
]

/** A block with its transactions, by number or hash; includes blocks removed by a reorganisation. */
export function BlockView({ id }: { id: string }) {
  const opened = useLive(() => open(id), [id, currentNetwork.value], ['chain'])
  return <Loaded from={opened}>{(value) => <OpenedBlock opened={value} />}</Loaded>
}

function OpenedBlock({ opened: { block, isCanonical, rows } }: { opened: Opened }) {
  const number = toNumber(block.number)
  return (
    <div class="stack">
      <Panel
        title={`Block ${formatNumber(number)}`}
        actions={
          <>
            {!isCanonical && <Badge tone="warn">removed by a reorganisation</Badge>}
            {number > 0 && (
              <a class="button" href={link(`chain/block/${block.parentHash}`)}>
                Parent
              </a>
            )}
            <a class="button" href={link(`chain/block/${number + 1}`)}>
              Next
            </a>
          </>
        }
      >
        <Facts
          rows={[
            ['Hash', <Hash value={block.hash} whole />],
            ['Time', formatDate(toNumber(block.timestamp) * 1000)],
            [
              'Gas used',
              `${formatNumber(toNumber(block.gasUsed))} of ${formatNumber(toNumber(block.gasLimit))}`,
            ],
            block.baseFeePerGas === undefined
              ? undefined
              : ['Base fee', formatGwei(BigInt(block.baseFeePerGas))],
            ['Fee recipient', <Hash value={block.miner} kind="address" />],
            ['State root', <Hash value={block.stateRoot} />],
            ['Size', formatBytes(toNumber(block.size))],
          ]}
        />
        <details>
          <summary>As JSON</summary>
          <Json value={block} label="Block" />
        </details>
      </Panel>
      {rows.length > 0 && (
        <VirtualTable
          label="Transactions"
          columns={columns}
          count={rows.length}
          row={(index) => rows[index]}
          rowKey={({ transaction }) => transaction.hash}
          onOpen={({ transaction }) => navigate(`chain/transaction/${transaction.hash}`)}
          tone={({ receipt }) => (receipt?.status === '0x0' ? 'failed' : undefined)}
        />
      )}
    </div>
  )
}

async function open(id: string): Promise<Opened> {
  const isHash = id.startsWith('0x')
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const full = await read<(Omit<Block, 'transactions'> & { transactions: Transaction[] }) | null>(
    method,
    isHash ? id : `0x${BigInt(id).toString(16)}`,
    true,
  )
  if (full === null) throw new Error(`Block ${id} not found`)
  const [[canonical, receipts], abis] = await Promise.all([
    readAll<unknown>([
      ['eth_getBlockByNumber', full['number'], false],
      ['eth_getBlockReceipts', full['hash']],
    ]),
    loadAbis(),
  ])
  const byHash = new Map(
    ((receipts as Receipt[] | undefined) ?? []).map((receipt) => [receipt.transactionHash, receipt]),
  )
  return {
    block: { ...full, transactions: full.transactions.map(({ hash }) => hash) } as Block,
    isCanonical: (canonical as Block | undefined)?.hash === full['hash'],
    rows: full.transactions.map((transaction) => ({
      transaction,
      receipt: byHash.get(transaction.hash),
      name: nameOf(abis, transaction),
    })),
  }
}

function nameOf(abis: AbiIndex, { to, input }: Transaction): string {
  if (to === null) return '(new contract)'
  return input === '0x' ? '(transfer)' : (abis.functionOf(input)?.name ?? input.slice(0, 10))
}
