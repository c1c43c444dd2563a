import { read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { count, formatDate, formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { EmptyState, Loaded } from '../parts/state.js'
import { currentNetwork, link } from '../shell/router.js'
import { Status } from './status.js'
import type { Receipt, Transaction } from './wire.js'
import { toNumber } from './wire.js'

/** Maximum number of transactions to show. */
const maxShown = 50

interface Found {
  txs: Transaction[]
  receipts: (Receipt & { timestamp?: number | string })[]
}

interface Row {
  transaction: Transaction
  receipt: Found['receipts'][number] | undefined
}

const columns: readonly PlainColumn<Row>[] = [
  {
    title: 'Transaction',
    cell: ({ transaction }) => <Hash value={transaction.hash} kind="transaction" />,
  },
  {
    title: 'Block',
    cell: ({ transaction: { blockNumber } }) => {
      const number = toNumber(blockNumber ?? '0x0')
      return <a href={link(`chain/block/${number}`)}>{formatNumber(number)}</a>
    },
  },
  {
    title: 'Time',
    cell: ({ receipt }) =>
      receipt?.timestamp === undefined ? '' : formatDate(Number(receipt.timestamp) * 1000),
  },
  { title: 'From', cell: ({ transaction }) => <Hash value={transaction.from} kind="address" /> },
  {
    title: 'To',
    cell: ({ transaction, receipt }) => {
      const to = transaction.to ?? receipt?.contractAddress
      return to ? <Hash value={to} kind="address" /> : ''
    },
  },
  { title: 'Value', align: 'right', cell: ({ transaction }) => formatEther(BigInt(transaction.value)) },
  { title: 'Status', cell: ({ receipt }) => <Status receipt={receipt} /> },
]

/** The newest transactions that involve an account. */
export function AccountHistory({ address }: { address: string }) {
  const found = useLive(
    () => read<Found>('ots_searchTransactionsBefore', address, 0, maxShown),
    [address, currentNetwork.value],
    ['chain'],
  )
  return (
    <Loaded from={found}>
      {({ txs, receipts }) =>
        txs.length === 0 ? (
          <EmptyState title="No transactions yet">
            <p>Transactions that involve this account appear here.</p>
          </EmptyState>
        ) : (
          <Panel title={count(txs.length, 'newest transaction')}>
            <PlainTable
              label="History"
              columns={columns}
              rows={txs.map((transaction, place) => ({ transaction, receipt: receipts[place] }))}
              rowKey={({ transaction }) => transaction.hash}
            />
          </Panel>
        )
      }
    </Loaded>
  )
}
