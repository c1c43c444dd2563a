import { send } from '../api/http.js'
import { node } from '../api/node.js'
import { access, rpcAuthorization } from '../shell/access.js'
import type { RequestDetail } from './journal.js'

/** Sends the same call over HTTP on the provider's own path, so that keys, quotas and faults meet it again. */
export async function sendAgain({ network, method, params }: RequestDetail): Promise<void> {
  const prefix = network === node.value?.networks[0]?.name ? '' : `/${encodeURIComponent(network)}`
  const key = access.value?.key ?? 'local'
  const response = await send(`${prefix}/v3/${encodeURIComponent(key)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...rpcAuthorization() },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  await response.arrayBuffer()
}
