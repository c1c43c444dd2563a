import { Badge } from '../parts/badge.js'
import { formatBytes, formatClock, formatDuration, formatNumber } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import type { RequestSummary } from './journal.js'
import { readableQuery } from './fileQuery.js'
import './requestTable.css'

const columns: readonly Column<RequestSummary>[] = [
  { title: 'Time', width: '4.5rem', cell: ({ time }) => <time>{formatClock(time)}</time> },
  {
    title: 'Method',
    width: 'minmax(6rem, 1.1fr)',
    cell: ({ method, batched }) => (
      <span class="mono strong">
        {method ?? '(refused)'}
        {batched && <span class="muted"> batch</span>}
      </span>
    ),
  },
  {
    title: 'Parameters',
    width: 'minmax(8rem, 2fr)',
    wideOnly: true,
    cell: ({ preview = '', error, transport }) =>
      error === undefined ? (
        <span class="mono muted">{transport === 'files' ? readableQuery(preview) : preview}</span>
      ) : (
        <span class="bad-text">{error.message}</span>
      ),
  },
  { title: 'Key', width: '6rem', wideOnly: true, cell: ({ key }) => <span class="mono">{key ?? ''}</span> },
  { title: 'Transport', width: '5.5rem', wideOnly: true, cell: ({ transport }) => transport },
  {
    title: 'Status',
    width: '4.75rem',
    cell: (row) => (
      <span class="outcome">
        <Outcome row={row} />
        {row.faults !== undefined && (
          <span class="warn-text" title={`Faults: ${row.faults.join(', ')}`}>
            <Icon name="warning" />
            <span class="visually-hidden">with a fault</span>
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Duration',
    width: '4.75rem',
    wideOnly: true,
    align: 'right',
    cell: ({ milliseconds }) => formatDuration(milliseconds),
  },
  {
    title: 'Size',
    width: '5.25rem',
    wideOnly: true,
    align: 'right',
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    title: 'Credits',
    width: '4.5rem',
    wideOnly: true,
    align: 'right',
    cell: ({ credits }) => formatNumber(credits),
  },
]

/** Outcome of a request: its error code or HTTP status. */
export function Outcome({ row }: { row: Pick<RequestSummary, 'status' | 'error'> }) {
  if (row.error !== undefined) return <Badge tone="bad">{row.error.code}</Badge>
  return <Badge tone={row.status >= 400 ? 'bad' : 'good'}>{row.status}</Badge>
}

/** The rows of the journal. */
export function RequestTable(props: {
  rows: readonly RequestSummary[]
  selected: number | undefined
  onOpen: (row: RequestSummary) => void
  onRange: (first: number, last: number) => void
}) {
  return (
    <VirtualTable
      label="Requests, newest first"
      columns={columns}
      count={props.rows.length}
      row={(index) => props.rows[index]}
      rowKey={({ id }) => id}
      selected={props.selected}
      onOpen={props.onOpen}
      onRange={props.onRange}
      tone={({ error, status }) => (error !== undefined || status >= 400 ? 'failed' : undefined)}
    />
  )
}
