import { describe, expect, it } from 'vitest'
import { parseParameterized, readMultipart } from './multipart.js'

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
  it('finds the same parts wherever the body is cut', async () => {
    expect(await parts([body])).toEqual(expected)
    for (let cut = 1; cut < body.length; cut++) {
      expect(await parts([body.subarray(0, cut), body.subarray(cut)]), `cut at ${cut}`).toEqual(expected)
    }
    expect(await parts([...body].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('refuses a body that ends before its last boundary', async () => {
    const end = body.indexOf('--x--')
    await expect(parts([])).rejects.toThrow('multipart: NextPart: EOF')
    await expect(parts([body.subarray(0, end - 3)])).rejects.toThrow('unexpected EOF')
    await expect(parts([body.subarray(0, end + 2)])).rejects.toThrow('unexpected EOF')
  })

  it('has no part whose headers are cut, as in Go', async () => {
    expect(await parts([body.subarray(0, 40)])).toEqual([])
  })

  it('skips what of a part was not read', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield body
    }
    const reader = readMultipart(source(), 'x')
    let count = 0
    while ((await reader.next()) !== undefined) count++
    expect(count).toBe(3)
  })
})

describe('parseParameterized', () => {
  it('reads quoted, escaped and extended parameters', () => {
    const { value, parameters } = parseParameterized(
      String.raw`Form-Data; name=plain; filename="a \"b\"; c\d.txt"; filename*=utf-8''%e2%82%ac`,
    )
    expect(value).toBe('form-data')
    expect(parameters.get('name')).toBe('plain')
    expect(parameters.get('filename')).toBe('€')
    expect(parseParameterized(String.raw`x; filename="a \"b\"; c\d.txt"`).parameters.get('filename')).toBe(
      String.raw`a "b"; c\d.txt`,
    )
  })
})
