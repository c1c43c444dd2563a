import type { ComponentChildren } from 'preact'
import './share.css'

/** A part of a limit as a bar, orange from four fifths and red from all of it, with its words beside. */
export function Share(props: { part: number; label: string; children: ComponentChildren }) {
  const { part, label } = props
  const tone = part >= 1 ? 'bad' : part >= 0.8 ? 'warn' : 'good'
  return (
    <span class="share">
      <meter class={tone} min={0} max={1} value={Math.min(1, part)} aria-label={label} />
      {props.children}
    </span>
  )
}
