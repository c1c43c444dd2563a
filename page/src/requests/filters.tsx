import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { changeQuery, route } from '../shell/router.js'
import './filters.css'

/** Milliseconds without a key press before the text is searched for. */
const typingPause = 40

const transports = ['http', 'websocket', 'upgrade', 'ipc', 'in-process', 'files']

/** The filters of the journal; they are part of the address. */
export function Filters({ actions }: { actions: ComponentChildren }) {
  const { query } = route.value
  const outcome = query.get('failed') ?? ''
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <TextFilter name="text" label="Search" placeholder="Search" wide />
      <TextFilter name="method" label="Method" placeholder="Method" />
      <TextFilter name="key" label="Key" placeholder="Key" />
      <TextFilter name="status" label="Status" placeholder="Status" />
      <select
        aria-label="Outcome"
        value={outcome}
        onChange={(event) => changeQuery({ failed: event.currentTarget.value })}
      >
        <option value="">All outcomes</option>
        <option value="true">Failed</option>
        <option value="false">Succeeded</option>
      </select>
      <select
        aria-label="Transport"
        value={query.get('transport') ?? ''}
        onChange={(event) => changeQuery({ transport: event.currentTarget.value })}
      >
        <option value="">All transports</option>
        {transports.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {query.get('since') !== null && (
        <button
          type="button"
          class="button"
          onClick={() => changeQuery({ since: undefined, until: undefined })}
        >
          Whole time
        </button>
      )}
      {actions}
    </form>
  )
}

function TextFilter(props: { name: string; label: string; placeholder: string; wide?: boolean }) {
  const { name } = props
  const given = route.value.query.get(name) ?? ''
  const [typed, setTyped] = useState(given)
  useEffect(() => setTyped(given), [given])
  useEffect(() => {
    if (typed === given) return undefined
    const timer = setTimeout(() => changeQuery({ [name]: cleaned(name, typed) }), typingPause)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="search"
      class={props.wide ? 'wide' : ''}
      aria-label={props.label}
      placeholder={props.placeholder}
      spellcheck={false}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  )
}

/** A status is digits; what is no number yet filters nothing. */
function cleaned(name: string, typed: string): string {
  return name === 'status' ? typed.replace(/\D/g, '') : typed.trim()
}
