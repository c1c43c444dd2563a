import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
// Inside node_modules, so that packages resolve, and as deep below the root as the program's source.
const directory = join(root, 'node_modules/.cache', `standin-state-tests-${process.pid}`)

await mkdir(directory, { recursive: true })
try {
  const program = join(directory, 'program.mjs')
  await build({
    entryPoints: [join(root, 'test/conformance/runStateTests.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    define: { 'import.meta.dirname': JSON.stringify(join(root, 'test/conformance/support')) },
    outfile: program,
    logLevel: 'warning',
  })
  const shares = availableParallelism()
  const results = await Promise.all(
    Array.from({ length: shares }, (_, share) => runShare(program, share, shares)),
  )
  const sum = (name) => results.reduce((total, result) => total + result[name], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  process.exitCode = sum('failed') === 0 ? 0 : 1
} finally {
  await rm(directory, { recursive: true, force: true })
}

/** Runs a share of the tests in its own process and forwards its output. @returns the counts from its last line */
async function runShare(program, share, shares) {
  const child = spawn(process.execPath, [program, share, shares], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let counted
  for await (const line of createInterface({ input: child.stdout })) {
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line) ?? []
    if (passed === undefined) console.log(line)
    else counted = { passed: Number(passed), failed: Number(failed) }
  }
  return counted ?? { passed: 0, failed: 1 }
}
