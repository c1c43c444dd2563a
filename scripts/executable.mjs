import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

const usage = `node scripts/executable.mjs [options]

Builds single executable applications, which need no Node: Node from the npm registry with the package and its
dependencies inside.

  --platform NAME   linux-x64, linux-arm64, darwin-x64, darwin-arm64 or win-x64; may be repeated; defaults to linux-x64
  --node VERSION    major version of Node; defaults to 22
  --out DIRECTORY   output directory; defaults to dist-executable`

const { values: flags } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true, default: ['linux-x64'] },
    node: { type: 'string', default: '22' },
    out: { type: 'string', default: 'dist-executable' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const out = resolve(flags.out)
const directory = mkdtempSync(join(tmpdir(), 'standin-executable-'))
const run = (command, words, cwd = directory) => execFileSync(command, words, { cwd, encoding: 'utf8' })
const quietly = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']

/** Sentinel that marks where Node reads the injected blob (Node documentation, "Single executable applications"). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Installs the package as a user would. @returns its node_modules */
function installPackage() {
  run('npm', ['pack', '--silent', '--pack-destination', directory], root)
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz'))
  const place = join(directory, 'installed')
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  run('npm', ['install', '--omit=dev', '--omit=peer', ...quietly, join(directory, tarball)], place)
  return join(place, 'node_modules')
}

/** Files that are not needed at run time. */
const unread = /\.(map|md|d\.[cm]?ts)$|(^|\/)(test|tests|docs|src\/.*\.ts)(\/|$)/i

/**
 * Concatenates and gzips the files of a directory.
 *
 * @returns the bytes, and the files' names and lengths in their order
 */
function bundleFiles(modules) {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !unread.test(path.slice(modules.length)) && !path.includes('/.'))
    .sort()
  const index = files.map((path) => ({
    name: path.slice(modules.length + 1).replaceAll('\\', '/'),
    size: statSync(path).size,
  }))
  return { index, bytes: gzipSync(Buffer.concat(files.map((path) => readFileSync(path))), { level: 9 }) }
}

/**
 * Main program of the executable: unpacks the files into the user's cache once, atomically by a rename, and runs the
 * command from there. Native libraries can only be loaded from files.
 */
function main() {
  const { getRawAsset } = process.getBuiltinModule('node:sea')
  const { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs')
  const { createRequire } = process.getBuiltinModule('node:module')
  const { homedir } = process.getBuiltinModule('node:os')
  const { dirname, join } = process.getBuiltinModule('node:path')
  const { gunzipSync } = process.getBuiltinModule('node:zlib')
  const text = (name) => Buffer.from(getRawAsset(name)).toString()
  const cache =
    process.env.XDG_CACHE_HOME ||
    (process.platform === 'win32' && process.env.LOCALAPPDATA) ||
    join(homedir(), '.cache')
  const place = join(cache, 'standin', 'executable', text('checksum'))
  if (!existsSync(place)) {
    const draft = `${place}.${process.pid}`
    const bytes = gunzipSync(Buffer.from(getRawAsset('files')))
    let offset = 0
    for (const { name, size } of JSON.parse(text('index'))) {
      const path = join(draft, 'node_modules', name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, bytes.subarray(offset, offset + size))
      offset += size
    }
    try {
      renameSync(draft, place)
    } catch (error) {
      // Another process was faster.
      rmSync(draft, { recursive: true, force: true })
      if (!existsSync(place)) throw error
    }
  }
  createRequire(join(place, 'main.js'))('./node_modules/standin/bin/standin.js')
}

/** Fetches Node for a platform from its npm package. @returns the path of the binary */
function fetchNode(platform) {
  const place = join(directory, platform)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  run('npm', ['install', '--force', ...quietly, `node-${platform}@${flags.node}`], place)
  const name = platform.startsWith('win') ? 'node.exe' : 'node'
  return join(place, 'node_modules', `node-${platform}`, 'bin', name)
}

function makeExecutable(platform) {
  const target = join(out, `standin-${platform}${platform.startsWith('win') ? '.exe' : ''}`)
  copyFileSync(fetchNode(platform), target)
  chmodSync(target, 0o755)
  const segment = platform.startsWith('darwin') ? ['--macho-segment-name', 'NODE_SEA'] : []
  const words = [target, 'NODE_SEA_BLOB', join(directory, 'blob'), '--sentinel-fuse', fuse, ...segment]
  run('npx', ['--yes', 'postject@1.0.0-alpha.6', ...words])
  const note = platform.startsWith('darwin') ? '; sign it on a Mac: codesign --sign - FILE' : ''
  console.log(`${target}: ${(statSync(target).size / 1e6).toFixed(0)} MB${note}`)
}

try {
  mkdirSync(out, { recursive: true })
  const { index, bytes } = bundleFiles(installPackage())
  const assets = {
    files: bytes,
    index: JSON.stringify(index),
    checksum: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
  }
  for (const [name, content] of Object.entries(assets)) writeFileSync(join(directory, name), content)
  writeFileSync(join(directory, 'main.cjs'), `(${main.toString()})()`)
  const configuration = {
    main: 'main.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(Object.keys(assets).map((name) => [name, name])),
  }
  writeFileSync(join(directory, 'configuration.json'), JSON.stringify(configuration))
  run(fetchNode(`${process.platform}-${process.arch}`), ['--experimental-sea-config', 'configuration.json'])
  rmSync(join(directory, `${process.platform}-${process.arch}`), { recursive: true })
  for (const platform of flags.platform) makeExecutable(platform)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
