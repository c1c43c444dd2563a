import { currentNetwork } from '../shell/router.js'
import { send, unrecorded } from './http.js'

/** JSON-RPC error object. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcErrorObject) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface RpcErrorObject {
  code: number
  message: string
  data?: unknown
}

interface RpcAnswer {
  id: number
  result?: unknown
  error?: RpcErrorObject
}

/** Method and parameters of a call. */
export type RpcCall = readonly [method: string, ...params: unknown[]]

/** Calls per batch; well below the node's limit. */
const batchSize = 100

/** Reads from the chosen network's chain without an entry in the journal. @throws RpcError */
export async function read<Result>(...[method, ...params]: RpcCall): Promise<Result> {
  return readFrom<Result>(currentNetwork.value, method, ...params)
}

/** Reads from the chain of the given network. @throws RpcError */
export async function readFrom<Result>(network: string, ...[method, ...params]: RpcCall): Promise<Result> {
  return resultOf(await post(call(0, method, params), unrecorded, network)) as Result
}

/** Calls a method on the chosen network; the journal records it. @throws RpcError */
export async function act<Result>(...[method, ...params]: RpcCall): Promise<Result> {
  return resultOf(await post(call(0, method, params), {}, currentNetwork.value)) as Result
}

/** Reads in batches; failed calls are undefined. */
export async function readAll<Result>(calls: readonly RpcCall[]): Promise<(Result | undefined)[]> {
  const results: (Result | undefined)[] = []
  for (let start = 0; start < calls.length; start += batchSize) {
    const batch = calls.slice(start, start + batchSize)
    const body = batch.map(([method, ...params], index) => call(index, method, params))
    const answers = (await post(body, unrecorded, currentNetwork.value)) as RpcAnswer[]
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    for (const index of batch.keys()) results.push(byId.get(index)?.result as Result | undefined)
  }
  return results
}

function call(id: number, method: string, params: readonly unknown[]): object {
  return { jsonrpc: '2.0', id, method, params }
}

async function post(body: unknown, headers: Record<string, string>, network: string): Promise<unknown> {
  const response = await send(`/_standin/rpc/${encodeURIComponent(network)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.json()
}

function resultOf(answer: unknown): unknown {
  const { result, error } = answer as RpcAnswer
  if (error !== undefined) throw new RpcError(error)
  return result
}
