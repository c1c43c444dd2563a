import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { carSection, encodeCarHeader } from '../../src/ipfs/dag/car.js'
import { type FileNetwork, createFileNetwork } from '../../src/ipfs/index.js'
import { countTurns, endEverySlice, maxPerTurn } from '../support/turns.js'
import { type FormFile, form } from './support.js'

/** Files, chunks or blocks of an upload. */
const count = 600
/**
 * A slice is five clock reads, or six if the turn had already begun; the piece after it may be read before the
 * next.
 */
const maxPieces = 14

let directory: string
let network: FileNetwork

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'file-turns-'))
  network = await createFileNetwork({ directory })
})

afterEach(async () => {
  await network.close()
  await rm(directory, { recursive: true })
})

async function post(
  request: string,
  body: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
): Promise<string> {
  const [operation = '', query = ''] = request.split('?')
  const { signal } = new AbortController()
  const parameters = new URLSearchParams(query)
  return textOf(await network.execute({ operation, query: parameters, headers, body, signal }))
}

async function textOf({ body }: { body: AsyncIterable<Uint8Array> | Uint8Array }): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const bytes of body) text += Buffer.from(bytes).toString()
  return text
}

/** Posts an upload with all pieces available. @returns the most pieces taken in one turn */
async function piecesPerTurn(
  request: string,
  pieces: Uint8Array[],
  headers: Record<string, string>,
): Promise<number> {
  let answer = ''
  const longest = await maxPerTurn(pieces, async (body) => {
    answer = await post(request, body, headers)
  })
  expect(answer).toMatch(/"(Hash|Root)":/)
  return longest
}

/** The same with one piece per file of the form. */
async function mostFiles(request: string, files: FormFile[]): Promise<number> {
  const whole = form(files)
  const pieces = cutBefore(Buffer.from(whole.body), '--test-boundary')
  expect(pieces).toHaveLength(files.length + 1)
  return piecesPerTurn(request, pieces, whole.headers)
}

function cutBefore(bytes: Buffer, mark: string): Buffer[] {
  const pieces: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const next = bytes.indexOf(mark, start + 1)
    const end = next < 0 ? bytes.length : next
    pieces.push(bytes.subarray(start, end))
    start = end
  }
  return pieces
}

function cutEvery(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(length * index, length * (index + 1)),
  )
}

function files(name: (index: number) => string, rest: Partial<FormFile> = {}): FormFile[] {
  return Array.from({ length: count }, (_, index) => ({
    name: name(index),
    content: `file ${index}`,
    ...rest,
  }))
}

describe('other requests have their turn', () => {
  it('between the files of a directory', async () => {
    const longest = await mostFiles(
      'add',
      files((index) => `d/${index}`),
    )
    expect(longest).toBeLessThan(maxPieces)
  })

  it('between files without a directory, even if nothing is stored', async () => {
    const longest = await mostFiles(
      'add?only-hash=true',
      files((index) => `${index}`),
    )
    expect(longest).toBeLessThan(maxPieces)
  })

  it('between directories without files', async () => {
    const longest = await mostFiles(
      'add',
      files((index) => `d/${index}`, { type: 'application/x-directory', content: '' }),
    )
    expect(longest).toBeLessThan(maxPieces)
  })

  it.each(['size-64', 'rabin-min:32-avg:64-max:96'])('between the chunks of a file, %s', async (chunker) => {
    const { body, headers } = form([
      { name: 'f', content: 'content that is here at once. '.repeat(2 * count) },
    ])
    const pieces = cutEvery(body, 64)
    expect(await piecesPerTurn(`add?chunker=${chunker}`, pieces, headers)).toBeLessThan(maxPieces)
  })

  it('between the blocks of a CAR, new and existing ones', async () => {
    const cids: CID[] = []
    const sections: Uint8Array[] = []
    for (let index = 0; index < count; index++) {
      const bytes = Buffer.from(`block ${index}`)
      const cid = CID.createV1(raw.code, await sha256.digest(bytes))
      cids.push(cid)
      sections.push(...carSection(cid, bytes))
    }
    const car = Buffer.concat([encodeCarHeader(cids[0] as CID), ...sections])
    const { body, headers } = form([{ name: 'c', content: car }])
    const pieces = cutEvery(body, (sections[0] as Uint8Array).length)
    expect(await piecesPerTurn('dag/import', pieces, headers)).toBeLessThan(maxPieces)
    expect(await piecesPerTurn('dag/import', pieces, headers)).toBeLessThan(maxPieces)
  })

  it('between the entries of a directory page', async () => {
    const { body, headers } = form(files((index) => `d/${index}`))
    const added = await post('add', oneByOne([Buffer.from(body)]), headers)
    const cid = /"Name":"d","Hash":"(\w+)"/.exec(added)?.[1]
    endEverySlice()
    let page = ''
    const turns = await countTurns(async () => {
      const { signal } = new AbortController()
      const query = new URLSearchParams()
      const request = { method: 'GET', path: `/ipfs/${cid}/`, query, search: '', headers: {}, signal }
      page = await textOf(await network.gateway.handle(request))
    })
    vi.restoreAllMocks()
    expect(page.match(/<tr>/g)).toHaveLength(count)
    expect(turns).toBeGreaterThan(2 * count)
  })
})

async function* oneByOne(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
