import type { ComponentChildren } from 'preact'
import './share.css'

/** A fraction of a limit as a bar with a text: orange from 80 %, red from 100 %. */
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
