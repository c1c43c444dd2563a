import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { attempt } from './announcer.js'

/** Reads a form field by name, trimmed; empty if it does not exist. */
export type Fields = (name: string) => string

/** Captures the fields of a submitted form. */
export function readFields(event: SubmitEvent): Fields {
  const content = new FormData(event.currentTarget as HTMLFormElement)
  return (name) => {
    const value = content.get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
}

/** A form that runs an action and announces the outcome. */
export function ActionForm(props: {
  label: string
  /** Text of the button. */
  submit: string
  /** Announcement on success. */
  done: string
  run: (fields: Fields) => Promise<unknown>
  isDangerous?: boolean
  /** Whether to clear the fields on success. */
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

/** A labelled input. */
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
  // Preact types each kind of input separately, so a union of kinds matches none.
  const kind = { type } as { type: 'text' }
  return (
    <label class={`field ${wide ? 'grow' : ''}`}>
      {label}
      <input {...kind} defaultValue={value} spellcheck={false} autoComplete="off" {...input} />
    </label>
  )
}

/** A labelled select box; `value` is selected first. */
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
      {/* With `value` on the select, each render would undo the user's choice. */}
      <select name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {choices.map(([choice, title]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A labelled checkbox; its field is `on` if checked. */
export function Checkbox({
  label,
  name,
  checked = false,
}: {
  label: string
  name: string
  checked?: boolean
}) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={checked} />
      {label}
    </label>
  )
}

/** Converts a non-negative integer to a JSON-RPC quantity. @throws Error if it is not one */
export function toQuantity(text: string): string {
  if (!/^\d+$/.test(text)) throw new Error('expected a whole number')
  return `0x${BigInt(text).toString(16)}`
}
