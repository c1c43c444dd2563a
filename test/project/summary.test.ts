import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const execute = promisify(execFile)

/** Runs the files as a separate test project; returns the last line printed and the exit status. */
async function runTests(files: Record<string, string>, leftOut: 'skipped' | 'failed' = 'skipped') {
  const directory = await mkdtemp(join(tmpdir(), 'standin-summary-'))
  await symlink(resolve('node_modules'), join(directory, 'node_modules'))
  for (const [name, text] of Object.entries(files)) {
    await writeFile(
      join(directory, name),
      `import { it, describe, beforeAll, expect } from 'vitest'\n${text}`,
    )
  }
  const reporters = ['--reporter', 'default', '--reporter', resolve('scripts/summary-reporter.mjs')]
  const env = { ...process.env, STANDIN_FAIL_ON_SKIP: leftOut === 'failed' ? '1' : '0' }
  const args = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', directory, ...reporters]
  const { stdout, status } = await execute(process.execPath, args, { env }).then(
    ({ stdout }) => ({ stdout, status: 0 }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, status: code }),
  )
  await rm(directory, { recursive: true, force: true })
  return { line: stdout.trim().split('\n').at(-1), status }
}

it('counts passed and failed tests in the last line', async () => {
  const passing = {
    'a.test.js': "it('a', () => {}); it.skip('b', () => {}); describe('c', () => { it('d', () => {}) })",
  }
  expect(await runTests(passing)).toEqual({ line: '2 passed, 0 failed', status: 0 })
  const failing = { ...passing, 'b.test.js': "it('e', () => expect(1).toBe(2))" }
  expect(await runTests(failing)).toEqual({ line: '2 passed, 1 failed', status: 1 })
})

it('counts skipped tests as failures if none may be skipped', async () => {
  const files = { 'a.test.js': "it('a', () => {}); it.skip('b', () => {})" }
  expect(await runTests(files, 'failed')).toEqual({ line: '1 passed, 1 failed', status: 1 })
})

it('never reports that nothing failed when the run did', async () => {
  expect(await runTests({ 'a.test.js': "import './missing.js'" })).toEqual({
    line: '0 passed, 1 failed',
    status: 1,
  })
  const outside =
    "it('a', () => { setTimeout(() => { throw new Error('late') }) ; return new Promise((r) => setTimeout(r, 50)) })"
  expect(await runTests({ 'a.test.js': outside })).toEqual({ line: '1 passed, 1 failed', status: 1 })
  const setUp = "describe('s', () => { beforeAll(() => { throw new Error('no') }); it('a', () => {}) })"
  expect(await runTests({ 'a.test.js': setUp })).toMatchObject({
    line: expect.stringMatching(/, [12] failed$/),
    status: 1,
  })
})
