// Runs the suites of the clients in other languages against the built command: all, or those that are named.
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
  const folder = mkdtempSync(join(tmpdir(), 'standin-python-'))
  const python = join(folder, 'bin/python')
  try {
    return (
      run('python3', ['-m', 'venv', folder], root) &&
      run(python, ['-m', 'pip', 'install', '--quiet', './clients/python[test]'], root) &&
      run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'clients/python/tests'], root)
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The node's own client beside go-ethereum's and Kubo's. */
function testGo() {
  const folders = ['clients/go/sdktest', 'clients/go/kubotest']
  return folders.every((folder) => run('go', ['test', '-count=1', '-p', '1', './...'], join(root, folder)))
}

function testJava() {
  return run('mvn', ['-q', '-B', 'test'], join(root, 'clients/java'))
}

function testRust() {
  return run('cargo', ['test', '--quiet', '--', '--test-threads', '2'], join(root, 'clients/rust'))
}

/** The manifest in examples/container, read into the types of the API server. */
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
if (unknown !== undefined) throw new Error(`there is no client ${unknown}`)
const wanted = named.length === 0 ? suites : suites.filter(({ name }) => named.includes(name))

let passed = 0
let failed = 0
let skipped = 0
for (const { name, tool, check, test } of wanted) {
  if (spawnSync(tool, check).error) {
    console.log(`${name}: left out, ${tool} is not installed`)
    if (process.env.STANDIN_NOTHING_LEFT_OUT === '1') failed += 1
    else skipped += 1
  } else if (test()) passed += 1
  else {
    console.log(`${name}: failed`)
    failed += 1
  }
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 ? 1 : 0
