import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { buildCommand, startCommand, stopCommand } from '../support/command.js'
import { until } from '../support/until.js'

/** The compressed point at infinity: commitment to the zero polynomial, and its proof. */
const infinity = `c0${'00'.repeat(47)}`
const hash = createHash('sha256').update(Buffer.from(infinity, 'hex')).digest('hex')
/** Input of the point evaluation precompile (EIP-4844): versioned hash, z, y, commitment, proof. */
const zeroEverywhere = `0x01${hash.slice(2)}${'00'.repeat(64)}${infinity}${infinity}`
/** Output of the precompile: FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS. */
const answer = `0x${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`

beforeAll(async () => {
  await buildCommand()
  // The first line names the build; code caches of earlier builds may lie beside it.
  const [line = ''] = (await readFile('dist/cli.cjs', 'latin1')).split('\n', 1)
  const prefix = `.compiled-${line.slice(2).trim()}-${process.version}-`
  const isKept = async () => (await readdir('dist')).some((name) => name.startsWith(prefix))
  const first = await startCommand()
  await until(isKept)
  await stopCommand(first)
})

let directory: string | undefined

afterEach(async () => {
  if (directory !== undefined) await rm(directory, { recursive: true })
  directory = undefined
})

/** Copies the command without its code cache. */
async function copyCommand(): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), 'standin-kept-code-'))
  await cp('bin', join(directory, 'bin'), { recursive: true })
  await cp('package.json', join(directory, 'package.json'))
  await cp('dist/cli.cjs', join(directory, 'dist/cli.cjs'))
  await cp('dist/libraries', join(directory, 'dist/libraries'), { recursive: true })
  await symlink(resolve('node_modules'), join(directory, 'node_modules'))
  return directory
}

function evaluate(url: string): Promise<unknown> {
  const to = `0x${'0a'.padStart(40, '0')}`
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to, data: zeroEverywhere }, 'latest'] }
  return new Promise((settle, fail) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', headers, rejectUnauthorized: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => settle((JSON.parse(text) as { result: unknown }).result))
    })
    sent.on('error', fail).end(JSON.stringify(call))
  })
}

test('a node started from the code cache can load unbundled modules, for certificates and blobs', async () => {
  const command = await startCommand(['--tls'])
  try {
    expect(command.ready.url).toMatch(/^https:/)
    expect(await evaluate(command.ready.url)).toBe(answer)
    expect(command.stderr()).not.toContain('Warning')
  } finally {
    await stopCommand(command)
  }
})

test('the code cache is written when idle, with the code used until then', async () => {
  const copy = await copyCommand()
  const entry = join(copy, 'bin/standin.js')
  const cacheFile = async () => {
    // Ignores a draft, whose name ends with a process id.
    const name = (await readdir(join(copy, 'dist'))).find((each) => /^\.compiled-.*-[^.]+$/.test(each))
    return name === undefined ? undefined : stat(join(copy, 'dist', name))
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data: '0x5b5f56' }] }
  const headers = { 'content-type': 'application/json' }
  const busy = await startCommand([], { entry })
  const started = performance.now()
  // A loop that runs out of gas keeps the node busy most of the time.
  while (performance.now() - started < 2500) {
    const answer = await fetch(busy.ready.url, { method: 'POST', headers, body: JSON.stringify(call) })
    expect(await answer.json()).toMatchObject({ error: { message: 'out of gas' } })
    expect(await cacheFile()).toBeUndefined()
  }
  await until(async () => (await cacheFile()) !== undefined)
  await stopCommand(busy)
  const used = await cacheFile()

  const again = await startCommand([], { entry })
  await sleep(2000)
  await stopCommand(again)
  expect((await cacheFile())?.mtimeMs).toBe(used?.mtimeMs)

  await rm(join(copy, 'dist'), { recursive: true })
  await cp('dist/cli.cjs', join(copy, 'dist/cli.cjs'))
  const idle = await startCommand([], { entry })
  await until(async () => (await cacheFile()) !== undefined)
  await stopCommand(idle)
  expect(used?.size).toBeGreaterThan(((await cacheFile())?.size ?? 0) + 10_000)
})

test('the code for files and web pages is loaded on first use', async () => {
  // It needs Node's web Request and Response classes, which take 50 ms to load.
  const report = "process.on('exit', () => console.error(process.moduleLoadList.join(' ')))"
  const environment = { NODE_OPTIONS: `--import ${encodeURI(`data:text/javascript,${report}`)}` }
  const loads = async (ask: (url: string) => Promise<unknown>): Promise<boolean> => {
    const command = await startCommand([], { environment })
    await ask(command.ready.url)
    await stopCommand(command)
    expect(command.stderr()).toContain('NativeModule http')
    return command.stderr().includes('undici')
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const headers = { 'content-type': 'application/json' }
  expect(await loads((url) => fetch(url, { method: 'POST', headers, body }))).toBe(false)
  expect(await loads((url) => fetch(new URL('/_standin/health', url)))).toBe(true)
})
