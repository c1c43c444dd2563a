import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bodiesDirectory, BodySink } from './bodies.js'
import { CassetteWriter } from './cassetteWriter.js'
import { linePrefix } from './entry.js'
import { diffCassettes, pruneCassette, showCassette } from './inspect.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassette-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Records results of eth_call, one per address. */
async function record(name: string, results: Readonly<Record<string, string>>): Promise<string> {
  const path = join(directory, name)
  const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
  for (const [to, result] of Object.entries(results))
    await writer.add(
      linePrefix(['rpc', 'local', 'eth_call', [{ to }]]),
      { resultText: JSON.stringify(result) },
      1,
    )
  await writer.close()
  return path
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

it('shows the recorded entries with their lines', async () => {
  expect(await collect(showCassette(await record('a', { '0xbb': '0x2', '0xaa': '0x1' }), 'eth_*'))).toEqual([
    '2: local eth_call [{"to":"0xaa"}] → "0x1"',
    '3: local eth_call [{"to":"0xbb"}] → "0x2"',
  ])
})

it('reports the differences between two recordings', async () => {
  const first = await record('a', { '0xaa': '0x1', '0xbb': '0x2', '0xcc': '0x3' })
  const second = await record('b', { '0xaa': '0x1', '0xbb': '0x9', '0xdd': '0x4' })
  expect(await collect(diffCassettes(first, second))).toEqual([
    '- local eth_call [{"to":"0xbb"}] → "0x2"',
    '+ local eth_call [{"to":"0xbb"}] → "0x9"',
    '- local eth_call [{"to":"0xcc"}] → "0x3"',
    '+ local eth_call [{"to":"0xdd"}] → "0x4"',
  ])
})

it('removes entries by method, and bodies that no entry names afterwards', async () => {
  const path = join(directory, 'files')
  const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
  const sink = new BodySink(path)
  sink.write(Uint8Array.of(0xff, 0xfe))
  const { body } = sink.end()
  await writer.add(
    linePrefix(['files', 'POST /api/v0/cat?arg=x', {}, '']),
    { http: { status: 200, headers: {}, body: body! } },
    1,
  )
  await writer.add(linePrefix(['rpc', 'local', 'eth_chainId', []]), { resultText: '"0x1"' }, 1)
  await writer.close()
  expect(await pruneCassette(path, undefined)).toEqual({ entries: 0, bodies: 0 })
  expect(await pruneCassette(path, 'cat')).toEqual({ entries: 1, bodies: 1 })
  expect(existsSync(join(bodiesDirectory(path), body!))).toBe(false)
  expect(await collect(showCassette(path, '*'))).toEqual(['2: local eth_chainId [] → "0x1"'])
})
