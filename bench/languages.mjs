import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { summarise } from './lib/statistics.mjs'

const usage = `node bench/languages.mjs [options]

Measures the time from starting a node with the client of each language to the first answer (eth_chainId). Build the
command first. The clients' programs are built before the measurement and run alternately. Languages whose tools are
missing are reported and skipped.

  --rounds n   rounds
  --starts n   starts per language in each round`

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    starts: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const programs = join(root, 'bench/languages')
const directory = mkdtempSync(join(tmpdir(), 'standin-bench-languages-'))
const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
const environment = {
  ...process.env,
  STANDIN_COMMAND: `${quote(process.execPath)} ${quote(join(root, 'bin/standin.js'))}`,
}

/** @returns the command's standard output; undefined if it is not installed */
function run([command, ...words], cwd = root) {
  const { error, status, stdout, stderr } = spawnSync(command, words, {
    cwd,
    env: environment,
    encoding: 'utf8',
  })
  if (error !== undefined) return undefined
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed\n${stdout}${stderr}`)
  return stdout
}

const python = join(directory, 'python/bin/python')
const goProgram = join(directory, 'first-answer')
const classPath = join(directory, 'classpath')
const languages = [
  { name: 'JavaScript', build: [], start: [process.execPath, join(programs, 'firstAnswer.mjs')] },
  {
    name: 'Python',
    build: [
      { command: ['python3', '-m', 'venv', join(directory, 'python')] },
      { command: [python, '-m', 'pip', 'install', '--quiet', './clients/python'] },
    ],
    start: [python, join(programs, 'first_answer.py')],
  },
  {
    name: 'Go',
    build: [{ command: ['go', 'build', '-o', goProgram, '.'], cwd: join(programs, 'go') }],
    start: [goProgram],
  },
  {
    name: 'Java',
    build: [
      {
        command: [
          ...['mvn', '-q', '-B', 'compile', 'dependency:build-classpath', '-DincludeScope=runtime'],
          `-Dmdep.outputFile=${classPath}`,
        ],
        cwd: join(root, 'clients/java'),
      },
    ],
    start: [
      ...['sh', '-c', `exec java -cp "target/classes:$(cat ${quote(classPath)})" "$0" "$1"`],
      join(programs, 'java/FirstAnswer.java'),
    ],
    cwd: join(root, 'clients/java'),
  },
  {
    name: 'Rust',
    build: [
      {
        command: ['cargo', 'build', '--release', '--quiet', '--target-dir', join(directory, 'rust')],
        cwd: join(programs, 'rust'),
      },
    ],
    start: [join(directory, 'rust/release/first-answer')],
  },
]

try {
  const measured = new Map()
  for (const { name, build } of languages) {
    const isBuilt = build.every(({ command, cwd }) => run(command, cwd) !== undefined)
    if (isBuilt) measured.set(name, [])
    else console.log(`${name}: skipped, ${build[0].command[0]} is not installed`)
  }
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const { name, start, cwd } of languages) {
      const printed = measured.has(name) ? run([...start, flags.starts], cwd) : ''
      measured.get(name)?.push(...printed.trim().split('\n').map(Number))
    }
  }
  for (const [name, milliseconds] of measured) {
    const { median, low, high } = summarise(milliseconds)
    console.log(
      `${name.padEnd(12)} ${median.toFixed(0).padStart(5)} ms  (${low.toFixed(0)} to ${high.toFixed(0)})`,
    )
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
