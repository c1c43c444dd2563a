import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DataDirectoryError } from './errors.js'
import { lockDirectory, lockOwner } from './lock.js'
import { type Owner, thisProcess } from './owner.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-lock-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const writeLock = (where: string, owner: Partial<Owner>) =>
  writeFileSync(join(where, 'lock'), JSON.stringify({ ...thisProcess(), ...owner }))

describe('lockDirectory', () => {
  it('admits one process and names it to the next', () => {
    const lock = lockDirectory(join(directory, 'new'))
    expect(lockOwner(join(directory, 'new'))?.pid).toBe(process.pid)
    expect(() => lockDirectory(join(directory, 'new'))).toThrow(DataDirectoryError)
    lock.release()
    lockDirectory(join(directory, 'new')).release()
    expect(existsSync(join(directory, 'new', 'lock'))).toBe(false)
  })

  it('recognizes a directory by all of its names', () => {
    const alias = `${directory}-alias`
    symlinkSync(directory, alias)
    const lock = lockDirectory(directory)
    for (const name of [relative('.', directory), alias]) {
      expect(() => lockDirectory(name)).toThrow('already open in this process')
    }
    lock.release()
    rmSync(alias)
  })

  it('refuses a directory that a running process holds, by name', () => {
    const parent = process.ppid
    writeLock(directory, { pid: parent, started: null })
    expect(() => lockDirectory(directory)).toThrow(`in use by process ${parent}`)
  })

  it.each([
    ['a process that has ended', () => ({ pid: spawnSync(process.execPath, ['-e', '']).pid })],
    ['an earlier process with the number of a running one', () => ({ pid: process.ppid, started: '1' })],
    ['an earlier process with the number of this one', () => ({ started: '1' })],
    ['a process of another host', () => ({ pid: process.ppid, host: 'elsewhere' })],
  ])('takes over from %s', (_, owner) => {
    writeLock(directory, owner())
    const lock = lockDirectory(directory)
    expect(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))).toEqual(thisProcess())
    lock.release()
  })

  it('takes over a lock file with invalid content', () => {
    writeFileSync(join(directory, 'lock'), 'nonsense')
    lockDirectory(directory).release()
  })
})
