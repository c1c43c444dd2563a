import { askFiles, askRaw, type Answer, type Hex } from '../requests.js'
import type { TorturedNode } from '../node.js'

/** A request that is as expensive as one request can be. */
export interface Bomb {
  name: string
  /** Prepares the request. Not measured, and repeated before each attempt. */
  prepare?(node: TorturedNode): Promise<unknown>
  /**
   * Sends the request and waits for its answer.
   *
   * @returns the message of a refusal; undefined on success
   */
  run(node: TorturedNode, signal: AbortSignal): Promise<string | undefined>
  /**
   * Expected message of the refusal. Any other makes the bomb fail, because a request refused at once costs nothing and
   * proves nothing.
   */
  refusal?: string | undefined
  /** Fault that another client may see, whose request the bomb cuts off. */
  fault?: string
}

/** Address of a bomb's code. */
export const TARGET = '0x00000000000000000000000000000000000b0b0b'
/** The first account of the default mnemonic. */
export const SIGNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Returns code that repeats a body until the gas is used up. */
export function loop(body: string, before = ''): Hex {
  const start = before.length / 2
  return `0x${before}5b${body}61${start.toString(16).padStart(4, '0')}56`
}

/** Formats a number as a 32-byte word in hex. */
export function word(value: bigint | number): string {
  return value.toString(16).padStart(64, '0')
}

export const many = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index))
export const hash = (index: number): Hex => `0x${word(index + 1)}`
export const address = (index: number): Hex => `0x${word(index + 1).slice(24)}`

/** Encodes an unsigned varint, as in protocol buffers and CARs. */
export function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}

/** Returns state overrides that put code at {@link TARGET}. */
export function override(codeOfTarget: Hex): object {
  return { [TARGET]: { code: codeOfTarget } }
}

/** Number of characters of an answer that are searched for an error. */
const HEAD_LENGTH = 2000

/** Returns the error message in an answer of JSON-RPC, the file network or the server; undefined if there is none. */
export function refusalOf({ status, text }: Answer): string | undefined {
  const head = text.slice(0, HEAD_LENGTH)
  const message =
    /^\[?\{"jsonrpc":"2.0",(?:"id":[^{]*)?"error":\{"code":-?\d+,"message":"((?:[^"\\]|\\.)*)/.exec(head) ??
    /^\{"Message":"((?:[^"\\]|\\.)*)/.exec(head)
  if (message !== null) return message[1]
  return status >= 400 ? `status ${status}: ${head.slice(0, 100)}` : undefined
}

/** Sends a JSON-RPC body. Here and below: returns the message of a refusal. */
export async function sendBody(
  node: TorturedNode,
  text: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return refusalOf(await askRaw(node, text, signal))
}

export function sendCall(
  node: TorturedNode,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  return sendBody(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal)
}

export async function sendFile(
  node: TorturedNode,
  path: string,
  content?: Uint8Array,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return refusalOf(await askFiles(node, path, content, signal))
}

/** Waits for several requests; returns the first refusal. */
export async function firstRefusal(
  requests: readonly Promise<string | undefined>[],
): Promise<string | undefined> {
  return (await Promise.all(requests)).find((message) => message !== undefined)
}

/** A bomb that is one JSON-RPC call. */
export function rpc(name: string, method: string, params: () => readonly unknown[]): Bomb {
  return { name: `${method}: ${name}`, run: (node, signal) => sendCall(node, method, params(), signal) }
}

/** A bomb that is a raw JSON-RPC body. */
export function body(name: string, make: () => string): Bomb {
  return { name, run: (node, signal) => sendBody(node, make(), signal) }
}

/** A bomb that is one file operation, with optional content. */
export function file(name: string, path: () => string, content?: () => Uint8Array): Bomb {
  return { name, run: (node, signal) => sendFile(node, path(), content?.(), signal) }
}

/** Memoizes a preparation per node. */
export function oncePerNode<T>(make: (node: TorturedNode) => Promise<T>): (node: TorturedNode) => Promise<T> {
  const made = new WeakMap<TorturedNode, Promise<T>>()
  return (node) => {
    const making = made.get(node) ?? make(node)
    made.set(node, making)
    return making
  }
}
