import { effect, signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { node } from '../api/node.js'
import { Dialog } from '../parts/dialog.js'
import { readFields } from '../parts/form.js'
import { Failure } from '../parts/state.js'

/** Credentials of a guarded or strict node, kept in memory only, so that a reload forgets them. */
interface Credentials {
  key: string
  secret: string
}

/** Entered key and secret; undefined before. */
export const access = signal<Credentials | undefined>(undefined)

const isAsking = signal(false)

effect(() => {
  const mode = node.value?.mode
  if (mode !== undefined && mode !== 'open' && access.peek() === undefined) isAsking.value = true
})

/** Prompts for a key and a secret. */
export function askForAccess(): void {
  isAsking.value = true
}

/** Authorization header of the file network: the key is the user name. */
export function fileAuthorization(): Record<string, string> {
  return access.value === undefined ? {} : basic(access.value.key, access.value.secret)
}

/** Authorization header of JSON-RPC: the user name is empty, the password is the secret. */
export function rpcAuthorization(): Record<string, string> {
  const { secret = '' } = access.value ?? {}
  return secret === '' ? {} : basic('', secret)
}

function basic(user: string, password: string): Record<string, string> {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

/** The prompt for credentials, while needed. */
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
          This node runs in {node.value?.mode} mode. The file network and resending requests need a key with
          its secret; other views do not. Reloading the page forgets both.
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

/** Tests credentials on the provider's path. @returns the refusal, or undefined if they are accepted */
async function refusalOf({ key, secret }: Credentials): Promise<string | undefined> {
  const response = await fetch(`/v3/${encodeURIComponent(key)}`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json', ...(secret === '' ? {} : basic('', secret)) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  return response.ok ? undefined : (await response.text()).trim()
}
