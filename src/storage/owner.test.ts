import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { isRunning, thisProcess } from './owner.js'

describe('isRunning', () => {
  it('distinguishes processes from earlier ones with the same id', () => {
    expect(isRunning(thisProcess())).toBe(true)
    expect(isRunning({ ...thisProcess(), started: '1' })).toBe(false)
    expect(
      isRunning({ ...thisProcess(), pid: spawnSync(process.execPath, ['-e', '']).pid, started: null }),
    ).toBe(false)
  })
})
