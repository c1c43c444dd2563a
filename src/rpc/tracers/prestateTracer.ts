import {
  type PrestateAccount,
  type PrestateAccounts,
  PrestateTracer,
} from '../../chain/tracing/prestateTracer.js'
import { sortedEntries } from '../../encoding/sorting.js'
import { type Steps } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import { ListWriter, type PieceWriter, jsonBytes, jsonQuantity, writeBytes } from '../format/pieces.js'
import { struct } from '../params/combinators.js'
import { boolean } from '../params/bytes.js'
import { type TracerKind, decodeTracerConfig } from './tracerKind.js'

/** Writes accounts sorted by address, without empty members (geth: native/prestate.go, account). */
function* writePrestate(accounts: PrestateAccounts, writer: PieceWriter): Steps<void> {
  const list = new ListWriter(writer, '{}')
  for (const [address, account] of yield* sortedEntries(accounts)) {
    list.append(`"0x${address}":`)
    yield* writeAccount(account, writer)
  }
  list.end()
}

function* writeAccount(
  { balance, nonce, code, codeHash, storage }: PrestateAccount,
  writer: PieceWriter,
): Steps<void> {
  const members = new ListWriter(writer, '{}')
  if (balance !== undefined) members.append(`"balance":${jsonQuantity(balance)}`)
  if (code.length > 0) {
    members.append('"code":')
    yield* writeBytes(code, writer)
  }
  if (codeHash !== undefined) members.append(`"codeHash":${jsonBytes(codeHash)}`)
  if (nonce !== undefined && nonce > 0n) members.append(`"nonce":${nonce}`)
  yield
  if (storage.size > 0) {
    members.append('"storage":')
    const slots = new ListWriter(writer, '{}')
    for (const [slot, value] of yield* sortedEntries(storage)) {
      slots.append(`"0x${slot}":"0x${value}"`)
      yield
    }
    slots.end()
  }
  members.end()
}

const options = struct(
  { struct: 'PrestateTracerConfig', type: 'native.PrestateTracerConfig' },
  { diffMode: boolean, disableCode: boolean, disableStorage: boolean, includeEmpty: boolean },
)

/** prestateTracer: touched accounts before the execution, or its changes to them. */
export const prestateTracer: TracerKind = {
  name: 'prestateTracer',
  start(config, budget) {
    const decoded = decodeTracerConfig(options, config)
    const { diffMode = false, disableCode = false, disableStorage = false, includeEmpty = false } = decoded
    if (diffMode && includeEmpty) throw new ServerError('cannot use diffMode with includeEmpty')
    const tracer = new PrestateTracer({ diffMode, disableCode, disableStorage, includeEmpty }, budget)
    return {
      tracer,
      write: (_, writer) => (diffMode ? writeDiff(tracer, writer) : writePrestate(tracer.pre, writer)),
    }
  },
}

function* writeDiff({ pre, post }: PrestateTracer, writer: PieceWriter): Steps<void> {
  writer.append('{"post":')
  yield* writePrestate(post, writer)
  writer.append(',"pre":')
  yield* writePrestate(pre, writer)
  writer.append('}')
}
