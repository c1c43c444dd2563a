import type { TorturedNode } from './node.js'

export type Hex = `0x${string}`

const BOUNDARY = 'torture'

/** HTTP answer of the node. */
export interface Answer {
  status: number
  text: string
}

/** Calls a method. @returns the whole response body, with a result or an error */
export function call(
  node: TorturedNode,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<string> {
  return callRaw(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal)
}

/** Sends a raw JSON-RPC body. */
export async function callRaw(node: TorturedNode, body: string, signal?: AbortSignal): Promise<string> {
  return (await askRaw(node, body, signal)).text
}

/** Like {@link callRaw}, with the status. */
export async function askRaw(node: TorturedNode, body: string, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(node.ready.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...(signal !== undefined && { signal }),
  })
  return { status: response.status, text: await response.text() }
}

/** Calls a file operation, with an optional file or multipart body. */
export async function postFiles(
  node: TorturedNode,
  path: string,
  body?: Uint8Array,
  signal?: AbortSignal,
): Promise<string> {
  return (await askFiles(node, path, body, signal)).text
}

/** Like {@link postFiles}, with the status. */
export async function askFiles(
  node: TorturedNode,
  path: string,
  body?: Uint8Array,
  signal?: AbortSignal,
): Promise<Answer> {
  const isForm =
    body !== undefined && Buffer.from(body.subarray(0, 64)).toString('latin1').startsWith(`--${BOUNDARY}`)
  const sent = body === undefined || isForm ? body : uploadBody([['file', Buffer.from(body)]])
  const response = await fetch(`${node.ready.ipfsUrl.replace(/\/+$/, '')}/api/v0/${path}`, {
    method: 'POST',
    ...(sent !== undefined && {
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: new Uint8Array(sent),
    }),
    ...(signal !== undefined && { signal }),
  })
  return { status: response.status, text: await response.text() }
}

/** Builds a multipart body of files; their names must already be percent-encoded. */
export function uploadBody(parts: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const pieces = parts.flatMap(([name, content]) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
        'content-type: application/octet-stream\r\n\r\n',
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}
