import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { changeQuery, route } from '../shell/router.js'
import './filters.css'

/** Keystrokes less than this many milliseconds apart delay the search until a pause. */
const typingPause = 40

const transports = ['http', 'websocket', 'upgrade', 'ipc', 'in-process', 'files']

/** Filters of the journal, stored in the URL. */
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
          Clear time range
        </button>
      )}
      {actions}
    </form>
  )
}

function TextFilter(props: { name: string; label: string; placeholder: string; wide?: boolean }) {
  const { name } = props
  const given = route.value.query.get(name) ?? ''
  const input = useRef<HTMLInputElement>(null)
  // Last value shared with the URL. The field adopts other changes of the URL, but keeps what the user is typing.
  const known = useRef(given)
  const lastKey = useRef(-Infinity)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLayoutEffect(() => {
    if (known.current === given || input.current === null) return
    clearTimeout(timer.current)
    known.current = given
    input.current.value = given
  }, [given])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (): void => {
    known.current = cleaned(name, input.current?.value ?? '')
    changeQuery({ [name]: known.current })
  }
  const onInput = ({ timeStamp }: Event): void => {
    clearTimeout(timer.current)
    const isQuick = timeStamp - lastKey.current < typingPause
    lastKey.current = timeStamp
    if (isQuick) timer.current = setTimeout(search, typingPause)
    else search()
  }
  return (
    <input
      ref={input}
      type="search"
      class={props.wide ? 'wide' : ''}
      aria-label={props.label}
      placeholder={props.placeholder}
      spellcheck={false}
      defaultValue={given}
      onInput={onInput}
    />
  )
}

/** Trims the input; a status keeps its digits only. */
function cleaned(name: string, typed: string): string {
  return name === 'status' ? typed.replace(/\D/g, '') : typed.trim()
}
