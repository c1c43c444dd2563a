import { Badge } from '../parts/badge.js'
import { formatEther } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { Panel } from '../parts/panel.js'
import type { Call } from './calls.js'
import './valueFlow.css'

/** Ether transfers by calls; reverted ones are struck out. */
export function ValueFlow({ calls }: { calls: readonly Call[] }) {
  // A delegate call has its caller's value but transfers none.
  const moved = calls.filter(
    ({ frame }) => frame.type !== 'DELEGATECALL' && frame.value !== undefined && BigInt(frame.value) > 0n,
  )
  if (moved.length === 0) return null
  return (
    <Panel title="Value flow">
      <ul class="plain-list lines flow">
        {moved.map(({ frame, isReverted }, place) => (
          <li key={place} class={isReverted ? 'undone' : ''}>
            <Hash value={frame.from} kind="address" />
            <span class="amount">
              {formatEther(BigInt(frame.value ?? '0x0'))}
              <Icon name="arrow" />
            </span>
            {frame.to !== undefined && <Hash value={frame.to} kind="address" />}
            {isReverted && <Badge tone="bad">reverted</Badge>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
