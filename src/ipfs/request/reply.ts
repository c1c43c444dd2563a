import { FileNetworkError, RequestError, errorText } from '../errors.js'
import { kuboVersion } from '../version.js'
import type { Output } from './command.js'
import { goJsonBytes, goJsonLine } from './goJson.js'

/** The answer to a request, free of any transport. */
export interface CommandReply {
  status: number
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array> | Uint8Array
  /** Whether each piece of the body is valid only until the next one is asked for. */
  isBorrowed?: boolean
  /** Trailers, to be read after the body has ended: `X-Stream-Error` when it ended too early. */
  trailers?: () => Record<string, string>
}

/** Headers of the protocol that a page may read (go-ipfs-cmds, `http/responseemitter.go`). */
const exposedHeaders = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'

/** The header by which clients know the release. */
export const serverHeader = { Server: `kubo/${kuboVersion}` }

/** Headers of every reply of a command that was run. */
const commandHeaders = {
  'Access-Control-Allow-Headers': exposedHeaders,
  'Access-Control-Expose-Headers': exposedHeaders,
  ...serverHeader,
  Trailer: 'X-Stream-Error',
  Vary: 'Origin',
}

const encoder = new TextEncoder()

/** A refusal before any command was run: text and a newline, as Go's `http.Error` writes it. */
export function textReply(status: number, text: string): CommandReply {
  return {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Origin',
    },
    body: encoder.encode(`${text}\n`),
  }
}

/** A command that failed before it said anything. */
export function errorReply(error: unknown): CommandReply {
  const code = error instanceof FileNetworkError ? error.code : error instanceof RequestError ? 1 : 0
  return {
    status: code === 1 ? 400 : 500,
    headers: { ...commandHeaders, 'Content-Type': 'application/json' },
    body: encoder.encode(goJsonLine({ Message: errorText(error), Code: code, Type: 'error' })),
  }
}

/**
 * The reply with a command's output. The first value is waited for, so that a command that fails before
 * it gets a status that says so.
 *
 * @throws what the output failed with before its first value
 */
export async function outputReply(output: Output): Promise<CommandReply> {
  switch (output.kind) {
    case 'single':
      return {
        status: 200,
        headers: { ...commandHeaders, 'Content-Type': 'application/json' },
        body: await goJsonBytes(output.value),
      }
    case 'values':
      return linesReply(output.values, goJsonLine)
    case 'valueGroups':
      return linesReply(output.groups, (group) => group.map(goJsonLine).join(''))
    case 'bytes':
      return {
        ...streamReply(output.bytes, {
          'Content-Type': output.contentType,
          'X-Stream-Output': '1',
          ...(output.length === undefined ? {} : { 'X-Content-Length': String(output.length) }),
        }),
        isBorrowed: output.isBorrowed === true,
      }
  }
}

function streamReply(source: AsyncIterable<Uint8Array>, headers: Record<string, string>): CommandReply {
  let failure: string | undefined
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* source
    } catch (error) {
      failure = errorText(error).replace(/[^\x20-\x7e\x80-\xff]/g, ' ')
    }
  }
  return {
    status: 200,
    headers: { ...commandHeaders, ...headers },
    body: body(),
    trailers: (): Record<string, string> => (failure === undefined ? {} : { 'X-Stream-Error': failure }),
  }
}

async function linesReply<T>(source: AsyncIterable<T>, toText: (value: T) => string): Promise<CommandReply> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  const headers = { 'Content-Type': 'application/json', 'X-Chunked-Output': '1' }
  return streamReply(textPieces(first, iterator, toText), headers)
}

async function* textPieces<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  toText: (value: T) => string,
): AsyncGenerator<Uint8Array> {
  try {
    for (let result = first; !result.done; result = await rest.next()) yield Buffer.from(toText(result.value))
  } finally {
    await rest.return?.()
  }
}
