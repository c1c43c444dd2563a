import type { ComponentChildren } from 'preact'
import type { Tone } from './badge.js'
import './panel.css'

/** A titled box. */
export function Panel(props: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
  class?: string
}) {
  return (
    <section class={`panel ${props.class ?? ''}`} aria-label={props.title}>
      <header class="panel-head">
        <h2>{props.title}</h2>
        {props.actions !== undefined && <div class="actions">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  )
}

/** A labelled figure. */
export function Tile(props: { label: string; children: ComponentChildren; tone?: Tone }) {
  return (
    <div class={`tile ${props.tone ?? 'neutral'}`}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}

/** A name with its value. */
export type Fact = readonly [name: string, value: ComponentChildren]

/** List of names with values; undefined rows are omitted. */
export function Facts({ rows }: { rows: readonly (Fact | undefined)[] }) {
  return (
    <dl class="facts">
      {rows.map(
        (row) =>
          row !== undefined && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
