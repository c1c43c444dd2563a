import { change, get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Badge } from '../parts/badge.js'
import { formatNumber } from '../parts/format.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Loaded } from '../parts/state.js'
import { Switch } from '../parts/switch.js'
import type { Fault } from './faults.js'
import { readFaults } from './faults.js'

type Scenarios = Record<string, { summary: string; faults: readonly { id?: string }[] }>

interface Scenario {
  name: string
  summary: string
  /** Its active faults. */
  set: readonly Fault[]
}

const columns: readonly PlainColumn<Scenario>[] = [
  {
    title: 'Scenario',
    isHeader: true,
    cell: ({ name, summary }) => (
      <>
        <span class="mono">{name}</span>
        <div class="muted">{summary}</div>
      </>
    ),
  },
  { title: 'Hits', align: 'right', cell: ({ set }) => (set.length > 0 ? <Hits of={set} /> : '') },
  { title: 'State', cell: (scenario) => <ScenarioSwitch scenario={scenario} /> },
]

/** Predefined sets of faults, each turned on or off as a whole. */
export function ScenarioControls() {
  const scenarios = useLive(readScenarios, [], ['faultHits', 'controls', 'requests'])
  return (
    <Loaded from={scenarios}>
      {(rows) => (
        <Panel title="Scenarios">
          <PlainTable label="Scenarios" columns={columns} rows={rows} rowKey={({ name }) => name} />
        </Panel>
      )}
    </Loaded>
  )
}

/** Number of requests hit by the faults. */
export function Hits({ of: faults }: { of: readonly Pick<Fault, 'hits'>[] }) {
  const hits = faults.reduce((total, fault) => total + fault.hits, 0)
  return <Badge tone={hits > 0 ? 'warn' : 'neutral'}>{formatNumber(hits)}</Badge>
}

function ScenarioSwitch({ scenario: { name, set } }: { scenario: Scenario }) {
  const isOn = set.length > 0
  const toggle = (): Promise<boolean> =>
    attempt(
      async () => {
        if (!isOn) await change('POST', `/scenarios/${name}`)
        else for (const { id } of set) await change('DELETE', `/faults/${encodeURIComponent(id)}`)
      },
      isOn ? `${name} is off` : `${name} is on`,
    )
  return <Switch label={name} isOn={isOn} onToggle={() => void toggle()} />
}

async function readScenarios(): Promise<Scenario[]> {
  const [scenarios, faults] = await Promise.all([get<Scenarios>('/scenarios'), readFaults()])
  return Object.entries(scenarios).map(([name, { summary, faults: own }]) => ({
    name,
    summary,
    set: faults.filter(({ id }) => own.some((fault) => fault.id === id)),
  }))
}
