import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommand, stopCommand } from '../support/command.js'
import { callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'

const execute = promisify(execFile)
const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
let folder: string
let tarball: string
let consumer: string

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await execute('npm', [...args], { cwd, maxBuffer: 2 ** 26 })
  return stdout
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-package-'))
  await npm(['pack', '--silent', '--pack-destination', folder], process.cwd())
  const [name = ''] = await readdir(folder)
  tarball = join(folder, name)
  consumer = join(folder, 'consumer')
  await mkdir(consumer)
  await writeFile(join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}')
  await npm(['install', ...quietly, tarball, '@types/node@20'], consumer)
}, 300_000)

afterAll(async () => {
  await removeFromNpxCache()
  await rm(folder, { recursive: true, force: true })
})

/** Removes what npx installed into npm's cache, since its tarball is about to be deleted. */
async function removeFromNpxCache() {
  const cache = join((await npm(['config', 'get', 'cache'], process.cwd())).trim(), '_npx')
  for (const name of await readdir(cache).catch(() => [])) {
    const manifest = await readFile(join(cache, name, 'package.json'), 'utf8').catch(() => '')
    if (manifest.includes(folder)) await rm(join(cache, name), { recursive: true, force: true })
  }
}

const word = (digits: string): string => digits.padStart(64, '0')
/** The point at infinity: commitment to the zero polynomial (EIP-4844). */
const infinity = `c0${'00'.repeat(47)}`
const versionedHash = `01${createHash('sha256').update(Buffer.from(infinity, 'hex')).digest('hex').slice(2)}`
const callOf = (address: string, data: string, answer: string) => ({
  method: 'eth_call',
  params: [{ to: `0x${address.padStart(40, '0')}`, data }, 'latest'] as unknown[],
  answer,
})
/** Calls that load libraries not loaded at startup. */
const rare = [
  // Twice the generator of BN254 (EIP-196).
  callOf(
    '6',
    `0x${[word('1'), word('2'), word('1'), word('2')].join('')}`,
    '0x030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd315ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4',
  ),
  // The sum of two points at infinity of BLS12-381 (EIP-2537).
  callOf('b', `0x${'00'.repeat(256)}`, `0x${'00'.repeat(128)}`),
  // FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS.
  callOf(
    'a',
    `0x${versionedHash}${'00'.repeat(64)}${infinity}${infinity}`,
    `0x${word('1000')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
  ),
  {
    method: 'debug_traceCall',
    params: [
      { to: `0x${'11'.repeat(20)}` },
      'latest',
      { tracer: '{ fault() {}, result() { return "42" } }' },
    ],
    answer: '42',
  },
]

describe('the package', () => {
  it('contains only the files that run or must be read', async () => {
    const { stdout } = await execute('tar', ['-tzf', tarball])
    const names = stdout.trim().split('\n')
    for (const name of [
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'bin/standin.js',
      'bin/heapGrowth.js',
      'bin/quietMoment.js',
      'bin/tierUp.js',
      'dist/cli.cjs',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/index.d.ts',
      'dist/page/index.html',
    ]) {
      expect(names).toContain(`package/${name}`)
    }
    const allowed =
      /^package\/(LICENSE|README\.md|CHANGELOG\.md|package\.json|action\/(action\.yml|start\.sh)|bin\/((standin|heapGrowth|quietMoment|tierUp)\.js|package\.json)|dist\/THIRD-PARTY-LICENSES\.txt|dist\/page\/(index\.html|icon\.svg|LICENSES\.md|assets\/[\w-]+\.(js|css))|dist\/libraries\/quickjs\.wasm|dist\/[^.].*\.(c?js|d\.c?ts))$/
    expect(names.filter((name) => !allowed.test(name))).toEqual([])
  })

  it('has few dependencies, and its declarations import no bundled package', async () => {
    const installed = JSON.parse(
      await readFile(join(consumer, 'node_modules/.package-lock.json'), 'utf8'),
    ) as { packages: Record<string, unknown> }
    const ofConsumer = ['@types/node', 'undici-types'].map((name) => `node_modules/${name}`)
    const names = Object.keys(installed.packages).filter((path) => !ofConsumer.includes(path))
    expect(names.length).toBeLessThanOrEqual(30)
    const files = await readdir(join(consumer, 'node_modules/standin/dist'), { recursive: true })
    const declarations = files.filter((name) => /\.d\.c?ts$/.test(name))
    const imported = new Set<string>()
    for (const name of declarations) {
      const text = await readFile(join(consumer, 'node_modules/standin/dist', name), 'utf8')
      for (const [, from = ''] of text.matchAll(/^(?:import|export) .* from '([^.][^']*)'/gm))
        imported.add(from)
    }
    const peers = ['@playwright/test', 'vitest', 'vitest/node']
    expect([...imported].filter((name) => !name.startsWith('node:')).sort()).toEqual(peers)
  })

  it('can be imported, and its node answers', async () => {
    const program = `import { createNode } from 'standin'
const node = await createNode({ port: 0, ipfsPort: 0 })
console.log(await node.request('eth_chainId', []))
await node.stop()`
    await writeFile(join(consumer, 'program.js'), program)
    const { stdout, stderr } = await execute(process.execPath, ['program.js'], { cwd: consumer })
    expect(stdout.trim()).toBe('0x7a69')
    expect(stderr).toBe('')
  })

  it('keeps rarely needed code in separate files', async () => {
    // The JavaScript KZG library replaces the native one.
    await rm(join(consumer, 'node_modules/@crate-crypto'), { recursive: true, force: true })
    const program = `import { createNode } from 'standin'
const calls = ${JSON.stringify(rare.map(({ method, params }) => [method, params]))}
const node = await createNode({ tls: true })
const answers = []
for (const [method, params] of calls) answers.push(await node.request(method, params))
console.log(JSON.stringify(answers))
await node.stop()`
    await writeFile(join(consumer, 'rare.js'), program)
    const { stdout, stderr } = await execute(process.execPath, ['rare.js'], { cwd: consumer })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(rare.map(({ answer }) => answer))
    const entry = join(consumer, 'node_modules/standin/bin/standin.js')
    const command = await startCommand([], { entry })
    for (const { method, params, answer } of rare) {
      expect(await callRpc(command.ready.url, method, params)).toEqual(answer)
    }
    await stopCommand(command)
  }, 300_000)

  it('type-checks without skipLibCheck', async () => {
    const program = `import { createNode } from 'standin'
const node = await createNode({ port: 0, blockTime: 1 })
const url: string = node.url
const keys: string[] = node.accounts.map(({ privateKey }) => privateKey)
const answer: unknown = await node.request('eth_chainId', [])
// @ts-expect-error a port is a number
await createNode({ port: 'http' })
await node.stop()
export { url, keys, answer }`
    const settings = {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: false,
        target: 'ES2023',
        lib: ['ES2023', 'ESNext.Disposable'],
        module: 'NodeNext',
        types: ['node'],
      },
      files: ['program.ts'],
    }
    await writeFile(join(consumer, 'program.ts'), program)
    await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify(settings))
    const tsc = createRequire(resolve('package.json')).resolve('typescript/bin/tsc')
    const { stdout } = await execute(process.execPath, [tsc, '-p', consumer]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  }, 300_000)

  it('starts with npx in an empty directory', async () => {
    const empty = join(folder, 'empty')
    await mkdir(empty)
    // npx would run an absolute path as a program, so the package is named by a relative one.
    await copyFile(tarball, join(empty, basename(tarball)))
    const args = [
      '--yes',
      '--prefer-offline',
      `./${basename(tarball)}`,
      '--json',
      '--port',
      '0',
      '--ipfs-port',
      '0',
    ]
    const child = spawn('npx', args, { cwd: empty, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await until(() => output.includes('\n') || child.exitCode !== null)
    const { url } = JSON.parse(output) as { url: string }
    expect(await callRpc(url, 'eth_chainId', [])).toBe('0x7a69')
    const closed = once(child, 'close')
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await closed
  }, 300_000)
})
