import type { TorturedNode } from './node.js'

export type Hex = `0x${string}`

const BOUNDARY = 'torture'

/** HTTP answer of the node. */
export interface Answer {
  status: number
  text: string
}

/** Calls a method and discards the answer after reading it completely. */
export function call(
  node: TorturedNode,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<string> {
  return callPlainly(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal)
}

/** Sends a raw JSON-RPC body. */
export async function callPlainly(node: TorturedNode, body: string, signal?: AbortSignal): Promise<string> {
  return (await askPlainly(node, body, signal)).text
}

/** Like {@link callPlainly}, with the status. */
export async function askPlainly(node: TorturedNode, body: string, signal?: AbortSignal): Promise<Answer> {
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

/** A multipart body of files by their already percent-encoded names. */
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
