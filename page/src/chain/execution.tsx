import { useState } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import { formatNumber } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import { Panel } from '../parts/panel.js'
import { Segments } from '../parts/segments.js'
import { Failure, Loading } from '../parts/state.js'
import { currentNetwork } from '../shell/router.js'
import type { Call } from './calls.js'
import { readExecution, reasonOf } from './calls.js'
import { CallTree } from './callTree.js'
import { FlameGraph } from './flameGraph.js'
import { FrameDetail } from './frameDetail.js'
import { StateDifference } from './stateDifference.js'
import type { Trace } from './trace.js'
import { ValueFlow } from './valueFlow.js'
import './execution.css'

/** An execution: calls as a flame graph or a tree, value flow and state difference. */
export function Execution({ trace, id, gasUsed }: { trace: Trace; id: string; gasUsed: number }) {
  const { value, error } = useLive(() => readExecution(trace), [id, currentNetwork.value])
  const [chosen, setChosen] = useState<Call>()
  const [form, setForm] = useState<'Flame graph' | 'Tree'>('Flame graph')
  if (value === undefined)
    return error === undefined ? <Loading /> : <Failure message={`Failed to read the trace: ${error}`} />
  const { root, all, culprit, abis } = value
  const opened = chosen !== undefined && all.includes(chosen) ? chosen : (culprit ?? root)
  return (
    <>
      {culprit !== undefined && (
        <button type="button" class="culprit" onClick={() => setChosen(culprit)}>
          <Icon name="warning" />
          <span>
            <strong>{reasonOf(abis, culprit.frame)}</strong>
            <span class="muted"> in {culprit.title}</span>
          </span>
        </button>
      )}
      <Panel
        title={`Calls (${formatNumber(all.length)})`}
        actions={
          <Segments label="Call view" choices={['Flame graph', 'Tree']} value={form} onChange={setForm} />
        }
      >
        {form === 'Flame graph' ? (
          <FlameGraph root={root} opened={opened} culprit={culprit} onOpen={setChosen} />
        ) : (
          <CallTree calls={all} opened={opened} onOpen={setChosen} />
        )}
        <FrameDetail
          key={all.indexOf(opened)}
          call={opened}
          executed={value}
          trace={trace}
          gasUsed={gasUsed}
        />
      </Panel>
      <ValueFlow calls={all} />
      <StateDifference trace={trace} id={id} />
    </>
  )
}
