import { existsSync, statSync } from 'node:fs'
import { maskUrl } from '../encoding/maskUrl.js'
import type { Awaitable } from '../encoding/timeSlice.js'
import type { Result } from '../rpc/method.js'
import { CassetteReader } from './cassetteReader.js'
import { CassetteWriter } from './cassetteWriter.js'
import { type EntryPage, type EntryQuery, listEntries } from './entryList.js'
import { type AnswerFiles, FilePlayer, FileRecorder, type FileReply, type FileRequest } from './files.js'
import { CASSETTE_VERSION } from './entry.js'
import { HttpClient } from './httpClient.js'
import {
  type AskRemote,
  type RemoteOutcome,
  type RemoteRead,
  recordForkRead,
  replayForkRead,
} from './forkReads.js'
import { RecordedAnswers, type ReplaySettings } from './recordedAnswers.js'
import { type AnswerCall, type CassetteCall, type DescribeTransaction, RpcMatching } from './rpcMatching.js'
import { RpcPlayer } from './rpcPlayer.js'
import { RpcRecorder } from './rpcRecorder.js'
import type { CassetteRules } from './rules.js'
import { Upstream } from './upstream.js'

/**
 * What answers a call that was not recorded: nothing (`strict`), the provider, whose answer is then recorded
 * (`once`), or this node's own chain and file network (`loose`).
 */
export type ReplayMode = 'strict' | 'once' | 'loose'

/** Provider to forward requests to. */
export interface Provider {
  /** JSON-RPC over HTTP. */
  url: string
  webSocketUrl?: string | undefined
  /** API of the file network, with credentials if it needs any. */
  filesUrl?: string | undefined
  /** Read-only gateway to files. */
  gatewayUrl?: string | undefined
}

/** Options to record or replay. */
export interface CassetteOptions {
  path: string
  describeTransaction: DescribeTransaction
  /** Parts of these URLs that may be keys never reach the file. */
  maskedUrls: readonly string[]
  /** Without a provider, a fork's reads are recorded. */
  record?: { provider: Provider | undefined; rules: CassetteRules } | undefined
  replay?: { mode: ReplayMode; settings: ReplaySettings; provider?: Provider | undefined } | undefined
}

/** Numbers of calls and file requests by source of the answer: the file, the provider, this node, or none. */
export interface AnswerCounts {
  replayed: number
  recorded: number
  own: number
  refused: number
}

/** Facts about a cassette's file. */
export interface CassetteFile {
  /** Version of its format. */
  version: number
  /** When it was closed, or recording began: ISO 8601. */
  modified: string
  /** Number of entries when it was opened. */
  entries: number
  /** Provider being recorded, without anything that may be a key. */
  upstream?: string
}

/** A cassette in use. It sits in front of the methods and the file network. */
export interface Cassette {
  readonly path: string
  /** How unrecorded requests are answered; undefined while recording. */
  readonly mode: ReplayMode | undefined
  readonly answers: Readonly<AnswerCounts>
  readonly file: CassetteFile
  /**
   * Answers a JSON-RPC call.
   *
   * @param own - produces this node's own answer
   * @throws RpcError
   */
  call(call: CassetteCall, own: AnswerCall): Awaitable<Result>
  /** Answers a request to the file network. @param own - produces this node's own answer */
  files(request: FileRequest, own: AnswerFiles): Promise<FileReply>
  /** Answers a fork's read of its remote. @param ask - asks the remote @throws Error if there is no answer */
  remote(read: RemoteRead, ask: AskRemote): Promise<RemoteOutcome>
  list(query: EntryQuery): Promise<EntryPage>
  /** Ends the cassette. A recording is sorted and closed, yielding to other requests. */
  close(): Promise<void>
}

/**
 * Starts recording or replaying.
 *
 * @throws CassetteError if the file cannot be used
 */
export async function openCassette(options: CassetteOptions): Promise<Cassette> {
  const { record, replay } = options
  if (record !== undefined) return openRecording(options, record)
  if (replay !== undefined) return openReplay(options, replay)
  throw new TypeError('expected what to record or how to replay')
}

