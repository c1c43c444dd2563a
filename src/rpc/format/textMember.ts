/** Where a text lies in bytes. */
export interface TextSpan {
  start: number
  end: number
}

/**
 * Where the value of a member lies between its quotes. It is for the wire bytes of transactions and receipts, in which no
 * text stands that anybody could have chosen: it is not worth parsing them for a member or two.
 *
 * @param from - where the search begins
 */
export function textMember(wire: Uint8Array, name: string, from = 0): TextSpan | undefined {
  const bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.length)
  const key = `"${name}":"`
  const at = bytes.indexOf(key, from, 'latin1')
  if (at < 0) return undefined
  const start = at + key.length
  return { start, end: bytes.indexOf('"', start, 'latin1') }
}
