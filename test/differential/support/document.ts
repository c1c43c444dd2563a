import type { DocumentedMethod } from '../geth/generate.js'

const ANSWER_TIMEOUT = 60_000

/** Posts a JSON-RPC body. @returns the response body as text, or that there was none within a minute */
export async function post(url: string, body: string): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    })
    return await response.text()
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'no answer within a minute'
    throw error
  }
}

/** Returns the methods of this node's OpenRPC document that both nodes have. @param isWanted - filters by name */
export async function sharedMethods(
  ours: string,
  theirs: string,
  isWanted: (name: string) => boolean,
): Promise<DocumentedMethod[]> {
  const { result } = await call(ours, 'rpc.discover')
  const { methods } = result as { methods: DocumentedMethod[] }
  const shared: DocumentedMethod[] = []
  for (const method of methods) {
    if (!isWanted(method.name)) continue
    const { error } = await call(theirs, method.name)
    if (!UNKNOWN_METHOD.has(error?.code ?? 0)) shared.push(method)
  }
  return shared
}

/** Error codes of an unknown method: -32601 in geth and anvil, -32004 in hardhat. */
const UNKNOWN_METHOD: ReadonlySet<number> = new Set([-32601, -32004])

async function call(url: string, method: string): Promise<{ result?: unknown; error?: { code: number } }> {
  const answer = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  return JSON.parse(answer) as { result?: unknown; error?: { code: number } }
}
