import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NetworkLog, RequestLog } from './requestLog.js'

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] }))
afterEach(() => vi.useRealTimers())

it('lists requests in order of their start, and ended ones for ten seconds', () => {
  const log = new RequestLog()
  const [first, second] = [log.start('add', {}, []), log.start('cat', {}, ['QmX'])]
  log.end(second)
  expect(log.list()).toMatchObject([
    { ID: 0, Command: 'add', Active: true, EndTime: '0001-01-01T00:00:00Z' },
    { ID: 1, Command: 'cat', Args: ['QmX'], Active: false, EndTime: '2026-01-01T00:00:00.000Z' },
  ])
  vi.setSystemTime(Date.UTC(2026, 0, 1, 0, 0, 11))
  expect(log.list().map(({ ID }) => ID)).toEqual([0])
  log.end(first)
  log.end(first)
  expect(log.list()).toHaveLength(1)
})

it('forgets the oldest when many have ended, or those with long arguments', () => {
  const log = new RequestLog()
  const running = log.start('pin/add', {}, [])
  for (let index = 0; index < 1500; index++) log.end(log.start('id', {}, []))
  expect(log.list()).toHaveLength(1001)
  expect(log.list().slice(0, 2)).toMatchObject([{ ID: 0 }, { ID: 501 }])
  const long = 'x'.repeat(400_000)
  for (let index = 0; index < 4; index++) log.end(log.start('resolve', {}, [long]))
  const ended = log.list().filter(({ Active }) => !Active)
  expect(ended.map(({ Args }) => Args)).toEqual([[long], [long]])
  log.end(running)
})

it('formats lines only for followers, and drops those that a slow one cannot hold', async () => {
  const log = new NetworkLog()
  const write = (message: () => string): void =>
    log.write('error', { logger: 'cmds/http', caller: 'here' }, message)
  let made = 0
  write(() => String(made++))
  expect(made).toBe(0)
  const { signal } = new AbortController()
  const lines = log.follow(undefined, signal)
  const first = lines.next()
  write(() => 'begins')
  expect((await first).value).toMatchObject({ msg: 'begins', level: 'error', logger: 'cmds/http' })
  for (let index = 0; index < 10; index++) write(() => 'y'.repeat(300_000))
  const seen: number[] = []
  for (let index = 0; index < 4; index++) seen.push((await lines.next()).value?.msg.length ?? 0)
  write(() => 'goes on')
  expect(seen).toEqual([300_000, 300_000, 300_000, 300_000])
  expect((await lines.next()).value).toMatchObject({ msg: 'goes on' })
  await lines.return(undefined)
})

it('limits the number of subsystems with levels', () => {
  const log = new NetworkLog()
  for (let index = 0; index < 998; index++) log.setLevel(`s${index}`, 'debug')
  expect(() => log.setLevel('one more', 'debug')).toThrow('more than 1000 subsystems')
  log.setLevel('s1', 'warn')
  expect(log.level('s1')).toBe('warn')
})
