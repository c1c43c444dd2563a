import { createCidEncoder } from '../cid/cidFormat.js'
import { unservedOperations } from '../commands/offline.js'
import { errorText } from '../../encoding/errorText.js'
import { TIMEOUT_MAX } from '../../encoding/timeSlice.js'
import { DeadlineError, EndOfDataError, RequestError, isMissingBlock } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { BlockMemory } from '../store/blockstore.js'
import {
  type Command,
  type CommandInput,
  GoQuery,
  type OptionSpecs,
  type Output,
  type ParsedQuery,
  type RequestQuery,
  checkSingleValues,
  defineCommand,
  nothing,
  parseQuery,
  readArguments,
} from './command.js'
import { parseGoDuration } from './goDuration.js'
import { ListingMemory } from './listingMemory.js'
import {
  type CommandReply,
  type ReplyEncoding,
  errorReply,
  jsonEncoding,
  jsonLinePieces,
  outputReply,
  serverHeader,
  textEncoding,
  textReply,
} from './reply.js'
import { type Upload, createUpload } from './upload.js'

/** A request to an operation, independent of the transport. */
export interface CommandRequest {
  /** Path after `/api/v0/`, such as `pin/add`. */
  operation: string
  query: RequestQuery
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>
  body?: AsyncIterable<Uint8Array> | undefined
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/**
 * Finds a request's operation and runs it. If the last path segment names no operation, it becomes an argument of the
 * one before. A path that only has suboperations answers with nothing (go-ipfs-cmds, `http/parse.go`).
 */
export function executeOperation(
  commands: ReadonlyMap<string, Command>,
  request: CommandRequest,
  network: NetworkContext,
): Promise<CommandReply> {
  const { operation } = request
  const command = commands.get(operation)
  if (command !== undefined)
    return executeCommand(withInherited(commands, operation, command), request, network)
  const isParent = [...commands.keys(), 'diag/datastore/'].some((path) => path.startsWith(`${operation}/`))
  if (isParent) return executeCommand(parentCommand, request, network)
  const slash = operation.lastIndexOf('/')
  const above = unservedOperations.has(operation) ? undefined : commands.get(operation.slice(0, slash))
  const parent = above?.isGroup ? undefined : above
  const query = new GoQuery([['arg', operation.slice(slash + 1)], ...request.query])
  return executeCommand(parent, { ...request, query }, network)
}

/** Adds the options of its parents to a command. */
function withInherited(commands: ReadonlyMap<string, Command>, path: string, command: Command): Command {
  const slash = path.lastIndexOf('/')
  if (slash < 0) return command
  const above = path.slice(0, slash)
  const parent = commands.get(above)
  const inherited =
    parent === undefined ? command : { ...command, options: { ...parent.options, ...command.options } }
  return withInherited(commands, above, inherited)
}

const parentCommand = defineCommand({
  description: 'Has operations below it.',
  arguments: [],
  options: {},
  run: () => nothing(),
})

/** Runs a command and returns its result or error as a reply; never rejects. */
export async function executeCommand(
  command: Command | undefined,
  request: CommandRequest,
  network: NetworkContext,
): Promise<CommandReply> {
  if (command === undefined) return textReply(404, '404 page not found')
  network.log.write('debug', { logger: 'cmds/http', caller: 'http/handler.go:90' }, () => {
    const query = request.query.size === 0 ? '' : `?${request.query}`
    return `incoming API request: /${request.operation}${query}`
  })
  let prepared: { query: ParsedQuery; args: string[]; upload: Upload; deadline: Deadline }
  try {
    checkSingleValues(request.query, command)
    const upload = createUpload(request.headers['content-type'], request.body)
    const required = command.arguments.filter((argument) => argument.required)
    const file = required.find(({ kind }) => kind === 'file')
    const isTextComplete = request.query.getAll('arg').length >= required.length - (file ? 1 : 0)
    if (file && isTextComplete && !upload.present) {
      throw new RequestError(`file argument '${file.name}' is required`)
    }
    const query = parseQuery(request.query, command)
    const args = await readArguments(query.args, command.arguments, upload)
    const milliseconds = readTimeout(query)
    checkEncoding(query)
    prepared = { query, args, upload, deadline: createDeadline(query, milliseconds, request.signal) }
  } catch (error) {
    return refusedReply(error)
  }
  const { query, args, upload, deadline } = prepared
  const { options } = query
  const logged = network.requestLog.start(request.operation, { encoding: 'json', ...options }, args)
  const cidBase = options['cid-base'] as string | undefined
  const { signal, waitsForBlocks } = deadline
  const offline = options['offline'] as boolean | undefined
  let memory: ListingMemory | undefined
  const blockMemory = new BlockMemory(signal)
  const input = {
    args,
    options,
    upload,
    get memory() {
      return (memory ??= new ListingMemory(signal))
    },
    cidBase,
    signal,
    offline,
    waitsForBlocks,
    // A getter, because only commands that print CIDs reject an unknown base.
    get encodeCid() {
      return createCidEncoder(cidBase, { upgrade: options['upgrade-cidv0-in-output'] as boolean | undefined })
    },
  }
  const encoding = encodingOf(command, input)
  const counted = Object.assign(Object.create(network) as NetworkContext, {
    blockstore: network.blockstore.countedIn(blockMemory),
  })
  const running = run(command, input, counted)
  const end = (): void => {
    deadline.end()
    network.requestLog.end(logged)
    // A command that has run out of time still runs.
    void Promise.allSettled([running]).then(() => blockMemory.end())
  }
  // A client that leaves may never take the answer.
  signal.addEventListener('abort', end)
  let answering: Promise<CommandReply> | undefined
  try {
    const output = await deadline.guard(running)
    answering = outputReply(guardOutput(output, { ...deadline, end }), encoding)
    return await answering
  } catch (error) {
    end()
    return error instanceof EndOfDataError ? outputReply(nothing(), encoding) : errorReply(error, encoding)
  } finally {
    void Promise.allSettled([running, answering]).then(() => memory?.end())
  }
}

/** Runs a command, so that whatever it throws rejects. */
async function run(
  command: Command,
  input: CommandInput<OptionSpecs>,
  network: NetworkContext,
): Promise<Output> {
  return command.run(input, network)
}

/** Returns the encoding for a command's answer and errors. */
function encodingOf(command: Command, input: CommandInput<OptionSpecs>): ReplyEncoding {
  if (input.options['encoding'] !== 'text') return jsonEncoding
  return textEncoding((value) => command.text?.(value as never, input) ?? jsonLinePieces(value))
}

/** Encodings that go-ipfs-cmds knows. */
const encodings = new Set(['json', 'text', 'textnl', 'xml', 'octet-stream'])

function checkEncoding({ options }: ParsedQuery): void {
  const encoding = options['encoding']
  if (typeof encoding === 'string' && !encodings.has(encoding)) {
    throw new EncodingError(`invalid encoding: ${encoding}`)
  }
}

/** An unknown encoding; Kubo finds it only after it has begun the reply. */
class EncodingError extends RequestError {}

/** Replies to a request that failed before it ran (go-ipfs-cmds, `http/handler.go`). */
function refusedReply(error: unknown): CommandReply {
  const reply = textReply(400, errorText(error))
  return error instanceof EncodingError ? { ...reply, headers: { ...reply.headers, ...serverHeader } } : reply
}

/** Returns the request's timeout in milliseconds, if any. */
function readTimeout({ options }: ParsedQuery): number | undefined {
  const text = options['timeout']
  if (typeof text !== 'string') return undefined
  try {
    return parseGoDuration(text)
  } catch (error) {
    throw new RequestError(errorText(error))
  }
}

/** The timeout of a request. */
interface Deadline {
  signal: AbortSignal
  waitsForBlocks: boolean
  /** Rejects with {@link DeadlineError} once time is up. Until then, holds back the failure for a missing block. */
  guard<T>(promise: Promise<T>): Promise<T>
  end(): void
}

function createDeadline(
  { options }: ParsedQuery,
  milliseconds: number | undefined,
  signal: AbortSignal,
): Deadline {
  if (milliseconds === undefined) {
    return { signal, waitsForBlocks: false, guard: (promise) => promise, end: () => undefined }
  }
  const controller = new AbortController()
  const forward = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', forward, { once: true })
  const timeIsUp = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
  })
  timeIsUp.catch(() => undefined)
  const wait = Math.min(Math.max(milliseconds, 0), TIMEOUT_MAX)
  const timer = setTimeout(() => controller.abort(new DeadlineError()), wait)
  const waitsForBlocks = options['offline'] !== true
  return {
    signal: controller.signal,
    waitsForBlocks,
    async guard(promise) {
      promise.catch(() => undefined)
      try {
        return await Promise.race([promise, timeIsUp])
      } catch (error) {
        if (!waitsForBlocks || !isMissingBlock(error)) throw error
        return timeIsUp
      }
    },
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', forward)
    },
  }
}

function guardOutput(output: Output, deadline: Deadline): Output {
  switch (output.kind) {
    case 'single':
      deadline.end()
      return output
    case 'values':
      return { ...output, values: guardEach(output.values, deadline) }
    case 'valueGroups':
      return { ...output, groups: guardEach(output.groups, deadline) }
    case 'bytes':
      return { ...output, bytes: guardEach(output.bytes, deadline) }
  }
}

async function* guardEach<T>(source: AsyncIterable<T>, deadline: Deadline): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const result = await deadline.guard(iterator.next())
      if (result.done) return
      yield result.value
    }
  } finally {
    deadline.end()
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
