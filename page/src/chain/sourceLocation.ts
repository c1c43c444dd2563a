import type { ContractSource } from './contracts.js'

/** A place in a source text. */
export interface SourceLocation {
  path: string
  text: string
  /** From 1. */
  line: number
  lastLine: number
}

/** An entry of a source map: where the text of an instruction begins, how long it is, and in which file. */
interface MapEntry {
  start: number
  length: number
  file: number
}

/**
 * The place in the source of the newest step that has one: instructions that the compiler adds, as its checks of
 * arithmetic, belong to no file.
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

/** Decompresses a source map: what is left out of an entry is as in the one before (Solidity, "Source Mappings"). */
export function readSourceMap(map: string): MapEntry[] {
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

/** The index of the instruction at each program counter: data of PUSH takes counters and no index. */
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

/** The dispatcher of functions has the text of the whole contract. */
function isWholeContract(text: string, { start }: MapEntry): boolean {
  return /^\s*(abstract\s+)?(contract|library|interface)\b/.test(text.slice(start, start + 40))
}
