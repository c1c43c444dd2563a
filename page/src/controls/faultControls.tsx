import { change } from '../api/control.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { formatNumber } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { EmptyState, Loaded } from '../parts/state.js'
import type { Fault } from './faults.js'
import { describeMembers, readFaults } from './faults.js'
import { NewFault } from './newFault.js'
import { Hits } from './scenarioControls.js'

const columns: readonly PlainColumn<Fault>[] = [
  { title: 'Fault', isHeader: true, cell: ({ id }) => <span class="mono">{id}</span> },
  {
    title: 'Matches',
    cell: ({ match }) => <span class="break">{describeMembers(match) || 'every request'}</span>,
  },
  {
    title: 'Action',
    cell: ({ action }) => (
      <span class="break">
        <strong>{action.type}</strong> {describeMembers(action)}
      </span>
    ),
  },
  { title: 'Seen', align: 'right', cell: ({ seen }) => formatNumber(seen) },
  { title: 'Hits', align: 'right', cell: (fault) => <Hits of={[fault]} /> },
  { title: 'Actions', isTitleHidden: true, align: 'right', cell: ({ id }) => <RemoveFault id={id} /> },
]

/** Active faults with their hits, and a form for a new one. */
export function FaultControls() {
  const faults = useLive(readFaults, [], ['faultHits', 'controls', 'requests'])
  return (
    <Loaded from={faults}>
      {(rows) => (
        <>
          <Panel
            title={`Faults (${rows.length})`}
            actions={
              rows.length > 0 && (
                <button
                  type="button"
                  class="button danger"
                  onClick={() => void attempt(() => change('DELETE', '/faults'), 'Faults removed')}
                >
                  Remove all
                </button>
              )
            }
          >
            {rows.length === 0 ? (
              <NoFaults />
            ) : (
              <PlainTable label="Faults" columns={columns} rows={rows} rowKey={({ id }) => id} />
            )}
          </Panel>
          <NewFault />
        </>
      )}
    </Loaded>
  )
}

function RemoveFault({ id }: { id: string }) {
  const remove = (): Promise<boolean> =>
    attempt(() => change('DELETE', `/faults/${encodeURIComponent(id)}`), `Fault ${id} removed`)
  return (
    <button type="button" class="icon-button" aria-label={`Remove fault ${id}`} onClick={() => void remove()}>
      <Icon name="trash" />
    </button>
  )
}

function NoFaults() {
  const url = node.value?.urls.controlUrl ?? ''
  return (
    <EmptyState
      title="No faults set"
      script={`curl -s ${url}/faults -d '{"match":{"method":"eth_getLogs"},"action":{"type":"delay","milliseconds":2000}}'`}
    >
      <p>Turn on a scenario, add a fault below, or set one from a test:</p>
    </EmptyState>
  )
}
