import type { ComponentChildren } from 'preact'
import type { Live } from '../api/useLive.js'
import { Code } from './code.js'
import './state.css'

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

/** What was read, as `children` shows it; until then that it is being read, or why it cannot be. */
export function Loaded<Value>(props: {
  from: Live<Value>
  children: (value: NonNullable<Value>) => ComponentChildren
}) {
  const { value, error } = props.from
  if (value !== undefined && value !== null) return <>{props.children(value)}</>
  return error === undefined ? <Loading /> : <Failure message={error} />
}
