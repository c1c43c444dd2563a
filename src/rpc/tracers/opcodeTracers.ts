import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import { ListWriter } from '../format/pieces.js'
import { printJson } from '../wire.js'
import { opcodeNames } from '../../chain/evm/opcodeNames.js'
import type { TracerKind } from './tracerKind.js'

/** opcountTracer: how many opcodes ran. */
const opcountTracer: TracerKind = {
  name: 'opcountTracer',
  start() {
    let count = 0
    const step = (): undefined => {
      count++
    }
    return {
      tracer: { step },
      write: function* (_, writer) {
        yield writer.append(String(count))
      },
    }
  },
}

/**
 * A tracer that counts by name: of each opcode, or of each one after those before it in its frame.
 *
 * @param counter - makes what names an opcode by its frame, whose depth is 1 for the outermost; undefined is not counted
 */
function countingTracer(
  name: string,
  counter: () => (opcode: string, depth: number) => string | undefined,
): TracerKind {
  return {
    name,
    start() {
      const counts = new Map<string, number>()
      const keyOf = counter()
      const step: ExecutionTracer['step'] = ({ runState }) => {
        const key = keyOf(opcodeNames[runState.opCode] ?? '', runState.env.depth + 1)
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
        return undefined
      }
      return {
        tracer: { step },
        write: function* (_, writer) {
          const members = new ListWriter(writer, '{}')
          for (const [key, number] of counts) {
            members.append(`${printJson(key)}:${number}`)
            yield
          }
          members.end()
        },
      }
    },
  }
}

const unigramTracer = countingTracer('unigramTracer', () => (opcode) => opcode)

const bigramTracer = countingTracer('bigramTracer', () => {
  let last = { opcode: '', depth: 0 }
  return (opcode, depth) => {
    const key = depth === last.depth ? `${last.opcode}-${opcode}` : undefined
    last = { opcode, depth }
    return key
  }
})

/** The opcode that changes the depth is not counted, and begins anew. */
const trigramTracer = countingTracer('trigramTracer', () => {
  let last = { opcodes: ['', ''], depth: 0 }
  return (opcode, depth) => {
    if (depth !== last.depth) {
      last = { opcodes: ['', ''], depth }
      return undefined
    }
    const [first = '', second = ''] = last.opcodes
    last = { opcodes: [second, opcode], depth }
    return `${first}-${second}-${opcode}`
  }
})

/** The tracers that count opcodes (geth: eth/tracers/js/internal/tracers). */
export const opcodeTracers = [opcountTracer, unigramTracer, bigramTracer, trigramTracer]
