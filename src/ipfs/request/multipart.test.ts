import { describe, expect, it } from 'vitest'
import { parseMediaType, readMultipart } from './multipart.js'

const body = Buffer.from(
  'preamble\r\n--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain\r\n\r\none\r\n--x' +
    '\r\nA:\r\n b\r\n\r\n--xy\r\n\r\n--\r\r\n--x  \r\n\r\nbare\r\n--x--\r\nepilogue',
)

async function parts(pieces: Uint8Array[]): Promise<[Record<string, string>, string][]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* pieces
  }
  const found: [Record<string, string>, string][] = []
  const reader = readMultipart(source(), 'x')
  for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
    const content: Uint8Array[] = []
    for await (const bytes of part.content) content.push(Uint8Array.from(bytes))
    found.push([Object.fromEntries(part.headers), Buffer.concat(content).toString()])
  }
  return found
}

const expected = [
  [{ 'content-disposition': 'form-data; name="a"', 'content-type': 'text/plain' }, 'one'],
  [{ a: 'b' }, '--xy\r\n\r\n--\r'],
  [{}, 'bare'],
]

describe('readMultipart', () => {
  it('finds the same parts wherever the body is split', async () => {
    expect(await parts([body])).toEqual(expected)
    for (let cut = 1; cut < body.length; cut++) {
      expect(await parts([body.subarray(0, cut), body.subarray(cut)]), `cut at ${cut}`).toEqual(expected)
    }
    expect(await parts([...body].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('rejects a body that ends before its last boundary', async () => {
    const end = body.indexOf('--x--')
    await expect(parts([])).rejects.toThrow('multipart: NextPart: EOF')
    await expect(parts([body.subarray(0, end - 3)])).rejects.toThrow('unexpected EOF')
    await expect(parts([body.subarray(0, end + 2)])).rejects.toThrow('unexpected EOF')
  })

  it('decodes content in quoted-printable, wherever the body is split', async () => {
    const head = '--x\r\nContent-Transfer-Encoding: Quoted-Printable\r\n\r\n'
    const quoted = Buffer.from(`${head}a=3Db=\r\nc=zz \t\r\n=c3=A9=\n\nd=\r\n--x--\r\n`)
    const found = [[{ 'content-transfer-encoding': 'Quoted-Printable' }, 'a=bc=zz\r\né\nd']]
    for (let cut = 1; cut < quoted.length; cut++) {
      expect(await parts([quoted.subarray(0, cut), quoted.subarray(cut)]), `cut at ${cut}`).toEqual(found)
    }
    const decoding = (content: string): Promise<unknown> => parts([Buffer.from(`${head}${content}\r\n--x--`)])
    // Go's message.
    await expect(decoding('a\0')).rejects.toThrow('quotedprintable: invalid unescaped byte 0x00 in body')
    await expect(decoding('=')).rejects.toThrow('quotedprintable: invalid bytes after =: ""')
    await expect(decoding('x'.repeat(4097))).rejects.toThrow('bufio: buffer full')
  })

  it('drops a part whose headers are cut off, like Go', async () => {
    expect(await parts([body.subarray(0, 40)])).toEqual([])
  })

  it('skips the unread rest of a part', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield body
    }
    const reader = readMultipart(source(), 'x')
    let count = 0
    while ((await reader.next()) !== undefined) count++
    expect(count).toBe(3)
  })
})

/** Results of `mime.ParseMediaType` in Go 1.26: parameters, or the error. */
const mediaTypes: [text: string, result: string | Record<string, string>][] = [
  [
    'Form-Data; name=plain; filename="a \\"b\\"; c\\d.txt"; filename*=utf-8\'\'%e2%82%ac',
    { filename: '€', name: 'plain' },
  ],
  ['x; filename="a \\"b\\"; c\\d.txt"', { filename: 'a "b"; c\\d.txt' }],
  ['form-data; name=file; filename=a; filename=b', 'mime: duplicate parameter name'],
  ['form-data; name=file; filename=a; filename=a', { filename: 'a', name: 'file' }],
  ['form-data; name="file"; filename=a b', 'mime: invalid media parameter'],
  ['form-data; name="file"; filename="open', 'mime: invalid media parameter'],
  ['form-data; name="file"; filename="a\\"', 'mime: invalid media parameter'],
  ['form-data; name="file";', { name: 'file' }],
  ['form-data ; NAME = "x" ', { name: 'x' }],
  ['form-data; name', 'mime: invalid media parameter'],
  ['form-data; name=', 'mime: invalid media parameter'],
  ['form-data; name=""', { name: '' }],
  ['form-data;; name=x', 'mime: invalid media parameter'],
  ['', 'mime: no media type'],
  [' ', 'mime: no media type'],
  ['text/', 'mime: expected token after slash'],
  ['/plain', 'mime: no media type'],
  ['text plain', 'mime: expected slash after first token'],
  ['text/plain/x', 'mime: unexpected content after media subtype'],
  ['nonsense', {}],
  ['text/plain; charset=utf-8; x=é', 'mime: invalid media parameter'],
  ['a; x*0="one"; x*1=" two"; x*2*=%20three', { x: 'one two three' }],
  ["a; x*0*=us-ascii'en'%41; x*1=b", { x: 'Ab' }],
  ["a; x*=latin1''%e9; x=plain", { x: 'plain' }],
  ["a; x*=utf-8''%zz; x=plain", { x: 'plain' }],
  ['a; x*1=late', {}],
  ['a; x="tab\tin"', { x: 'tab\tin' }],
  ['a; x="é"', { x: 'é' }],
]

describe('parseMediaType', () => {
  it.each(mediaTypes)('parses %j like Go', (text, result) => {
    const read = (): unknown => Object.fromEntries(parseMediaType(text).parameters)
    if (typeof result === 'string') expect(read).toThrow(result)
    else expect(read()).toEqual(result)
  })
})
