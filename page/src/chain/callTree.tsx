import { Badge } from '../parts/badge.js'
import { formatNumber } from '../parts/format.js'
import type { Call } from './calls.js'
import { toNumber } from './wire.js'
import './callTree.css'

/** Indentation per level in pixels, and the maximum number of indented levels. */
const indent = 18
const maxIndents = 12

/** Calls in execution order, indented below their callers. */
export function CallTree(props: { calls: readonly Call[]; opened: Call; onOpen: (call: Call) => void }) {
  return (
    <ul class="plain-list call-tree">
      {props.calls.map((call, place) => (
        <li key={place} style={{ paddingLeft: `${Math.min(call.depth, maxIndents) * indent}px` }}>
          <button
            type="button"
            class={`call ${call.frame.error === undefined ? '' : 'failed'}`}
            aria-pressed={call === props.opened}
            onClick={() => props.onOpen(call)}
          >
            <Badge>{call.frame.type}</Badge>
            <span class="mono strong">{call.title}</span>
            <span class="muted">{formatNumber(toNumber(call.frame.gasUsed))} gas</span>
            {call.frame.error !== undefined && <Badge tone="bad">{call.frame.error}</Badge>}
          </button>
        </li>
      ))}
    </ul>
  )
}
