import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BundledProgram, bundleProgram } from '../support/bundledProcess.js'

const source = `
  import { lockDirectory } from './src/storage/lock.js'
  import { openDatabase } from './src/storage/database.js'
  const [directory, what] = process.argv.slice(2)
  try {
    if (what === 'lock') lockDirectory(directory)
    else await openDatabase({ directory, sync: false })
    console.log('in')
  } catch (error) {
    console.log(error.name)
  }
  setInterval(() => undefined, 1000)
`

let program: BundledProgram
let directory: string
beforeAll(async () => {
  program = await bundleProgram(source)
  directory = mkdtempSync(join(tmpdir(), 'standin-lock-test-'))
})
afterAll(() => {
  program.remove()
  rmSync(directory, { recursive: true, force: true })
})

it.each(['lock', 'database'])(
  'admits one of several processes, and the next once that was killed: %s',
  async (what) => {
    for (let round = 0; round < 3; round++) {
      const children = Array.from({ length: 4 }, () => program.run(join(directory, what), what))
      const outputs = await Promise.all(
        children.map(
          (child) =>
            new Promise<string>((resolve) => {
              child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()))
              child.stderr.once('data', (data: Buffer) => resolve(data.toString()))
            }),
        ),
      )
      const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(ended)
      expect(outputs.sort()).toEqual(['DataDirectoryError', 'DataDirectoryError', 'DataDirectoryError', 'in'])
    }
  },
)
