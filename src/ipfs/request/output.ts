/** What a command answers with. */
export type Output =
  | { kind: 'single'; value: unknown }
  | { kind: 'values'; values: AsyncIterable<unknown> }
  | { kind: 'valueGroups'; groups: AsyncIterable<readonly unknown[]> }
  | {
      kind: 'bytes'
      bytes: AsyncIterable<Uint8Array>
      contentType: string
      length?: number | undefined
      /** Whether each piece is valid only until the next one is asked for. */
      isBorrowed?: boolean | undefined
    }

/** One JSON value. A map in it is written as an object. */
export function single(value: unknown): Output {
  return { kind: 'single', value }
}

/** JSON values, a line each, sent as they come. */
export function values(source: AsyncIterable<unknown>): Output {
  return { kind: 'values', values: source }
}

/** JSON values, a line each; those of a group, which is never empty, are sent as one piece. */
export function valueGroups(groups: AsyncIterable<readonly unknown[]>): Output {
  return { kind: 'valueGroups', groups }
}

/** No value at all. */
export function nothing(): Output {
  return { kind: 'values', values: noValues() }
}

async function* noValues(): AsyncGenerator<never> {}

/** A stream of bytes, as plain text unless said otherwise. */
export function bytes(
  source: AsyncIterable<Uint8Array>,
  options: { contentType?: string; length?: number; isBorrowed?: boolean } = {},
): Output {
  return {
    kind: 'bytes',
    bytes: source,
    contentType: options.contentType ?? 'text/plain',
    length: options.length,
    isBorrowed: options.isBorrowed,
  }
}
