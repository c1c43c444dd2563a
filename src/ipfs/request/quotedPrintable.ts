import { TimeSlice } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { goQuote } from '../text/goQuote.js'

/** Lines decoded between two yields. */
const LINES_AT_ONCE = 512
/** Longest line that Go reads (`bufio.Reader`). */
const MAX_LINE_LENGTH = 4096
const [newline, carriageReturn, tab, space, tilde] = [0x0a, 0x0d, 0x09, 0x20, 0x7e]
const EQUALS_SIGN = 0x3d

/**
 * Decodes quoted-printable content (RFC 2045) by the rules of Go (`mime/quotedprintable`), with which Kubo reads a part
 * that has this transfer encoding.
 *
 * @throws {@link FileNetworkError} with Go's text, after yielding what precedes the fault
 */
export async function* decodeQuotedPrintable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const slice = new TimeSlice()
  let rest = Buffer.alloc(0)
  for await (const bytes of source) {
    rest = Buffer.concat([rest, bytes])
    let output = new DecodedLines()
    let lines = 0
    for (let end = endOfLine(rest); end > 0 && output.fault === undefined; end = endOfLine(rest)) {
      output.add(rest.subarray(0, end), { isLast: false })
      rest = rest.subarray(end)
      if (++lines % LINES_AT_ONCE !== 0) continue
      yield* output.take()
      output = new DecodedLines()
      await slice.pause()
    }
    yield* output.take()
  }
  const output = new DecodedLines()
  output.add(rest, { isLast: true })
  yield* output.take()
}

/** Returns the index after the first line's newline; 0 if the line is incomplete. */
function endOfLine(bytes: Buffer): number {
  const end = bytes.subarray(0, MAX_LINE_LENGTH).indexOf(newline) + 1
  return end === 0 && bytes.length > MAX_LINE_LENGTH ? MAX_LINE_LENGTH : end
}

class DecodedLines {
  fault: string | undefined
  readonly #bytes: number[] = []

  /** @param options.isLast - whether the content ends with the line */
  add(line: Buffer, { isLast }: { isLast: boolean }): void {
    const isWhole = isLast || line.at(-1) === newline
    let end = line.length
    while (end > 0 && [newline, carriageReturn, tab, space].includes(line[end - 1] as number)) end--
    const rest = line
      .subarray(end)
      .toString('latin1')
      .replace(/^[\t ]+/, '')
    if (line[end - 1] === EQUALS_SIGN) {
      this.#decode(line.subarray(0, end - 1))
      const isSoftBreak = /^\r?\n/.test(rest) || (rest === '' && end > 1 && isLast)
      if (!isSoftBreak) this.fault ??= `quotedprintable: invalid bytes after =: ${goQuote(rest)}`
    } else {
      this.#decode(line.subarray(0, end))
      if (rest.endsWith('\n') && this.fault === undefined) {
        if (rest.endsWith('\r\n')) this.#bytes.push(carriageReturn)
        this.#bytes.push(newline)
      }
    }
    if (!isWhole) this.fault ??= 'bufio: buffer full'
  }

  *take(): Generator<Uint8Array> {
    if (this.#bytes.length > 0) yield Uint8Array.from(this.#bytes)
    if (this.fault !== undefined) throw new FileNetworkError(this.fault)
  }

  #decode(line: Buffer): void {
    for (let index = 0; index < line.length; index++) {
      const byte = line[index] as number
      const digits = byte === EQUALS_SIGN ? line.toString('latin1', index + 1, index + 3) : ''
      if (/^[0-9a-f]{2}$/i.test(digits)) {
        this.#bytes.push(Number.parseInt(digits, 16))
        index += 2
      } else if (byte > tilde && byte < 0x80) return this.#refuse(byte)
      else if (byte < space && byte !== tab && byte !== carriageReturn) return this.#refuse(byte)
      else this.#bytes.push(byte)
    }
  }

  #refuse(byte: number): void {
    const digits = byte.toString(16).padStart(2, '0')
    this.fault ??= `quotedprintable: invalid unescaped byte 0x${digits} in body`
  }
}
