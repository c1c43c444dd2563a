import { hierarchy, partition } from 'd3-hierarchy'
import { useMemo, useRef } from 'preact/hooks'
import { formatNumber } from '../parts/format.js'
import type { Call } from './calls.js'
import { toNumber } from './wire.js'
import './flameGraph.css'

const rowHeight = 30

/** Minimum width of a bar as a fraction of the whole; narrower calls appear in the tree only. */
const minFraction = 0.0015

/** Calls as bars below their callers, as wide as their gas. */
export function FlameGraph(props: {
  root: Call
  opened: Call
  culprit: Call | undefined
  onOpen: (call: Call) => void
}) {
  const { root, opened, culprit, onOpen } = props
  const holder = useRef<HTMLDivElement>(null)
  const bars = useMemo(() => {
    const tree = hierarchy(root, ({ calls }) => calls)
    // A caller's gas includes that of its calls, but a refund may make it less.
    tree.eachAfter((item) => {
      const inner = (item.children ?? []).reduce((sum, { value = 0 }) => sum + value, 0)
      Object.assign(item, { value: Math.max(1, inner, toNumber(item.data.frame.gasUsed)) })
    })
    return partition<Call>()(tree)
      .descendants()
      .filter(({ x0, x1 }) => x1 - x0 >= minFraction)
  }, [root])
  const depth = bars.reduce((most, bar) => Math.max(most, bar.depth), 0)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const buttons = [...(holder.current?.querySelectorAll('button') ?? [])]
    buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + step]?.focus()
  }
  return (
    <div
      ref={holder}
      class="flame"
      role="group"
      aria-label="Calls by gas"
      style={{ height: `${(depth + 1) * rowHeight}px` }}
      onKeyDown={onKeyDown}
    >
      {bars.map((bar, place) => {
        const call = bar.data
        const gas = formatNumber(toNumber(call.frame.gasUsed))
        const tone = call.frame.error !== undefined ? 'failed' : bar.depth % 2 === 0 ? 'even' : 'odd'
        return (
          <button
            key={place}
            type="button"
            class={`flame-bar ${tone} ${call === culprit ? 'first-failed' : ''}`}
            aria-pressed={call === opened}
            aria-label={`${call.title}, ${gas} gas${call === culprit ? ', failed here' : ''}`}
            title={`${call.frame.type} ${call.title}\n${gas} gas`}
            style={{
              left: `${bar.x0 * 100}%`,
              width: `${(bar.x1 - bar.x0) * 100}%`,
              top: `${bar.depth * rowHeight}px`,
            }}
            onClick={() => onOpen(call)}
          >
            {call.title} <span>{gas}</span>
          </button>
        )
      })}
    </div>
  )
}
