import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache')
let directory: string
let traced: Record<string, string[]>
let architecture: string

beforeAll(async () => {
  const sources = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/\.(test|bench|d)\.ts$/.test(name),
  )
  await mkdir(cache, { recursive: true })
  // Inside node_modules, so that packages can be resolved.
  directory = await mkdtemp(join(cache, 'traced-'))
  await copyFile(join(root, 'package.json'), join(directory, 'package.json'))
  await build({
    entryPoints: sources.map((name) => join(root, 'src', name)),
    outdir: join(directory, 'src'),
    outbase: join(root, 'src'),
    format: 'esm',
    logLevel: 'error',
  })
  const trace = join(import.meta.dirname, 'support/traceRequests.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [trace, join(directory, 'src')], {
    maxBuffer: 1 << 24,
  })
  traced = JSON.parse(stdout) as Record<string, string[]>
  architecture = await readFile(join(root, 'docs/architecture.md'), 'utf8')
}, 300_000)
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Returns the files of src/ named in the table of a chapter. */
function filesOfChapter(title: string): string[] {
  const [, chapter = ''] = architecture.split(`### \`${title}\`\n`)
  const [text = ''] = chapter.split(/\n##/)
  return [...text.matchAll(/^\| `([\w/.]+\.ts)` +\|/gm)].map(([, name = '']) => name)
}

// The files that a reader follows from the socket and back. Never raise the numbers.
describe.each([
  ['eth_getProof', 35],
  ['eth_sendRawTransaction', 80],
  ['/api/v0/add', 40],
])('%s', (name, most) => {
  test(`runs code of at most ${most} files`, () => {
    const files = traced[name] ?? []
    expect(files.length).toBeGreaterThan(20)
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most)
  })

  test('runs every file that docs/architecture.md lists', () => {
    const listed = filesOfChapter(name)
    const files = new Set(traced[name])
    expect(listed.length).toBeGreaterThan(20)
    expect(listed.filter((file) => !files.has(file))).toEqual([])
  })

  test('is listed completely in docs/architecture.md', () => {
    const listed = new Set(filesOfChapter(name))
    expect((traced[name] ?? []).filter((file) => !listed.has(file))).toEqual([])
  })
})
