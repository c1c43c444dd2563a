import type { ComponentChildren } from 'preact'
import { Icon } from './icon.js'
import './split.css'

/** Panel with an item opened from a list, closed by Escape or its button. */
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

/** A list with the opened item next to it, or above it on narrow screens. */
export function Split(props: {
  /** Whether more than the view's header surrounds it. */
  isShort?: boolean
  /** The opened item. */
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
