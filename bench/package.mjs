import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const usage = `node bench/package.mjs [options]

Compares the installation of this package with those of other development nodes: number of packages, MiB on disk, and
seconds that npm takes with a warm cache.

  --packages list   packages from the registry to compare with`

const { values: flags } = parseArgs({
  options: {
    packages: { type: 'string', default: 'hardhat@2,@foundry-rs/anvil' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const directory = mkdtempSync(join(tmpdir(), 'standin-bench-package-'))
const npm = (words, cwd) => execFileSync('npm', words, { cwd, encoding: 'utf8' })

/** Directories of all packages, including nested ones. */
function packagesIn(modules) {
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((inner) => join(modules, name, inner))
        : [join(modules, name)],
    )
    .flatMap((path) => [path, ...nestedIn(path)])
}

function nestedIn(path) {
  return readdirSync(path).includes('node_modules') ? packagesIn(join(path, 'node_modules')) : []
}

function install(spec, name) {
  const place = join(directory, name)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  const began = performance.now()
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', spec], place)
  return { place, seconds: (performance.now() - began) / 1000 }
}

try {
  npm(['pack', '--silent', '--pack-destination', directory], root)
  const tarball = resolve(directory, readdirSync(directory)[0])
  for (const spec of [tarball, ...flags.packages.split(',')]) {
    const name = spec === tarball ? 'standin' : spec
    install(spec, `${name.replaceAll('/', '-')}-warming-up`)
    const { place, seconds } = install(spec, name.replaceAll('/', '-'))
    const modules = join(place, 'node_modules')
    const kibibytes = Number(execFileSync('du', ['-sk', modules], { encoding: 'utf8' }).split('\t')[0])
    const count = packagesIn(modules).length
    console.log(
      `${name}: ${count} packages, ${(kibibytes / 1024).toFixed(0)} MiB, ${seconds.toFixed(1)} s to install`,
    )
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
