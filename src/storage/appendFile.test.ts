import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppendFile } from './segmentFiles.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-append-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const text = (value: string) => new TextEncoder().encode(value)

describe('AppendFile', () => {
  it('appends pieces, including empty ones, with and without a sync', () => {
    const path = join(directory, 'file')
    const file = new AppendFile({ path, length: 0 })
    file.append([text('one'), text(''), text(' two')], { sync: false })
    file.append([], { sync: true })
    file.append([text(' three')], { sync: true })
    expect(readFileSync(path, 'utf8')).toBe('one two three')
    expect(file.length).toBe(13)
    file.close()
  })

  it('keeps the requested length of an existing file', () => {
    const path = join(directory, 'file')
    writeFileSync(path, 'kept and torn')
    const file = new AppendFile({ path, length: 4 })
    expect(readFileSync(path, 'utf8')).toBe('kept')
    file.append([text('!')], { sync: false })
    expect(readFileSync(path, 'utf8')).toBe('kept!')
    file.close()
  })

  it('writes more pieces than one system call accepts', () => {
    const path = join(directory, 'file')
    const file = new AppendFile({ path, length: 0 })
    const pieces = Array.from({ length: 3000 }, (_, i) => text(`${i},`))
    file.append(pieces, { sync: false })
    expect(readFileSync(path, 'utf8')).toBe(pieces.map((_, i) => `${i},`).join(''))
    file.close()
  })

  it.skipIf(!existsSync('/dev/full'))(
    'is as long as before when the disk is full (skipped without /dev/full)',
    () => {
      const file = new AppendFile({ path: '/dev/full', length: 0 })
      expect(() => file.append([text('lost')], { sync: false })).toThrow('ENOSPC')
      expect(file.length).toBe(0)
      file.close()
    },
  )
})
