import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Query } from '../api/control.js'
import { changes } from '../api/events.js'
import { rpcUrlOf } from '../api/node.js'
import { PacedTask } from '../api/pacedTask.js'
import { Icon } from '../parts/icon.js'
import { Split } from '../parts/sidePanel.js'
import { EmptyState, Failure } from '../parts/state.js'
import { Subnav } from '../parts/subnav.js'
import { lazy } from '../shell/lazy.js'
import { currentNetwork, link, route } from '../shell/router.js'
import { Filters } from './filters.js'
import type { RequestSummary } from './journal.js'
import { JournalWindow, beginRows, newestSize } from './journal.js'
import { RequestTable } from './requestTable.js'
import './requestsView.css'
import { Timeline } from './timeline.js'

const RequestPanel = lazy(() => import('./requestPanel.js').then(({ RequestPanel: view }) => view))
const CostView = lazy(() => import('./costView.js').then(({ CostView: view }) => view))

/** Filters in the URL, named as in the control API. */
const filterNames = ['text', 'method', 'key', 'status', 'failed', 'transport', 'since', 'until'] as const

const places = [
  ['', 'Journal'],
  ['cost', 'Cost and limits'],
] as const

/** Starts the first read of {@link RequestsView}. */
export function beginRequests(): void {
  beginRows(readFilter())
}

/** The journal, with an opened request next to it, and the cost view. */
export function RequestsView({ path }: { path: readonly string[] }) {
  const isCost = path[0] === 'cost'
  return (
    <>
      <Subnav label="Requests" base="requests" places={places} shown={isCost ? 'cost' : ''} />
      {isCost ? <CostView /> : <Journal opened={path[0]} />}
    </>
  )
}

function Journal({ opened }: { opened: string | undefined }) {
  const [journal] = useState(() => new JournalWindow())
  const [isPaused, setPaused] = useState(false)
  const isAtTop = useRef(true)
  const filter = readFilter()
  const filterText = JSON.stringify(filter)
  // A layout effect, to read the rows before the timeline: the first view waits for them.
  useLayoutEffect(() => void journal.show(filter), [filterText])
  useEffect(() => {
    const task = new PacedTask(() => journal.readNewer({ hold: isPaused || !isAtTop.current }))
    const stop = changes.subscribe((now) => {
      if (now !== undefined && journal.isLoaded.value) task.request()
    })
    return () => {
      stop()
      task.stop()
    }
  }, [isPaused])
  const rows = journal.rows.value
  const isFiltered = filterNames.some((name) => filter[name] !== undefined)
  return (
    <Split side={opened === undefined ? undefined : <RequestPanel id={Number(opened)} onClose={close} />}>
      <Filters
        actions={
          <button type="button" class="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            <Icon name={isPaused ? 'play' : 'pause'} />
            {isPaused ? 'Resume' : 'Pause'}
          </button>
        }
      />
      <Timeline filter={filter} />
      {journal.error.value !== undefined && <Failure message={journal.error.value} />}
      {journal.waiting.value > 0 && (
        <button type="button" class="newer" onClick={() => void journal.show(filter)}>
          {journal.waiting.value === newestSize ? 'Many new requests' : `${journal.waiting.value} new`}
        </button>
      )}
      {rows.length === 0 && journal.isLoaded.value ? (
        isFiltered ? (
          <EmptyState title="No requests match these filters">
            <p>
              <a href={link('requests')}>Show all requests</a>
            </p>
          </EmptyState>
        ) : (
          <NoRequests />
        )
      ) : (
        <RequestTable
          rows={rows}
          selected={opened === undefined ? undefined : Number(opened)}
          onOpen={open}
          onRange={(first, last) => {
            isAtTop.current = first === 0
            if (last >= rows.length - 30) void journal.readOlder()
          }}
        />
      )}
    </Split>
  )
}

function NoRequests() {
  return (
    <EmptyState
      title="No requests yet"
      script={`curl -s ${rpcUrlOf(currentNetwork.value)} -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`}
    >
      <p>
        Point an Ethereum client at this node, or paste this into a terminal. Requests appear here when they
        complete.
      </p>
    </EmptyState>
  )
}

function open(row: RequestSummary): void {
  location.hash = withFilters(`requests/${row.id}`)
}

function close(): void {
  location.hash = withFilters('requests')
}

/** Route within this view that keeps the filters. */
function withFilters(path: string): string {
  return link(path, Object.fromEntries(route.value.query))
}

function readFilter(): Query {
  const { query } = route.value
  const filter: Record<string, string | undefined> = { network: undefined }
  for (const name of filterNames) filter[name] = query.get(name) ?? undefined
  if (query.get('everywhere') === null) filter['network'] = currentNetwork.value
  return filter
}
