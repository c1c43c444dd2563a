import { type Erc7562Facts, Erc7562Tracer } from '../../chain/tracing/erc7562Tracer.js'
import { KeccakPreimageTracer } from '../../chain/tracing/keccakPreimages.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ListWriter, type PieceWriter, jsonBytes } from '../format/pieces.js'
import { list, struct } from '../params/combinators.js'
import { uint64 } from '../params/numbers.js'
import { boolean } from '../params/bytes.js'
import { int } from '../params/traceConfig.js'
import { writeCallFrame } from './callTracer.js'
import { type TracerKind, decodeTracerConfig } from './tracerKind.js'

const options = struct(
  { struct: 'erc7562TracerConfig', type: 'native.erc7562TracerConfig' },
  { stackTopItemsSize: int, ignoredOpcodes: list(uint64, '[]hexutil.Uint64'), withLog: boolean },
)

/** PUSH, DUP, SWAP and POP, arithmetic and comparisons, which may run in any validation. */
const harmlessOpcodes: readonly number[] = [
  ...Array.from({ length: 0x9f - 0x5f + 1 }, (_, index) => 0x5f + index),
  ...[0x50, 0x01, 0x03, 0x02, 0x04, 0x14, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x1c, 0x16, 0x17, 0x19, 0x15],
]

/** erc7562Tracer: the frames of an execution with what ERC-7562 has rules for, as ERC-4337 bundlers ask for it. */
export const erc7562Tracer: TracerKind = {
  name: 'erc7562Tracer',
  start(config, budget) {
    const { ignoredOpcodes, withLog = false } = decodeTracerConfig(options, config)
    const ignored = ignoredOpcodes?.map((opcode) => Number(opcode & 0xffn)) ?? harmlessOpcodes
    const tracer = new Erc7562Tracer({ ignoredOpcodes: new Set(ignored), withLog }, budget)
    return {
      tracer,
      write: (_, writer) =>
        writeCallFrame(tracer.result, writer, (frame) => {
          const isOutermost = frame === tracer.result
          return factsText(tracer.factsOf(frame)) + (isOutermost ? keccakText(tracer.keccakInputs) : '')
        }),
    }
  },
}

function factsText(facts: Erc7562Facts): string {
  const { reads, writes, transientReads, transientWrites, lookedAt, usedOpcodes, contractSizes, outOfGas } =
    facts
  const slots = [
    `"reads":${object(
      reads,
      (slot) => `0x${slot}`,
      (value) => `["0x${value}"]`,
    )}`,
    ...Object.entries({ writes, transientReads, transientWrites }).map(
      ([name, counts]) => `"${name}":${object(counts, (slot) => `0x${slot}`, String)}`,
    ),
  ]
  const sizes = object(
    contractSizes,
    (address) => `0x${address}`,
    ({ size, opcode }) => `{"contractSize":${size},"opcode":${opcode}}`,
  )
  return (
    `,"accessedSlots":{${slots.join(',')}},"extCodeAccessInfo":[${lookedAt.map(jsonBytes).join(',')}]` +
    `,"usedOpcodes":${object(usedOpcodes, (opcode) => `0x${opcode.toString(16)}`, String)}` +
    `,"contractSize":${sizes},"outOfGas":${outOfGas}`
  )
}

function keccakText(inputs: ReadonlyMap<string, Uint8Array>): string {
  if (inputs.size === 0) return ''
  return `,"keccak":[${[...inputs.keys()]
    .sort()
    .map((digits) => `"0x${digits}"`)
    .join(',')}]`
}

/** An object whose members are in the order of their names. */
function object<Key, Value>(
  entries: ReadonlyMap<Key, Value>,
  name: (key: Key) => string,
  text: (value: Value) => string,
): string {
  const members = [...entries].map(([key, value]) => `"${name(key)}":${text(value)}`)
  return `{${members.sort().join(',')}}`
}

/** keccak256PreimageTracer: what KECCAK256 hashed, by the hashes. */
export const keccakPreimageTracer: TracerKind = {
  name: 'keccak256PreimageTracer',
  start(_, budget) {
    const tracer = new KeccakPreimageTracer(budget)
    return { tracer, write: (_place, writer) => writePreimages(tracer.preimages, writer) }
  },
}

function* writePreimages(preimages: ReadonlyMap<string, Uint8Array>, writer: PieceWriter): Steps<void> {
  const members = new ListWriter(writer, '{}')
  for (const [hash, input] of [...preimages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    members.append(`"0x${hash}":${jsonBytes(input)}`)
    yield
  }
  members.end()
}
