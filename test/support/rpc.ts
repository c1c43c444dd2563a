/** Calls one JSON-RPC method over HTTP and returns its result. */
export async function callRpc<Result>(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result: Result; error?: { message: string } }
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

/** Adds one file over the IPFS API and returns its CID. */
export async function addFile(ipfsUrl: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([content]))
  const response = await fetch(new URL('/api/v0/add', ipfsUrl), { method: 'POST', body: form })
  if (!response.ok) throw new Error(`add: ${response.status} ${await response.text()}`)
  const { Hash } = (await response.json()) as { Hash: string }
  return Hash
}

/** Calls an operation of the IPFS API that takes one CID. */
export function callFileNetwork(ipfsUrl: string, operation: string, cid: string): Promise<Response> {
  return fetch(new URL(`/api/v0/${operation}?arg=${cid}`, ipfsUrl), { method: 'POST' })
}
