import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const bundleStamp = join(dist, '.bundle-stamp')
const typesStamp = join(dist, '.types-stamp')

/** Packages with native or WebAssembly files beside their code: they must load from their own folder. */
const external = ['classic-level', 'secp256k1', 'tiny-secp256k1']

/** Bundled CommonJS packages call require(), which an ES module does not have. */
const banner = `import { createRequire as standinCreateRequire } from 'node:module'
const require = standinCreateRequire(import.meta.url)`

/**
 * Builds what is out of date: the bundles, and the type declarations unless `types` is false (the command
 * itself needs none).
 */
export async function build({ types = true, log = console.log } = {}) {
  const sources = await hashSources()
  await Promise.all([
    (await readStamp(bundleStamp)) === sources ? undefined : bundle(sources, log),
    !types || (await readStamp(typesStamp)) === sources ? undefined : declareTypes(sources, log),
  ])
}

/** The command, and every module that package.json shows to the outside. */
async function findEntryPoints() {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const shown = Object.values(exports).flatMap((entry) => (entry.default ? [entry.default] : []))
  return ['./dist/cli.js', ...shown].map((path) =>
    path.replace('./dist/', `${root}/src/`).replace(/\.js$/, '.ts'),
  )
}

async function bundle(sources, log) {
  log('Building')
  const esbuild = await import('esbuild')
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: await findEntryPoints(),
    absWorkingDir: root,
    outbase: join(root, 'src'),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    external,
    banner: { js: banner },
    logLevel: 'warning',
    metafile: true,
    write: false,
  })
  // A process that starts meanwhile finds each file whole, and the chunks before the entries that name them.
  const isEntry = ({ path }) => metafile.outputs[relative(root, path)].entryPoint !== undefined
  for (const file of outputFiles.filter((file) => !isEntry(file))) await replaceFile(file.path, file.contents)
  for (const file of outputFiles.filter(isEntry)) await replaceFile(file.path, file.contents)
  await removeStale(new Set(outputFiles.map(({ path }) => path)))
  await replaceFile(bundleStamp, sources)
}

async function declareTypes(sources, log) {
  log('Writing type declarations')
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const child = spawn(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  const status = await new Promise((settle) => child.once('close', settle))
  if (status !== 0) throw new Error(`the TypeScript compiler ended with status ${status}`)
  await replaceFile(typesStamp, sources)
}

/** One hash over everything that decides what dist/ holds. */
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
  ]
  for (const path of [...inSrc.sort(), ...others.map((name) => join(root, name))]) {
    hash.update(`${relative(root, path)}\0`).update(await readFile(path))
  }
  return hash.digest('hex')
}

async function readStamp(path) {
  return readFile(path, 'utf8').catch(() => undefined)
}

async function replaceFile(path, contents) {
  const temporary = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(temporary, contents)
  await rename(temporary, path)
}

async function removeStale(current) {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && path.endsWith('.js') && !current.has(path)) await rm(path, { force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await build()
