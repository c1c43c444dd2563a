import { send } from '../api/http.js'
import { networkPrefix } from '../api/node.js'
import { access, rpcAuthorization } from '../shell/access.js'
import type { RequestDetail } from './journal.js'

/** Resends a call over HTTP on the provider's path, so that keys, quotas and faults apply. */
export async function sendAgain({ network, method, params }: RequestDetail): Promise<void> {
  const key = access.value?.key ?? 'local'
  const response = await send(`${networkPrefix(network)}/v3/${encodeURIComponent(key)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...rpcAuthorization() },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  await response.arrayBuffer()
}
