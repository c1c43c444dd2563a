import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CommandReply, CommandRequest, FileNetwork } from '../ipfs/index.js'
import type { FileCaller } from '../provider/door/admission.js'
import { refuse, uploadTooLarge } from '../provider/door/refusal.js'
import type { FileGate, FilePassage } from '../provider/files/fileGate.js'
import type { Provider } from '../provider/provider.js'
import { CutError } from './disturb.js'
import { sendText } from './reply.js'
import { sendStream } from './stream.js'
import { UploadBody } from './uploadBody.js'

/** The file network as the server sees it. */
export type FileEndpoint = Pick<FileNetwork, 'execute' | 'gateway'>

/** What the file network's requests are answered with. */
export interface FileSetup {
  provider: Provider
  gate: FileGate
  files: FileEndpoint
  /** Most bytes of one request; undefined is no limit. */
  maxUpload: number | undefined
  report: (fault: unknown) => void
}

/** A request that the door let in. */
export interface AdmittedRequest {
  request: IncomingMessage
  response: ServerResponse
  caller: FileCaller
  /** The operation, or `gateway`. */
  operation: string
  query: URLSearchParams
}

/** What an answer is made from. */
export type AskedOfFiles = CommandRequest & {
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array>
}

/** Answers a request, free of any transport. */
export type AnswerFiles = (asked: AskedOfFiles) => Promise<CommandReply>

/** Takes a request through the gate to its answer, and tells the gate how it ended. */
export async function exchange(
  setup: FileSetup,
  admitted: AdmittedRequest,
  answer: AnswerFiles,
): Promise<void> {
  const { request, response, caller, operation, query } = admitted
  const started = performance.now()
  const passage = await setup.gate.enter(caller, operation, query)
  const limit = setup.provider.limitOf(caller.key, 'maxUpload') ?? setup.maxUpload
  const upload = new UploadBody(request, limit)
  const length = Number(request.headers['content-length'] ?? 0)
  let sent = 0
  if (passage.refusal !== undefined) sendText(response, passage.refusal)
  else if (limit !== undefined && length > limit) sendText(response, uploadTooLarge)
  else sent = await write(setup, admitted, { upload, passage, answer })
  passage.done({
    status: response.statusCode,
    uploaded: upload.length,
    downloaded: sent,
    milliseconds: performance.now() - started,
  })
}

/** @returns the bytes of the answer's body */
async function write(
  setup: FileSetup,
  { request, response, operation, query }: AdmittedRequest,
  { upload, passage, answer }: { upload: UploadBody; passage: FilePassage; answer: AnswerFiles },
): Promise<number> {
  const counter = { bytes: 0 }
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  try {
    const headers = singleHeaders(request)
    const reply = await answer({ operation, query, headers, body: upload, signal: controller.signal })
    if (upload.tooLong) sendText(response, uploadTooLarge)
    else await sendStream(response, reply, { effects: passage.effects, counter })
  } catch (error) {
    if (response.destroyed) return counter.bytes
    const isCut = error instanceof CutError
    if (!upload.tooLong && !isCut) setup.report(error)
    if (response.headersSent || isCut) response.destroy()
    else sendText(response, upload.tooLong ? uploadTooLarge : refuse(500, 'internal server error\n'))
  }
  return counter.bytes
}

function singleHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>
}
