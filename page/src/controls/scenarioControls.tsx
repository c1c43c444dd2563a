import { change, get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Badge, Failure, Loading, Panel } from '../parts/basics.js'
import { formatNumber } from '../parts/format.js'
import type { Fault } from './faults.js'
import { readFaults } from './faults.js'

type Scenarios = Record<string, { summary: string; faults: readonly { id?: string }[] }>

interface Scenario {
  name: string
  summary: string
  /** Its faults that are set. */
  set: readonly Fault[]
}

/** Ready-made sets of faults, each switched on or off as a whole. */
export function ScenarioControls() {
  const { value, error } = useLive(readScenarios, [], ['faultHits', 'controls', 'requests'])
  if (value === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  return (
    <Panel title="Scenarios">
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Scenarios">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Scenario</th>
              <th scope="col" class="right">
                Hits
              </th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {value.map((scenario) => (
              <ScenarioRow key={scenario.name} scenario={scenario} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function ScenarioRow({ scenario: { name, summary, set } }: { scenario: Scenario }) {
  const isOn = set.length > 0
  const hits = set.reduce((total, fault) => total + fault.hits, 0)
  const toggle = (): Promise<boolean> =>
    attempt(
      async () => {
        if (!isOn) await change('POST', `/scenarios/${name}`)
        else for (const { id } of set) await change('DELETE', `/faults/${encodeURIComponent(id)}`)
      },
      isOn ? `${name} is off` : `${name} is on`,
    )
  return (
    <tr>
      <th scope="row">
        <span class="mono">{name}</span>
        <div class="muted">{summary}</div>
      </th>
      <td class="right">
        {isOn ? <Badge tone={hits > 0 ? 'warn' : 'neutral'}>{formatNumber(hits)}</Badge> : ''}
      </td>
      <td>
        <button
          type="button"
          class="switch"
          role="switch"
          aria-checked={isOn}
          aria-label={name}
          onClick={() => void toggle()}
        >
          <span aria-hidden="true">{isOn ? 'On' : 'Off'}</span>
        </button>
      </td>
    </tr>
  )
}

async function readScenarios(): Promise<Scenario[]> {
  const [scenarios, faults] = await Promise.all([get<Scenarios>('/scenarios'), readFaults()])
  return Object.entries(scenarios).map(([name, { summary, faults: own }]) => ({
    name,
    summary,
    set: faults.filter(({ id }) => own.some((fault) => fault.id === id)),
  }))
}
