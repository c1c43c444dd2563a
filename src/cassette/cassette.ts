import { existsSync } from 'node:fs'
import { CassetteReader } from './cassetteReader.js'
import { CassetteWriter } from './cassetteWriter.js'
import { FilePlayer, FileRecorder, type FileReply, type FileRequest } from './files.js'
import type { CassetteCall } from './rpcAnswer.js'
import { RpcMatching, type DescribeTransaction } from './rpcMatching.js'
import { RecordedAnswers, type ReplaySettings } from './recordedAnswers.js'
import { RpcPlayer } from './rpcPlayer.js'
import { RpcRecorder } from './rpcRecorder.js'
import type { CassetteRules } from './rules.js'
import { Upstream } from './upstream.js'

/**
 * What answers a call that was not recorded: nothing (`strict`), the provider, whose answer is then recorded too (`once`),
 * or this node's own chain and file network (`loose`).
 */
export type ReplayMode = 'strict' | 'once' | 'loose'

/** The provider that requests are passed on to. */
export interface Provider {
  /** JSON-RPC over HTTP. */
  url: string
  webSocketUrl?: string | undefined
  /** The API of the file network, with credentials if it needs any. */
  filesUrl?: string | undefined
}

/** What is recorded or replayed. */
export interface CassetteOptions {
  path: string
  describeTransaction: DescribeTransaction
  record?: { provider: Provider; rules: CassetteRules } | undefined
  replay?: { mode: ReplayMode; settings: ReplaySettings; provider?: Provider | undefined } | undefined
}

/** A cassette in use: it stands before the methods and before the file network. */
export interface Cassette {
  readonly path: string
  /**
   * Answers a JSON-RPC call.
   *
   * @param own - this node's own answer
   */
  call(call: CassetteCall, own: () => unknown): Promise<unknown>
  /** Answers a request to the file network. @param own - this node's own answer */
  files(request: FileRequest, own: (request: FileRequest) => Promise<FileReply>): Promise<FileReply>
  /** Ends it; a cassette that was recorded is sorted and closed. */
  close(): void
}

/**
 * Begins to record or to replay.
 *
 * @throws CassetteError if the file cannot be used
 */
export function openCassette(options: CassetteOptions): Cassette {
  const { record, replay } = options
  if (record !== undefined) return openRecording(options, record)
  if (replay !== undefined) return openReplay(options, replay)
  throw new TypeError('expected what to record or how to replay')
}

function openRecording(
  { path, describeTransaction }: CassetteOptions,
  { provider, rules }: NonNullable<CassetteOptions['record']>,
): Cassette {
  const writer = CassetteWriter.create(path, rules)
  const { upstream, rpc, files } = createRecorders(writer, provider, describeTransaction)
  return {
    path,
    call: (call) => rpc.answer(call),
    files: (request, own) => (files === undefined ? own(request) : files.answer(request)),
    close() {
      upstream.stop()
      writer.close()
    },
  }
}

function openReplay(
  { path, describeTransaction }: CassetteOptions,
  { mode, settings, provider }: NonNullable<CassetteOptions['replay']>,
): Cassette {
  if (mode === 'once' && provider !== undefined && !existsSync(path)) {
    return openRecording({ path, describeTransaction }, { provider, rules: {} })
  }
  const reader = CassetteReader.open(path)
  const answers = new RecordedAnswers(reader, settings)
  const matching = new RpcMatching(reader.header.rules, describeTransaction)
  const player = new RpcPlayer({ answers, matching })
  const filePlayer = new FilePlayer(answers)
  const recording =
    mode === 'once' && provider !== undefined
      ? createRecorders(CassetteWriter.append(path), provider, describeTransaction)
      : undefined
  return {
    path,
    call(call, own) {
      if (recording !== undefined) return player.answer(call, () => recording.rpc.answer(call))
      return player.answer(call, mode === 'loose' ? own : undefined)
    },
    files(request, own) {
      if (recording?.files !== undefined)
        return filePlayer.answer(request, (read) => recording.files!.answer(read))
      return filePlayer.answer(request, mode === 'loose' ? own : undefined)
    },
    close() {
      reader.close()
      recording?.upstream.stop()
      recording?.writer.close()
    },
  }
}

function createRecorders(writer: CassetteWriter, provider: Provider, describe: DescribeTransaction) {
  const upstream = new Upstream({ url: provider.url, webSocketUrl: provider.webSocketUrl })
  return {
    writer,
    upstream,
    rpc: new RpcRecorder({ writer, matching: new RpcMatching(writer.rules, describe), upstream }),
    files: provider.filesUrl === undefined ? undefined : new FileRecorder({ writer, url: provider.filesUrl }),
  }
}
