import { change, get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { formatBytes, formatDuration, formatNumber } from '../parts/format.js'
import { Panel, Tile } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Share } from '../parts/share.js'
import { Loaded } from '../parts/state.js'

interface Tally {
  calls: number
  failed: number
  credits: number
  milliseconds: number
  bytes: number
}

interface Usage {
  requests: number
  failed: number
  credits: number
  byMethod: Record<string, Tally>
  byKey: Record<string, { requests: number; credits: number }>
  peaks: { creditsInOneSecond: number; batch: number; logBytes: number; logRefusals: number }
  /** Fraction of each plan's limits that the run would have used. */
  plans: Record<string, { day: number; second: number }>
}

type Named<Value> = readonly [name: string, value: Value]

const planColumns: readonly PlainColumn<Named<Usage['plans'][string]>>[] = [
  { title: 'Plan', isHeader: true, cell: ([name]) => name },
  {
    title: 'Credits per day',
    cell: ([name, { day }]) => <PlanShare part={day} label={`${name}: credits per day`} />,
  },
  {
    title: 'Credits per second',
    cell: ([name, { second }]) => <PlanShare part={second} label={`${name}: credits per second`} />,
  },
]

const methodColumns: readonly PlainColumn<Named<Tally>>[] = [
  { title: 'Method', isHeader: true, cell: ([name]) => <span class="mono">{name}</span> },
  { title: 'Calls', align: 'right', cell: ([, { calls }]) => formatNumber(calls) },
  {
    title: 'Failed',
    align: 'right',
    cell: ([, { failed }]) => <span class={failed > 0 ? 'bad-text' : ''}>{formatNumber(failed)}</span>,
  },
  { title: 'Credits', align: 'right', cell: ([, { credits }]) => formatNumber(credits) },
  {
    title: 'Mean',
    align: 'right',
    cell: ([, { milliseconds, calls }]) => formatDuration(milliseconds / Math.max(1, calls)),
  },
  { title: 'Bytes', align: 'right', cell: ([, { bytes }]) => formatBytes(bytes) },
]

const keyColumns: readonly PlainColumn<Named<Usage['byKey'][string]>>[] = [
  { title: 'Key', isHeader: true, cell: ([key]) => <span class="mono">{key}</span> },
  { title: 'Requests', align: 'right', cell: ([, { requests }]) => formatNumber(requests) },
  { title: 'Credits', align: 'right', cell: ([, { credits }]) => formatNumber(credits) },
]

const nameOf = ([name]: Named<unknown>): string => name

/** Cost of the run at the provider, and its share of the limits. */
export function CostView() {
  const usage = useLive(() => get<Usage>('/usage'), [], ['requests'])
  const restart = (): Promise<boolean> =>
    attempt(async () => {
      await change('DELETE', '/usage')
      usage.refresh()
    }, 'Counts reset')
  return (
    <Loaded from={usage}>
      {(value) => (
        <div class="stack">
          <Totals usage={value} />
          <Panel title="Share of each plan this run would use">
            <PlainTable
              label="Plans"
              columns={planColumns}
              rows={Object.entries(value.plans)}
              rowKey={nameOf}
            />
          </Panel>
          <Panel
            title="By method"
            actions={
              <button type="button" class="button" onClick={() => void restart()}>
                Reset counts
              </button>
            }
          >
            <PlainTable
              label="Usage by method"
              columns={methodColumns}
              rows={Object.entries(value.byMethod).sort(
                ([, a], [, b]) => b.credits - a.credits || b.calls - a.calls,
              )}
              rowKey={nameOf}
            />
          </Panel>
          <Panel title="By key">
            <PlainTable
              label="Usage by key"
              columns={keyColumns}
              rows={Object.entries(value.byKey)}
              rowKey={nameOf}
            />
          </Panel>
        </div>
      )}
    </Loaded>
  )
}

function Totals({ usage: { requests, failed, credits, peaks } }: { usage: Usage }) {
  return (
    <dl class="tiles">
      <Tile label="Requests">{formatNumber(requests)}</Tile>
      <Tile label="Failed" tone={failed > 0 ? 'bad' : 'neutral'}>
        {formatNumber(failed)}
      </Tile>
      <Tile label="Credits">{formatNumber(credits)}</Tile>
      <Tile label="Peak credits per second">{formatNumber(peaks.creditsInOneSecond)}</Tile>
      <Tile label="Largest batch">{formatNumber(peaks.batch)}</Tile>
      <Tile label="Largest log response">{formatBytes(peaks.logBytes)}</Tile>
      <Tile label="Refused log queries" tone={peaks.logRefusals > 0 ? 'warn' : 'neutral'}>
        {formatNumber(peaks.logRefusals)}
      </Tile>
    </dl>
  )
}

function PlanShare({ part, label }: { part: number; label: string }) {
  const percent = part * 100
  return (
    <Share part={part} label={label}>
      {percent < 0.01 && percent > 0 ? '<0.01' : percent.toFixed(percent < 10 ? 2 : 0)} %
    </Share>
  )
}
