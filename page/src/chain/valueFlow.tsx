import { Badge } from '../parts/badge.js'
import { formatEther } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { Panel } from '../parts/panel.js'
import type { Call } from './calls.js'
import './valueFlow.css'

/** Ether that calls moved; what was undone is struck out. */
export function ValueFlow({ calls }: { calls: readonly Call[] }) {
  // A delegated call has the value of its caller, and moves none.
  const moved = calls.filter(
    ({ frame }) => frame.type !== 'DELEGATECALL' && frame.value !== undefined && BigInt(frame.value) > 0n,
  )
  if (moved.length === 0) return null
  return (
    <Panel title="Value flow">
      <ul class="plain-list lines flow">
        {moved.map(({ frame, isUndone }, place) => (
          <li key={place} class={isUndone ? 'undone' : ''}>
            <Hash value={frame.from} kind="address" />
            <span class="amount">
              {formatEther(BigInt(frame.value ?? '0x0'))}
              <Icon name="arrow" />
            </span>
            {frame.to !== undefined && <Hash value={frame.to} kind="address" />}
            {isUndone && <Badge tone="bad">undone</Badge>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
