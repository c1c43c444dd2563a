import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormFile, type TestNetwork, form, keyStream, lines, startNetwork } from './support.js'

interface Vector {
  id: string
  kind: 'file' | 'dir' | 'block'
  input: string
  params: string
  cid: string
  size?: string
}

const folder = process.env['STANDIN_CONFORMANCE'] ?? join(import.meta.dirname, '../../../shared/conformance')
const path = join(folder, 'unixfs-vectors.json')
const vectors = existsSync(path)
  ? (JSON.parse(readFileSync(path, 'utf8')) as { vectors: Vector[] }).vectors
  : []
const alphabet = 'abcdefghijklmnopqrstuvwxyz01234567890-_'
/** Vectors of 1 GiB take a minute and a gigabyte; `STANDIN_SLOW_TESTS=1` runs them. */
const runsSlow = process.env['STANDIN_SLOW_TESTS'] === '1'
const isSlow = (vector: Vector): boolean => vector.id.includes('1 GiB')

let usual: TestNetwork
let modern: TestNetwork

beforeAll(async () => {
  usual = await startNetwork()
  modern = await startNetwork({ importProfile: 'unixfs-v1-2025' })
})

afterAll(async () => {
  await usual.stop()
  await modern.stop()
})

function contentOf(input: string): Buffer {
  const zeros = /^(\d+) (?:zero )?bytes$/.exec(input)
  if (zeros) return Buffer.alloc(Number(zeros[1]))
  const stream = /^(\d+) bytes of ChaCha20\(key=sha256\("([^"]+)"\)/.exec(input)
  if (stream) return keyStream(stream[2] ?? '', Number(stream[1]))
  const text = /"((?:[^"\\]|\\.)*)"/.exec(input)
  if (text) return Buffer.from(JSON.parse(`"${text[1]}"`) as string)
  throw new Error(`no rule for the input ${input}`)
}

function directoryOf({ id, input }: Vector): FormFile[] {
  if (id.startsWith('empty-dir')) return [{ name: 'd', type: 'application/x-directory' }]
  const many = /^(\d+) files, content "x", .* len (\d+), last (\d+), seed (\S+)$/.exec(input)
  if (many) {
    const [, count = '', length = '', last = '', seed = ''] = many
    return manyFiles({ count: Number(count), length: Number(length), last: Number(last), seed })
  }
  const single = /\{([^:]+): ?(.*)\}/.exec(input)
  if (single === null) throw new Error(`no rule for the input ${input}`)
  const prefix = input.includes('wrap-with-directory') ? '' : 'd/'
  return [{ name: prefix + single[1], content: contentOf(single[2] ?? '') }]
}

function manyFiles(options: { count: number; length: number; last: number; seed: string }): FormFile[] {
  const { count, length, last, seed } = options
  const stream = keyStream(seed, count * Math.max(length, last))
  let position = 0
  return Array.from({ length: count }, (_, index) => {
    const size = index === count - 1 ? last : length
    const name = [...stream.subarray(position, position + size)].map((byte) => alphabet[byte % 39]).join('')
    position += size
    return { name: `d/${name}`, content: 'x' }
  })
}

async function addVector(vector: Vector): Promise<Record<string, unknown> | undefined> {
  const isModern = vector.params.includes('unixfs-v1-2025')
  const query = /^[a-z-]+=[^ ]+/.exec(vector.params)?.[0] ?? ''
  const { body, headers } =
    vector.kind === 'dir'
      ? form(directoryOf(vector))
      : form([{ name: 'file', content: contentOf(vector.input) }])
  const operation = vector.input.startsWith('block/put') ? 'block/put' : 'add'
  const response = await (isModern ? modern : usual).post(
    `${operation}?${isModern ? '' : query}`,
    body as Uint8Array<ArrayBuffer>,
    headers,
  )
  return (await lines(response)).at(-1)
}

describe.skipIf(vectors.length === 0)('known answers of Kubo (skipped without the public vectors)', () => {
  for (const vector of vectors) {
    it.skipIf(isSlow(vector) && !runsSlow)(vector.id, { timeout: 300_000 }, async () => {
      const added = await addVector(vector)
      expect(added?.['Hash'] ?? added?.['Key']).toBe(vector.cid)
      if (vector.size !== undefined) expect(added?.['Size']).toBe(vector.size)
    })
  }
})
