import { execFile, spawn, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'

/*
 * Builds and starts the recipe in examples/container with buildah, which needs no daemon. Instead of pulling the base
 * images from a registry, creates them under the same names from this machine's Node and C library.
 */

const execute = promisify(execFile)
const hasBuildah = spawnSync('buildah', ['--version']).status === 0 && process.getuid?.() === 0
if (!hasBuildah) console.warn('skipped: the container; apt-get install buildah, and run it as root')

let directory: string
let buildah: (...args: string[]) => Promise<string>
let buildahArgs: string[]
const environment = { ...process.env, BUILDAH_ISOLATION: 'chroot' }

/** Copies programs with the libraries linked to them. */
async function copyPrograms(root: string, programs: readonly (readonly [from: string, to: string])[]) {
  for (const [from, to] of programs) {
    await cp(await realpath(from), join(root, to))
    const { stdout } = await execute('ldd', [from])
    for (const [library] of stdout.matchAll(/\/\S+/g)) {
      await mkdir(join(root, dirname(library)), { recursive: true })
      await cp(await realpath(library), join(root, library))
      if (/lib(stdc\+\+|gcc_s)\.so/.test(library)) {
        await cp(await realpath(library), join(root, 'usr/lib', basename(library)))
      }
    }
  }
}

/** Creates a root file system with a shell and the programs that the recipe runs. */
async function makeRoot(name: string): Promise<string> {
  const root = join(directory, name)
  for (const path of [
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'usr/local/bin',
    'tmp',
    'proc',
    'sys',
    'dev',
    'etc',
  ]) {
    await mkdir(join(root, path), { recursive: true })
  }
  for (const path of ['bin', 'lib', 'lib64']) await symlink(`usr/${path}`, join(root, path))
  const programs = ['sh', 'mkdir', 'env'].map((program) => [`/bin/${program}`, `usr/bin/${program}`] as const)
  await copyPrograms(root, programs)
  return root
}

async function commit(root: string, tag: string, variables: readonly string[] = []): Promise<void> {
  const container = (await buildah('from', 'scratch')).trim()
  await buildah('copy', '--quiet', container, root, '/')
  const args = ['PATH=/usr/local/bin:/usr/bin', ...variables].flatMap((variable) => ['--env', variable])
  await buildah('config', ...args, container)
  await buildah('commit', '--quiet', '--rm', container, tag)
}

beforeAll(async () => {
  if (!hasBuildah) return
  directory = await mkdtemp(join(tmpdir(), 'standin-container-'))
  buildahArgs = [
    '--storage-driver',
    'vfs',
    '--root',
    join(directory, 'store'),
    '--runroot',
    join(directory, 'run'),
  ]
  buildah = async (...args) =>
    (await execute('buildah', [...buildahArgs, ...args], { env: environment, maxBuffer: 2 ** 26 })).stdout
  const npmCli = await realpath(spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim())
  const withNode = await makeRoot('node')
  await copyPrograms(withNode, [[process.execPath, 'usr/local/bin/node']])
  await cp(join(dirname(npmCli), '..'), join(withNode, 'usr/local/lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(withNode, 'usr/local/bin/npm'))
  // The packages have been in npm's cache since the tarball was installed here.
  const offline = ['HOME=/root', 'npm_config_offline=true', 'npm_config_cache=/cache']
  await commit(withNode, 'docker.io/library/node:22-alpine', offline)
  // Alpine has the libraries that its own Node needs; this machine's Node may need others.
  const withLibraries = await makeRoot('alpine')
  await copyPrograms(withLibraries, [[process.execPath, 'tmp/node']])
  for (const path of ['tmp/node', 'usr/lib/libstdc++.so.6', 'usr/lib/libgcc_s.so.1'])
    await rm(join(withLibraries, path))
  await commit(withLibraries, 'docker.io/library/alpine:3.22')
}, 300_000)

afterAll(async () => {
  if (!hasBuildah) return
  await buildah('rm', '--all')
  await rm(directory, { recursive: true, force: true })
})

test.skipIf(!hasBuildah)(
  'the image is small, and its node answers as an unprivileged user',
  async () => {
    const context = join(directory, 'context')
    await cp('examples/container', context, { recursive: true })
    await execute('npm', ['pack', '--silent', '--pack-destination', context])
    const tarball = (await readdir(context)).find((name) => name.endsWith('.tgz')) ?? ''
    const installed = join(directory, 'installed')
    await mkdir(installed)
    const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    const cache = (await execute('npm', ['config', 'get', 'cache'])).stdout.trim()
    await execute('npm', ['install', '--prefix', installed, ...quietly, join(context, tarball)])
    await buildah(
      ...['build', '--quiet', '--pull-never', '--format', 'docker', '--volume', `${cache}:/cache`],
      ...['--build-arg', `PACKAGE=./${tarball}`, '--tag', 'standin', context],
    )
    const archive = join(directory, 'image')
    await buildah('push', '--quiet', '--compression-format', 'gzip', 'standin', `dir:${archive}`)
    const names = (await readdir(archive)).filter((name) => /^[0-9a-f]{64}$/.test(name))
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(archive, name))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100e6)

    const container = (await buildah('from', '--pull-never', 'standin')).trim()
    const { Docker } = JSON.parse(await buildah('inspect', container)) as {
      Docker: { config: { User: string; Entrypoint: string[]; Healthcheck: { Test: string[] } } }
    }
    const { User: user, Entrypoint: entry, Healthcheck: health } = Docker.config
    expect(user).toBe('1000')
    const run = [...buildahArgs, 'run', '--user', user, container, '--']
    const child = spawn('buildah', [...run, ...entry, '--key', 'test:secret', '--json'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await until(() => output.includes('\n') || child.exitCode !== null)
    const { port } = JSON.parse(output) as { port: number }
    expect(await callRpc(`http://127.0.0.1:${port}/v3/test`, 'eth_chainId', [])).toBe('0x7a69')
    await execute('buildah', [...run, ...health.Test.slice(1)], { env: environment })
    const closed = new Promise((settle) => child.once('close', settle))
    const processes = await execute('pgrep', ['-u', '1000', '-f', 'standin.js --key test:secret'])
    for (const id of processes.stdout.trim().split('\n')) process.kill(Number(id), 'SIGTERM')
    await closed
  },
  300_000,
)