function openRecording(
  { path, describeTransaction, maskedUrls }: CassetteOptions,
  { provider, rules }: NonNullable<CassetteOptions['record']>,
): Cassette {
  const writer = CassetteWriter.create(path, { rules, maskedUrls })
  const recorders = provider && createRecorders(writer, provider, describeTransaction)
  const answers = noAnswers()
  return {
    path,
    mode: undefined,
    answers,
    file: describeFile(path, 0, provider),
    list: (query) => listEntries({ path }, query),
    call(call, own) {
      answers[recorders === undefined ? 'own' : 'recorded']++
      return recorders === undefined ? own() : recorders.rpc.answer(call)
    },
    files(request, own) {
      const isPassedOn = recorders?.files.takes(request) === true
      answers[isPassedOn ? 'recorded' : 'own']++
      return isPassedOn ? recorders.files.answer(request) : own(request)
    },
    remote: (read, ask) => recordForkRead(writer, read, ask),
    async close() {
      recorders?.upstream.stop()
      await writer.close()
    },
  }
}

async function openReplay(
  options: CassetteOptions,
  { mode, settings, provider }: NonNullable<CassetteOptions['replay']>,
): Promise<Cassette> {
  const { path, describeTransaction, maskedUrls } = options
  if (mode === 'once' && provider !== undefined && !existsSync(path)) {
    return openRecording(options, { provider, rules: {} })
  }
  const reader = await CassetteReader.open(path)
  const recorded = await RecordedAnswers.open(reader, settings)
  const answers = noAnswers()
  const matching = new RpcMatching(reader.header.rules, describeTransaction)
  const player = new RpcPlayer({ answers: recorded, matching, counts: answers })
  const filePlayer = new FilePlayer(recorded, answers)
  const recording =
    mode === 'once' && provider !== undefined
      ? createRecorders(CassetteWriter.append(reader, maskedUrls), provider, describeTransaction)
      : undefined
  return {
    path,
    mode,
    answers,
    file: describeFile(path, reader.header.closed?.entries ?? 0, recording && provider),
    list: (query) => listEntries({ path, reader, usesOf: (offset) => recorded.usesOf(offset) }, query),
    call(call, own) {
      if (recording !== undefined) {
        // What a batch misses is passed on together, so no call may wait for another.
        return player.answer({ ...call, batch: undefined }, () => {
          answers.recorded++
          return recording.rpc.answer(call)
        })
      }
      if (mode !== 'loose') return player.answer(call)
      return player.answer(call, () => {
        answers.own++
        return own()
      })
    },
    files(request, own) {
      const isPassedOn = recording?.files.takes(request) === true
      if (!isPassedOn && mode !== 'loose') return filePlayer.answer(request)
      return filePlayer.answer(request, (read) => {
        answers[isPassedOn ? 'recorded' : 'own']++
        return isPassedOn ? recording.files.answer(read) : own(read)
      })
    },
    remote: (read, ask) =>
      replayForkRead(recorded, read, recording && (() => recordForkRead(recording.writer, read, ask))),
    async close() {
      reader.close()
      recording?.upstream.stop()
      await recording?.writer.close()
    },
  }
}

function createRecorders(writer: CassetteWriter, provider: Provider, describe: DescribeTransaction) {
  const { url, webSocketUrl, filesUrl, gatewayUrl } = provider
  const client = new HttpClient()
  const upstream = new Upstream({ url, webSocketUrl }, { client, mask: writer.mask })
  return {
    writer,
    upstream,
    rpc: new RpcRecorder({ writer, matching: new RpcMatching(writer.rules, describe), upstream }),
    files: new FileRecorder({ writer, client, filesUrl, gatewayUrl }),
  }
}

function describeFile(path: string, entries: number, provider: Provider | undefined): CassetteFile {
  return {
    version: CASSETTE_VERSION,
    modified: statSync(path).mtime.toISOString(),
    entries,
    ...(provider && { upstream: maskUrl(provider.url) }),
  }
}

function noAnswers(): AnswerCounts {
  return { replayed: 0, recorded: 0, own: 0, refused: 0 }
}
