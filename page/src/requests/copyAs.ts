import type { RequestDetail } from './journal.js'

type Request = Pick<RequestDetail, 'method' | 'params'>

/** The request as a curl command. */
export function asCurl(url: string, request: Request): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: request.method, params: request.params ?? [] })
  return `curl -s '${url}' -H 'content-type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`
}

/** Operations with an upload. */
const uploading =
  /^(add|block\/put|dag\/(put|import)|files\/write|multibase\/\w+|key\/(import|sign)|config\/replace)$/

/** A file operation as a curl command. Uploads are not kept, so the user must fill in the file. */
export function asFileCurl(url: string, { method = '', params }: Request): string {
  const query = typeof params === 'string' && params !== '' ? `?${params}` : ''
  const file = uploading.test(method) ? ' -F file=@FILE' : ''
  return `curl -s -X POST '${url}/api/v0/${method}${query}'${file}`
}

/** The request as a program with viem. */
export function asViem(url: string, { method, params }: Request): string {
  return `import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http(${quote(url)}) })
const result = await client.request({
  method: ${quote(method ?? '')},
  params: ${indent(params ?? [])},
})
console.log(result)`
}

/** The request as a program with ethers. */
export function asEthers(url: string, { method, params }: Request): string {
  return `import { JsonRpcProvider } from 'ethers'

const provider = new JsonRpcProvider(${quote(url)})
const result = await provider.send(${quote(method ?? '')}, ${indent(params ?? [])})
console.log(result)`
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
}

function indent(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ')
}
