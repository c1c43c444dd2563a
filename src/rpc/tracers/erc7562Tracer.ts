import { type Erc7562Facts, Erc7562Tracer } from '../../chain/tracing/erc7562Tracer.js'
import { KeccakPreimageTracer } from '../../chain/tracing/keccakPreimages.js'
import { sortInSteps, sortedEntries } from '../../encoding/sorting.js'
import { type Steps } from '../../encoding/timeSlice.js'
import { ListWriter, type PieceWriter, jsonBytes, writeBytes } from '../format/pieces.js'
import { list, struct } from '../params/combinators.js'
import { uint64 } from '../params/numbers.js'
import { boolean } from '../params/bytes.js'
import { int } from '../params/numbers.js'
import { writeCallFrame } from './callTracer.js'
import { type TracerKind, decodeTracerConfig } from './tracerKind.js'

const options = struct(
  { struct: 'erc7562TracerConfig', type: 'native.erc7562TracerConfig' },
  { stackTopItemsSize: int, ignoredOpcodes: list(uint64, '[]hexutil.Uint64'), withLog: boolean },
)

/** PUSH, DUP, SWAP, POP, arithmetic and comparisons, which every validation may use. */
const harmlessOpcodes: readonly number[] = [
  ...Array.from({ length: 0x9f - 0x5f + 1 }, (_, index) => 0x5f + index),
  ...[0x50, 0x01, 0x03, 0x02, 0x04, 0x14, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x1c, 0x16, 0x17, 0x19, 0x15],
]

/** erc7562Tracer: call frames with the facts that ERC-7562 restricts, for ERC-4337 bundlers. */
export const erc7562Tracer: TracerKind = {
  name: 'erc7562Tracer',
  start(config, budget) {
    const { ignoredOpcodes, withLog = false } = decodeTracerConfig(options, config)
    const ignored = ignoredOpcodes?.map((opcode) => Number(opcode & 0xffn)) ?? harmlessOpcodes
    const tracer = new Erc7562Tracer({ ignoredOpcodes: new Set(ignored), withLog }, budget)
    return { tracer, write: (_, writer) => writeResult(tracer, writer) }
  },
}

function writeResult(tracer: Erc7562Tracer, writer: PieceWriter): Steps<void> {
  return writeCallFrame(tracer.result, writer, 'geth', function* (frame) {
    yield* writeFacts(tracer.factsOf(frame), writer)
    if (frame === tracer.result) yield* writeKeccakInputs([...tracer.keccakInputs], writer)
  })
}

function* writeFacts(facts: Erc7562Facts, writer: PieceWriter): Steps<void> {
  writer.append(',"accessedSlots":{"reads":')
  yield* writeObject(facts.reads, (value) => `["0x${value}"]`, writer)
  for (const name of ['writes', 'transientReads', 'transientWrites'] as const) {
    writer.append(`,"${name}":`)
    yield* writeObject(facts[name], String, writer)
  }
  writer.append('},"extCodeAccessInfo":')
  const lookedAt = new ListWriter(writer)
  for (const address of facts.extCodeAccessInfo) {
    lookedAt.append(jsonBytes(address))
    yield
  }
  lookedAt.end()
  const usedOpcodes = new Map([...facts.usedOpcodes].map(([opcode, count]) => [opcode.toString(16), count]))
  writer.append(',"usedOpcodes":')
  yield* writeObject(usedOpcodes, String, writer)
  writer.append(',"contractSize":')
  yield* writeObject(
    facts.contractSizes,
    ({ size, opcode }) => `{"contractSize":${size},"opcode":${opcode}}`,
    writer,
  )
  writer.append(`,"outOfGas":${facts.outOfGas}`)
}

function* writeKeccakInputs(inputs: readonly Uint8Array[], writer: PieceWriter): Steps<void> {
  if (inputs.length === 0) return
  writer.append(',"keccak":')
  const list = new ListWriter(writer)
  for (const input of yield* sortInSteps(inputs, Buffer.compare)) {
    list.append('')
    yield* writeBytes(input, writer)
    yield
  }
  list.end()
}

/** Writes an object sorted by member name; the names are hexadecimal digits without prefix. */
function* writeObject<Value>(
  entries: ReadonlyMap<string, Value>,
  text: (value: Value) => string,
  writer: PieceWriter,
): Steps<void> {
  const members = new ListWriter(writer, '{}')
  for (const [digits, value] of yield* sortedEntries(entries)) {
    members.append(`"0x${digits}":${text(value)}`)
    yield
  }
  members.end()
}

/** keccak256PreimageTracer: inputs of KECCAK256 by hash. */
export const keccakPreimageTracer: TracerKind = {
  name: 'keccak256PreimageTracer',
  start(_, budget) {
    const tracer = new KeccakPreimageTracer(budget)
    return { tracer, write: (_place, writer) => writePreimages(tracer.preimages, writer) }
  },
}

function* writePreimages(preimages: ReadonlyMap<string, Uint8Array>, writer: PieceWriter): Steps<void> {
  const members = new ListWriter(writer, '{}')
  for (const [hash, input] of yield* sortedEntries(preimages)) {
    members.append(`"0x${hash}":`)
    yield* writeBytes(input, writer)
    yield
  }
  members.end()
}
