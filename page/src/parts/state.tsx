import type { ComponentChildren } from 'preact'
import type { Live } from '../api/useLive.js'
import { Code } from './code.js'
import './state.css'

/** Placeholder for an empty view: the next step, with a script to paste. */
export function EmptyState(props: { title: string; children?: ComponentChildren; script?: string }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
      {props.script !== undefined && <Code text={props.script} label="Script" />}
    </div>
  )
}

/** Error message. */
export function Failure({ message }: { message: string }) {
  return (
    <p class="failure-box" role="alert">
      {message}
    </p>
  )
}

/** Placeholder during a read. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading
    </p>
  )
}

/** Renders a value with `children`; until it is read, a placeholder or the error. */
export function Loaded<Value>(props: {
  from: Live<Value>
  children: (value: NonNullable<Value>) => ComponentChildren
}) {
  const { value, error } = props.from
  if (value !== undefined && value !== null) return <>{props.children(value)}</>
  return error === undefined ? <Loading /> : <Failure message={error} />
}
