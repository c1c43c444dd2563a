import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'

const execute = promisify(execFile)
const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
let folder: string
let tarball: string
let consumer: string

async function npm(words: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await execute('npm', [...words], { cwd, maxBuffer: 2 ** 26 })
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

/** npx keeps what it has run from in npm's cache; the tarball it was made from is about to go. */
async function removeFromNpxCache() {
  const cache = join((await npm(['config', 'get', 'cache'], process.cwd())).trim(), '_npx')
  for (const name of await readdir(cache).catch(() => [])) {
    const manifest = await readFile(join(cache, name, 'package.json'), 'utf8').catch(() => '')
    if (manifest.includes(folder)) await rm(join(cache, name), { recursive: true, force: true })
  }
}

describe('the package', () => {
  it('holds what runs and what must be read, and nothing else', async () => {
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
      'dist/index.d.ts',
      'dist/page/index.html',
    ]) {
      expect(names).toContain(`package/${name}`)
    }
    const allowed =
      /^package\/(LICENSE|README\.md|CHANGELOG\.md|package\.json|action\/(action\.yml|start\.sh)|bin\/((standin|heapGrowth|quietMoment|tierUp)\.js|package\.json)|dist\/page\/(index\.html|icon\.svg|assets\/[\w-]+\.(js|css))|dist\/[^.].*\.(c?js|d\.c?ts))$/
    expect(names.filter((name) => !allowed.test(name))).toEqual([])
  })

  it('is a module whose node answers', async () => {
    const program = `import { createNode } from 'standin'
const node = await createNode({ port: 0, ipfsPort: 0 })
console.log(await node.request('eth_chainId', []))
await node.stop()`
    await writeFile(join(consumer, 'program.js'), program)
    const { stdout, stderr } = await execute(process.execPath, ['program.js'], { cwd: consumer })
    expect(stdout.trim()).toBe('0x7a69')
    expect(stderr).toBe('')
  })

  it('type-checks in a project that checks its libraries too', async () => {
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
  })

  it('starts by npx in an empty folder', async () => {
    const empty = join(folder, 'empty')
    await mkdir(empty)
    // npx takes an absolute path for a program to run; the package has to be named relatively.
    await copyFile(tarball, join(empty, basename(tarball)))
    const words = [
      '--yes',
      '--prefer-offline',
      `./${basename(tarball)}`,
      '--json',
      '--port',
      '0',
      '--ipfs-port',
      '0',
    ]
    const child = spawn('npx', words, { cwd: empty, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
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
