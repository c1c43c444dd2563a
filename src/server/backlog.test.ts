import { expect, test } from 'vitest'
import { Backlog } from './backlog.js'

function connection() {
  const source = {
    isPaused: false,
    waitingBytes: 0,
    pause: () => {
      source.isPaused = true
    },
    resume: () => {
      source.isPaused = false
    },
  }
  return { source, backlog: new Backlog(source) }
}

test('a thousand messages in work are as many as are taken', () => {
  const { source, backlog } = connection()
  for (let count = 0; count < 999; count++) backlog.begin()
  expect(source.isPaused).toBe(false)
  backlog.begin()
  expect(source.isPaused).toBe(true)
  backlog.finish()
  expect(source.isPaused).toBe(false)
})

test('answers that are not read hold the connection back until they have left', () => {
  const { source, backlog } = connection()
  source.waitingBytes = 16 * 1024 * 1024 + 1
  backlog.begin()
  expect(source.isPaused).toBe(true)
  backlog.finish()
  expect(source.isPaused).toBe(true)
  source.waitingBytes -= 1
  backlog.resume()
  expect(source.isPaused).toBe(false)
})
