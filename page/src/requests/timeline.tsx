import { useRef } from 'preact/hooks'
import type { Query } from '../api/control.js'
import { get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { formatDuration, formatNumber } from '../parts/format.js'
import { lazy } from '../shell/lazy.js'
import type { Buckets } from './timelinePlot.js'
import './timeline.css'

const TimelinePlot = lazy(() => import('./timelinePlot.js').then(({ TimelinePlot: plot }) => plot))

/**
 * Number of requests, failures and the slowest request over time. After a change of the filter, the previous figure
 * stays and is marked busy until the new one is read.
 */
export function Timeline({ filter }: { filter: Query }) {
  const { value } = useLive(
    () => get<Buckets>('/requests/timeline', filter),
    [JSON.stringify(filter)],
    ['requests'],
  )
  const last = useRef<Buckets>(undefined)
  last.current = value ?? last.current
  const { count = [], failed = [], slowest = [] } = last.current ?? {}
  const failures = sum(failed)
  return (
    <figure class="timeline" aria-busy={value === undefined}>
      <figcaption>
        <span class="legend all">
          <strong>{formatNumber(sum(count))}</strong> requests
        </span>
        <span class={`legend failed ${failures > 0 ? 'bad-text' : 'muted'}`}>
          <strong>{formatNumber(failures)}</strong> failed
        </span>
        <span class="legend slowest muted">slowest {formatDuration(Math.max(0, ...slowest))}</span>
        <span class="muted hint">Drag across the plot to select a range</span>
      </figcaption>
      <div class="plot" aria-hidden="true">
        {last.current !== undefined && <TimelinePlot buckets={last.current} />}
      </div>
    </figure>
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
