// Runs the suites of the clients in other languages against the built command.
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

function testGo() {
  return run('go', ['test', '-count=1', '-p', '1', './...'], join(root, 'clients/go/sdktest'))
}

const suites = [
  { name: 'python', tool: 'python3', check: ['--version'], test: testPython },
  { name: 'go', tool: 'go', check: ['version'], test: testGo },
]

let passed = 0
let failed = 0
let skipped = 0
for (const { name, tool, check, test } of suites) {
  if (spawnSync(tool, check).error) {
    console.log(`${name}: skipped, ${tool} is not installed`)
    skipped += 1
  } else if (test()) passed += 1
  else {
    console.log(`${name}: failed`)
    failed += 1
  }
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 ? 1 : 0
