import { parseJsonInSteps } from '../encoding/json.js'
import { stringifyJsonInSteps } from '../encoding/jsonWriter.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { CassetteWriter } from './cassetteWriter.js'
import { type RecordedCall, type RpcErrorObject, linePrefixInSteps } from './entry.js'
import { describeMiss } from './nearest.js'
import type { RecordedAnswers } from './recordedAnswers.js'

/** A fork's read of its remote. */
export interface RemoteRead {
  /** The network that is a fork. */
  network: string
  method: string
  params: readonly unknown[]
}

/** Answer of a remote. */
export type RemoteOutcome = { result: unknown } | { error: RpcErrorObject }

/** Asks the remote. @throws Error if it does not answer */
export type AskRemote = () => Promise<RemoteOutcome>

/** Keeps a fork's reads apart: a client that asks for the newest block means that of the fork itself. */
function callOf({ network, method, params }: RemoteRead): RecordedCall {
  return ['rpc', `${network} fork`, method, params]
}

/** Asks the remote and records the answer. @throws Error if it does not answer */
export async function recordForkRead(
  writer: CassetteWriter,
  read: RemoteRead,
  ask: AskRemote,
): Promise<RemoteOutcome> {
  const started = performance.now()
  const outcome = await ask()
  const milliseconds = performance.now() - started
  const slice = new TimeSlice()
  const value = 'result' in outcome ? (outcome.result ?? null) : withoutUndefined(outcome.error)
  const text = (await runInSlices(stringifyJsonInSteps(value), slice)).join('')
  const recorded = 'result' in outcome ? { resultText: text } : { ...outcome, errorText: text }
  await slice.pause()
  await writer.add(await runInSlices(linePrefixInSteps(callOf(read)), slice), recorded, milliseconds)
  return outcome
}

function withoutUndefined({ code, message, data }: RpcErrorObject): RpcErrorObject {
  return { code, message, ...(data !== undefined && { data }) }
}

/**
 * Answers a read from the cassette. An answer recorded from a client's equal call serves too.
 *
 * @param missing - answers unrecorded reads
 * @throws Error if nothing was recorded
 */
export async function replayForkRead(
  answers: RecordedAnswers,
  read: RemoteRead,
  missing: AskRemote | undefined,
): Promise<RemoteOutcome> {
  const { network, method, params } = read
  const taken = (await answers.take(callOf(read))) ?? (await answers.take(['rpc', network, method, params]))
  const outcome = taken?.answer.entry.outcome
  if (outcome !== undefined && 'resultText' in outcome) {
    return { result: await runInSlices(parseJsonInSteps(outcome.resultText), new TimeSlice()) }
  }
  if (outcome !== undefined && 'error' in outcome) return outcome
  if (missing !== undefined) return missing()
  throw new Error(await describeMiss(answers.reader, callOf(read)))
}
