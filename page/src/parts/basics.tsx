import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CopyButton } from './copyButton.js'

type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'accent'

/** A word in a coloured box. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** One figure with what it is. */
export function Tile(props: { label: string; children: ComponentChildren; tone?: Tone; hint?: string }) {
  return (
    <div class={`tile ${props.tone ?? 'neutral'}`} title={props.hint}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}

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

/** Names with values, one under another. */
export function Facts({ rows }: { rows: readonly (readonly [string, ComponentChildren] | undefined)[] }) {
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

/** What stands where there is nothing yet: what to do next, with something to paste. */
export function EmptyState(props: { title: string; children?: ComponentChildren; script?: string }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
      {props.script !== undefined && <Code text={props.script} label="Script" />}
    </div>
  )
}

/** A text in a fixed-width font, with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
    </div>
  )
}

/** A value as JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={formatJson(value)} label={label} />
}

/** JSON of two spaces an indent; numbers beyond doubles stay whole. */
export function formatJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner), 2) ??
    'undefined'
  )
}

/** Why something could not be shown. */
export function Failure({ message }: { message: string }) {
  return (
    <p class="failure-box" role="alert">
      {message}
    </p>
  )
}

/** Stands where something is being read. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading
    </p>
  )
}

/** One of several choices, all visible. */
export function Segments<Choice extends string>(props: {
  label: string
  choices: readonly Choice[]
  value: Choice
  onChange: (choice: Choice) => void
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === props.value}
          onClick={() => props.onChange(choice)}
        >
          {choice}
        </button>
      ))}
    </div>
  )
}

/** A modal dialog; Escape and its button close it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={props.onClose} aria-label={props.title}>
      <header class="panel-head">
        <h2>{props.title}</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {props.children}
    </dialog>
  )
}
