import { change, get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Failure, Loading, Panel, Tile } from '../parts/basics.js'
import { formatBytes, formatDuration, formatNumber } from '../parts/format.js'

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
  plans: Record<string, { day: number; second: number }>
}

/** What this run would have cost at the provider, and which limits it came near. */
export function CostView() {
  const { value, error, refresh } = useLive(() => get<Usage>('/usage'), [], ['requests'])
  if (error !== undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  const { peaks } = value
  const methods = Object.entries(value.byMethod).sort(
    ([, a], [, b]) => b.credits - a.credits || b.calls - a.calls,
  )
  const restart = (): Promise<boolean> =>
    attempt(async () => {
      await change('DELETE', '/usage')
      refresh()
    }, 'Counting from nothing')
  return (
    <div class="stack">
      <dl class="tiles">
        <Tile label="Requests">{formatNumber(value.requests)}</Tile>
        <Tile label="Failed" tone={value.failed > 0 ? 'bad' : 'neutral'}>
          {formatNumber(value.failed)}
        </Tile>
        <Tile label="Credits">{formatNumber(value.credits)}</Tile>
        <Tile label="Peak credits a second">{formatNumber(peaks.creditsInOneSecond)}</Tile>
        <Tile label="Largest batch">{formatNumber(peaks.batch)}</Tile>
        <Tile label="Largest log answer">{formatBytes(peaks.logBytes)}</Tile>
        <Tile label="Log queries refused" tone={peaks.logRefusals > 0 ? 'warn' : 'neutral'}>
          {formatNumber(peaks.logRefusals)}
        </Tile>
      </dl>
      <Panel title="Share of each plan this run would use">
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Plans">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Plan</th>
                <th scope="col">Credits a day</th>
                <th scope="col">Credits a second</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(value.plans).map(([name, { day, second }]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    <Share part={day} label={`${name}: credits a day`} />
                  </td>
                  <td>
                    <Share part={second} label={`${name}: credits a second`} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <Panel
        title="By method"
        actions={
          <button type="button" class="button" onClick={() => void restart()}>
            Reset counts
          </button>
        }
      >
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Usage by method">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Method</th>
                <th scope="col" class="right">
                  Calls
                </th>
                <th scope="col" class="right">
                  Failed
                </th>
                <th scope="col" class="right">
                  Credits
                </th>
                <th scope="col" class="right">
                  Mean
                </th>
                <th scope="col" class="right">
                  Bytes
                </th>
              </tr>
            </thead>
            <tbody>
              {methods.map(([name, tally]) => (
                <tr key={name}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td class="right">{formatNumber(tally.calls)}</td>
                  <td class={`right ${tally.failed > 0 ? 'bad-text' : ''}`}>{formatNumber(tally.failed)}</td>
                  <td class="right">{formatNumber(tally.credits)}</td>
                  <td class="right">{formatDuration(tally.milliseconds / Math.max(1, tally.calls))}</td>
                  <td class="right">{formatBytes(tally.bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <Panel title="By key">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col" class="right">
                Requests
              </th>
              <th scope="col" class="right">
                Credits
              </th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(value.byKey).map(([key, { requests, credits }]) => (
              <tr key={key}>
                <th scope="row" class="mono">
                  {key}
                </th>
                <td class="right">{formatNumber(requests)}</td>
                <td class="right">{formatNumber(credits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </div>
  )
}

/** A part of a limit as a bar: orange from four fifths, red beyond all of it. */
function Share({ part, label }: { part: number; label: string }) {
  const percent = part * 100
  const tone = part > 1 ? 'bad' : part >= 0.8 ? 'warn' : 'good'
  return (
    <div class="share">
      <meter class={tone} min={0} max={1} value={Math.min(1, part)} aria-label={label} />
      <span>{percent < 0.01 && percent > 0 ? '<0.01' : percent.toFixed(percent < 10 ? 2 : 0)} %</span>
    </div>
  )
}
