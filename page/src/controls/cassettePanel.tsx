import { get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { formatNumber } from '../parts/format.js'
import { Facts, Panel } from '../parts/panel.js'

/** The cassette in use; see `/_standin/cassette`. */
interface Cassette {
  state: 'none' | 'recording' | 'replaying'
  path?: string
  mode?: string
  /** Who answered how many calls and file requests. */
  answers?: Readonly<Record<'replayed' | 'recorded' | 'own' | 'refused', number>>
}

/** The cassette that requests are recorded on or replayed from, and who answered how many; nothing without one. */
export function CassettePanel() {
  const { value: cassette } = useLive(() => get<Cassette>('/cassette'), [], ['controls', 'requests'])
  const { answers } = cassette ?? {}
  if (cassette === undefined || answers === undefined) return null
  return (
    <Panel title="Cassette">
      <Facts
        rows={[
          ['State', cassette.mode === undefined ? cassette.state : `${cassette.state}, ${cassette.mode}`],
          ['File', <span class="mono break">{cassette.path}</span>],
          ['Answered from the file', formatNumber(answers.replayed)],
          ['Recorded from the provider', formatNumber(answers.recorded)],
          ['Answered by this node', formatNumber(answers.own)],
          ['Refused, since not recorded', formatNumber(answers.refused)],
        ]}
      />
    </Panel>
  )
}
