import type { ContractSource } from './contracts.js'

/** Location in a source text. */
export interface SourceLocation {
  path: string
  text: string
  /** 1-based. */
  line: number
  lastLine: number
}

/** Source map entry: byte offset, length and file index of an instruction's source text. */
interface MapEntry {
  start: number
  length: number
  file: number
}

/**
 * Finds the source location of the newest step that has one. Instructions that the compiler adds, such as arithmetic
 * checks, belong to no file.
 *
 * @param counters - program counters, newest first
 */
export function locate(source: ContractSource, counters: readonly number[]): SourceLocation | undefined {
  const entries = readSourceMap(source.sourceMap)
  const instructions = instructionIndexes(source.code)
  for (const counter of counters) {
    const entry = entries[instructions.get(counter) ?? -1]
    const file = source.files.find(({ index }) => index === entry?.file)
    if (entry === undefined || file === undefined || isWholeContract(file.text, entry)) continue
    const bytes = new TextEncoder().encode(file.text)
    const lineAt = (offset: number): number =>
      bytes.subarray(0, offset).filter((byte) => byte === 10).length + 1
    return {
      path: file.path,
      text: file.text,
      line: lineAt(entry.start),
      lastLine: lineAt(entry.start + Math.max(0, entry.length - 1)),
    }
  }
  return undefined
}

/** Decompresses a source map: empty fields repeat the previous entry (Solidity documentation, "Source Mappings"). */
function readSourceMap(map: string): MapEntry[] {
  let last: MapEntry = { start: 0, length: 0, file: -1 }
  return map.split(';').map((text) => {
    const [start, length, file] = text.split(':')
    last = {
      start: start ? Number(start) : last.start,
      length: length ? Number(length) : last.length,
      file: file ? Number(file) : last.file,
    }
    return last
  })
}

/** Instruction index by program counter; PUSH data advances the counter only. */
function instructionIndexes(code: string): Map<number, number> {
  const indexes = new Map<number, number>()
  const bytes = code.slice(2)
  for (let counter = 0, index = 0; counter < bytes.length / 2; index += 1) {
    indexes.set(counter, index)
    const opcode = Number.parseInt(bytes.slice(2 * counter, 2 * counter + 2), 16)
    counter += opcode >= 0x60 && opcode <= 0x7f ? opcode - 0x5e : 1
  }
  return indexes
}

/** Whether an entry spans a whole contract, like the function dispatcher. */
function isWholeContract(text: string, { start }: MapEntry): boolean {
  return /^\s*(abstract\s+)?(contract|library|interface)\b/.test(text.slice(start, start + 40))
}
