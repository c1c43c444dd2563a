import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DataDirectoryError } from './errors.js'
import {
  type Owner,
  createTemporaryDirectory,
  isRunning,
  lockDirectory,
  lockOwner,
  removeTemporaryDirectory,
  sweepTemporaryDirectories,
  thisProcess,
} from './lock.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-lock-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const writeLock = (where: string, owner: Partial<Owner>) =>
  writeFileSync(join(where, 'lock'), JSON.stringify({ ...thisProcess(), ...owner }))

/** The number of a process that has ended. */
const endedProcess = async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.once('exit', resolve))
  return child.pid as number
}

describe('lockDirectory', () => {
  it('lets one in and names the process to the next', () => {
    const lock = lockDirectory(join(directory, 'new'))
    expect(lockOwner(join(directory, 'new'))?.pid).toBe(process.pid)
    expect(() => lockDirectory(join(directory, 'new'))).toThrow(DataDirectoryError)
    lock.release()
    lockDirectory(join(directory, 'new')).release()
    expect(existsSync(join(directory, 'new', 'lock'))).toBe(false)
  })

  it('knows a directory by all of its names', () => {
    const alias = `${directory}-alias`
    symlinkSync(directory, alias)
    const lock = lockDirectory(directory)
    for (const name of [relative('.', directory), alias]) {
      expect(() => lockDirectory(name)).toThrow('already open in this process')
    }
    lock.release()
    rmSync(alias)
  })

  it('refuses what a running process has, by name', () => {
    const parent = process.ppid
    writeLock(directory, { pid: parent, started: null })
    expect(() => lockDirectory(directory)).toThrow(`in use by process ${parent}`)
  })

  it.each([
    ['a process that has ended', async () => ({ pid: await endedProcess() })],
    [
      'an earlier process with the number of a running one',
      async () => ({ pid: process.ppid, started: '1' }),
    ],
    ['an earlier process with the number of this one', async () => ({ started: '1' })],
    ['a process of another host', async () => ({ pid: process.ppid, host: 'elsewhere' })],
  ])('takes over from %s', async (_, owner) => {
    writeLock(directory, await owner())
    const lock = lockDirectory(directory)
    expect(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))).toEqual(thisProcess())
    lock.release()
  })

  it('takes over a lock file that says nothing', () => {
    writeFileSync(join(directory, 'lock'), 'nonsense')
    lockDirectory(directory).release()
  })
})

describe('temporary directories', () => {
  it('are removed once their owner is gone, and only then', async () => {
    const [mine, abandoned, elsewhere, unlocked] = [1, 2, 3, 4].map(() => createTemporaryDirectory()) as [
      string,
      string,
      string,
      string,
    ]
    const lock = lockDirectory(mine)
    writeLock(abandoned, { pid: await endedProcess() })
    writeLock(elsewhere, { pid: await endedProcess(), host: 'elsewhere' })
    await sweepTemporaryDirectories()
    expect([mine, abandoned, elsewhere, unlocked].map((path) => existsSync(path))).toEqual([
      true,
      false,
      true,
      true,
    ])
    lock.release()
    for (const path of [mine, elsewhere, unlocked]) await removeTemporaryDirectory(path)
    expect(existsSync(mine)).toBe(false)
  })
})

describe('isRunning', () => {
  it('tells processes from those that had their number before', async () => {
    expect(isRunning(thisProcess())).toBe(true)
    expect(isRunning({ ...thisProcess(), started: '1' })).toBe(false)
    expect(isRunning({ ...thisProcess(), pid: await endedProcess(), started: null })).toBe(false)
  })
})
