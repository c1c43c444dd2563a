import { effect, signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { node } from '../api/node.js'
import { Dialog } from '../parts/dialog.js'
import { readFields } from '../parts/form.js'
import { Failure } from '../parts/state.js'

/** What opens a guarded or strict node. It stays in memory: a reload asks again, and nothing can read it later. */
interface Credentials {
  key: string
  secret: string
}

/** The key and secret that were given; undefined before. */
export const access = signal<Credentials | undefined>(undefined)

const isAsking = signal(false)

effect(() => {
  const mode = node.value?.mode
  if (mode !== undefined && mode !== 'open' && access.peek() === undefined) isAsking.value = true
})

/** Asks for a key and a secret. */
export function askForAccess(): void {
  isAsking.value = true
}

/** The header that opens the file network with the given key: the key is the user name. */
export function fileAuthorization(): Record<string, string> {
  return access.value === undefined ? {} : basic(access.value.key, access.value.secret)
}

/** The header that proves a key's secret to JSON-RPC: the user name is empty. */
export function rpcAuthorization(): Record<string, string> {
  const { secret = '' } = access.value ?? {}
  return secret === '' ? {} : basic('', secret)
}

function basic(user: string, password: string): Record<string, string> {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

/** The dialog that asks. */
export function Access() {
  return isAsking.value ? <AccessDialog /> : null
}

function AccessDialog() {
  const [failure, setFailure] = useState<string>()
  const close = (): void => {
    isAsking.value = false
  }
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const fields = readFields(event)
    const given = { key: fields('key'), secret: fields('secret') }
    const refusal = await refusalOf(given)
    if (refusal === undefined) {
      access.value = given
      close()
    } else setFailure(refusal)
  }
  return (
    <Dialog title="Key and secret" onClose={close}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <p>
          This node runs in {node.value?.mode} mode. The file network and requests that are sent again need a
          key with its secret; the rest of this page does not. Both are forgotten when the page is reloaded.
        </p>
        <label class="field">
          Key
          <input name="key" required autoFocus autoComplete="username" spellcheck={false} />
        </label>
        <label class="field">
          Secret
          <input name="secret" type="password" autoComplete="current-password" />
        </label>
        {failure !== undefined && <Failure message={failure} />}
        <div class="actions">
          <button type="submit" class="button primary">
            Use this key
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Asks the provider's own path whether it would let them in. */
async function refusalOf({ key, secret }: Credentials): Promise<string | undefined> {
  const response = await fetch(`/v3/${encodeURIComponent(key)}`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json', ...(secret === '' ? {} : basic('', secret)) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  return response.ok ? undefined : (await response.text()).trim()
}
