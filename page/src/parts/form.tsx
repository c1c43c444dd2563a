import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { attempt } from './announcer.js'

/** Reads a field of a form by its name, without spaces around it; empty if there is none. */
export type Fields = (name: string) => string

/** The fields of a form at the moment when it is submitted. */
export function readFields(event: SubmitEvent): Fields {
  const content = new FormData(event.currentTarget as HTMLFormElement)
  return (name) => {
    const value = content.get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
}

/** A form that does one thing, and announces what came of it. */
export function ActionForm(props: {
  label: string
  /** What stands on the button. */
  submit: string
  /** What is announced when it was done. */
  done: string
  run: (fields: Fields) => Promise<unknown>
  isDangerous?: boolean
  /** Whether the fields are emptied afterwards. */
  clears?: boolean
  children?: ComponentChildren
}) {
  const { label, submit, done, run, isDangerous = false, clears = false, children } = props
  const [isBusy, setBusy] = useState(false)
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const fields = readFields(event)
    setBusy(true)
    const wasDone = await attempt(() => run(fields), done)
    setBusy(false)
    if (wasDone && clears) form.reset()
  }
  return (
    <form class="row control" aria-label={label} onSubmit={(event) => void onSubmit(event)}>
      {children}
      <button type="submit" class={`button ${isDangerous ? 'danger' : ''}`} disabled={isBusy}>
        {submit}
      </button>
    </form>
  )
}

/** A labelled input of a form. */
export function Field(props: {
  label: string
  name: string
  type?: 'text' | 'number' | 'password' | 'datetime-local'
  value?: string | number
  placeholder?: string
  required?: boolean
  min?: number
  max?: number
  step?: number | 'any'
  list?: string
  wide?: boolean
}) {
  const { label, value, wide = false, type = 'text', ...input } = props
  // Preact types each kind of input on its own; a union of kinds fits none of them.
  const kind = { type } as { type: 'text' }
  return (
    <label class={`field ${wide ? 'grow' : ''}`}>
      {label}
      <input {...kind} defaultValue={value} spellcheck={false} autoComplete="off" {...input} />
    </label>
  )
}

/** A labelled choice of a form. */
export function Choice(props: {
  label: string
  name: string
  choices: readonly (readonly [value: string, title: string])[]
  value?: string
  onChange?: (value: string) => void
}) {
  const { label, name, choices, value, onChange } = props
  return (
    <label class="field">
      {label}
      <select name={name} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {choices.map(([choice, title]) => (
          <option key={choice} value={choice}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A labelled box to tick in a form; `on` when it is ticked. */
export function Tick({ label, name, ticked = false }: { label: string; name: string; ticked?: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={ticked} />
      {label}
    </label>
  )
}

/** A whole number from 0 as JSON-RPC has it. @throws Error if it is none */
export function toQuantity(text: string): string {
  if (!/^\d+$/.test(text)) throw new Error('expected a whole number')
  return `0x${BigInt(text).toString(16)}`
}
