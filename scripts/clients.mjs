// Runs the test suites of the clients in other languages against the built command: the named ones, or all.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
const environment = {
  ...process.env,
  STANDIN_COMMAND: `${quote(process.execPath)} ${quote(join(root, 'bin/standin.js'))}`,
}

/** @returns true if the command exited with 0 */
function run(command, words, directory) {
  return spawnSync(command, words, { cwd: directory, env: environment, stdio: 'inherit' }).status === 0
}

function testPython() {
  const directory = mkdtempSync(join(tmpdir(), 'standin-python-'))
  const python = join(directory, 'bin/python')
  try {
    return (
      run('python3', ['-m', 'venv', directory], root) &&
      run(python, ['-m', 'pip', 'install', '--quiet', './clients/python[test]'], root) &&
      run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'clients/python/tests'], root)
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Tests the Go client together with those of go-ethereum and Kubo. */
function testGo() {
  const directories = ['clients/go/sdktest', 'clients/go/kubotest']
  return directories.every((directory) =>
    run('go', ['test', '-count=1', '-p', '1', './...'], join(root, directory)),
  )
}

function testJava() {
  return run('mvn', ['-q', '-B', 'test'], join(root, 'clients/java'))
}

function testRust() {
  return run('cargo', ['test', '--quiet', '--', '--test-threads', '2'], join(root, 'clients/rust'))
}

/** Decodes the manifest in examples/container into the types of the Kubernetes API. */
function testKubernetes() {
  return run('go', ['test', '-count=1', './...'], join(root, 'test/examples/kubernetes'))
}

const suites = [
  { name: 'python', tool: 'python3', check: ['--version'], test: testPython },
  { name: 'go', tool: 'go', check: ['version'], test: testGo },
  { name: 'java', tool: 'mvn', check: ['--version'], test: testJava },
  { name: 'kubernetes', tool: 'go', check: ['version'], test: testKubernetes },
  { name: 'rust', tool: 'cargo', check: ['--version'], test: testRust },
]
const named = process.argv.slice(2)
const unknown = named.find((name) => !suites.some((suite) => suite.name === name))
if (unknown !== undefined) throw new Error(`unknown client: ${unknown}`)
const wanted = named.length === 0 ? suites : suites.filter(({ name }) => named.includes(name))

let passed = 0
let failed = 0
let skipped = 0
for (const { name, tool, check, test } of wanted) {
  if (spawnSync(tool, check).error) {
    console.log(`${name}: skipped, ${tool} is not installed`)
    if (process.env.STANDIN_FAIL_ON_SKIP === '1') failed += 1
    else skipped += 1
  } else if (test()) passed += 1
  else {
    console.log(`${name}: failed`)
    failed += 1
  }
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 ? 1 : 0
