import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lockDirectory } from './lock.js'
import { type Owner, thisProcess } from './owner.js'
import {
  createTemporaryDirectory,
  removeTemporaryDirectory,
  sweepTemporaryDirectories,
} from './temporaryDirectory.js'

const writeLock = (where: string, owner: Partial<Owner>) =>
  writeFileSync(join(where, 'lock'), JSON.stringify({ ...thisProcess(), ...owner }))

describe('temporary directories', () => {
  it('are removed once their owner is gone, and only then', async () => {
    const [mine, abandoned, elsewhere, unlocked] = [1, 2, 3, 4].map(() => createTemporaryDirectory()) as [
      string,
      string,
      string,
      string,
    ]
    const lock = lockDirectory(mine)
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeLock(abandoned, { pid })
    writeLock(elsewhere, { pid, host: 'elsewhere' })
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
