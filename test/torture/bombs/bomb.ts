import { call, callPlainly, postFiles, type Hex } from '../requests.js'
import type { TorturedNode } from '../node.js'

/** A request that costs the node as much as one request can. */
export interface Bomb {
  name: string
  /** Sends the request and waits for whatever answer it gets. */
  run(node: TorturedNode, signal: AbortSignal): Promise<unknown>
}

/** Where the code of a bomb is. */
export const TARGET = '0x00000000000000000000000000000000000b0b0b'
/** The first account of the default mnemonic. */
export const SIGNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Repeats a body until the gas is used up. */
export function loop(body: string, before = ''): Hex {
  const start = before.length / 2
  return `0x${before}5b${body}61${start.toString(16).padStart(4, '0')}56`
}

/** A number as 32 bytes in hexadecimal. */
export function word(value: bigint | number): string {
  return value.toString(16).padStart(64, '0')
}

export const many = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index))
export const hash = (index: number): Hex => `0x${word(index + 1)}`
export const address = (index: number): Hex => `0x${word(index + 1).slice(24)}`

/** A number as protocol buffers and CARs write it. */
export function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}

/** State overrides that put code at {@link TARGET}. */
export function override(codeOfTarget: Hex): object {
  return { [TARGET]: { code: codeOfTarget } }
}

/** One call of a method. */
export function rpc(name: string, method: string, params: () => readonly unknown[]): Bomb {
  return { name: `${method}: ${name}`, run: (node, signal) => call(node, method, params(), signal) }
}

/** A JSON-RPC body as it is. */
export function body(name: string, make: () => string): Bomb {
  return { name, run: (node, signal) => callPlainly(node, make(), signal) }
}

/** One file operation, with content if it is given. */
export function file(name: string, path: () => string, content?: () => Uint8Array): Bomb {
  return { name, run: (node, signal) => postFiles(node, path(), content?.(), signal) }
}
