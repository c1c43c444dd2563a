import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Runs the code blocks of README.md in a fresh clone, in order. A comment before each block says how:
 *
 *   <!-- readme: serve -->         commands that start the node, which runs until the end
 *   <!-- readme: run -->           commands that must exit with status 0
 *   <!-- readme: save NAME -->     contents of a file for a later command
 *   <!-- readme: skip -->          ignored
 *
 * A shell or JavaScript block without such a comment is an error, so that no block stays untested by accident.
 * `--except 'COMMAND'` skips the block that consists of this command, for callers that have just run it.
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const flag = process.argv.indexOf('--except')
const except = flag === -1 ? undefined : process.argv[flag + 1]
const readyWithinMs = 300_000

function extractBlocks(markdown) {
  const pattern = /(?:<!-- readme: (\w+) ?(\S+)? -->\s*\n)?```(\w*)\n([\s\S]*?)```/g
  return [...markdown.matchAll(pattern)].map(([, action, name, language, text]) => ({
    action: action ?? (['sh', 'js', 'ts'].includes(language) ? 'unmarked' : 'skip'),
    name,
    text,
  }))
}

/** Starts a shell in its own process group, so that all its processes can be stopped together. */
function shell(text, cwd, stdout) {
  return spawn('bash', ['-e', '-c', text], { cwd, detached: true, stdio: ['ignore', stdout, 'inherit'] })
}

async function runBlock({ text }, cwd) {
  const [status] = await once(shell(text, cwd, 'inherit'), 'close')
  if (status !== 0) throw new Error(`exited with status ${status}`)
}

async function serve({ text }, cwd) {
  const child = shell(text, cwd, 'pipe')
  let output = ''
  await new Promise((ready, fail) => {
    const timer = setTimeout(() => fail(new Error('did not listen in time')), readyWithinMs)
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk)
      output += chunk
      if (output.includes('Listening on ')) ready(clearTimeout(timer))
    })
    child.once('close', (status) => fail(new Error(`exited with status ${status} instead of listening`)))
  })
  return child
}

async function stop(child) {
  const closed = once(child, 'close')
  process.kill(-child.pid, 'SIGINT')
  await closed
}

const directory = await mkdtemp(join(tmpdir(), 'standin-readme-'))
const clone = join(directory, 'standin')
const servers = []
let passed = 0
let failed = 0
try {
  await runBlock({ text: `git clone --quiet '${root}' '${clone}'` }, directory)
  for (const block of extractBlocks(await readFile(join(clone, 'README.md'), 'utf8'))) {
    if (block.action === 'skip' || block.text.trim() === except) continue
    console.log(`\n${block.action} ${block.name ?? block.text.trim().split('\n')[0]}`)
    try {
      if (block.action === 'serve') servers.push(await serve(block, clone))
      else if (block.action === 'run') await runBlock(block, clone)
      else if (block.action === 'save') await writeFile(join(clone, block.name), block.text)
      else throw new Error(`the block has no comment that says how to run it (${block.action})`)
      passed += 1
    } catch (error) {
      console.log(`failed: ${error.message}`)
      failed += 1
    }
  }
} finally {
  for (const child of servers) await stop(child)
  await rm(directory, { recursive: true, force: true })
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
