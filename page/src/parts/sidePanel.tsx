import type { ComponentChildren } from 'preact'
import { Icon } from './icon.js'
import './split.css'

/** What was opened from a list, beside it; Escape and its button close it. */
export function SidePanel(props: {
  label: string
  title: ComponentChildren
  onClose: () => void
  children: ComponentChildren
}) {
  const { onClose } = props
  return (
    <aside
      class="split-side"
      aria-label={props.label}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header class="panel-head sticky">
        <h2 class="break">{props.title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {props.children}
    </aside>
  )
}

/** A list, and what was opened from it: beside it, or above it on a narrow screen. */
export function Split(props: {
  /** Whether there is more around it than the views' own header. */
  isShort?: boolean
  /** What was opened. */
  side: ComponentChildren | undefined
  children: ComponentChildren
}) {
  return (
    <div class={`split ${props.side === undefined ? '' : 'open'}`}>
      <div class={`split-main ${props.isShort ? 'short' : ''}`}>{props.children}</div>
      {props.side}
    </div>
  )
}
