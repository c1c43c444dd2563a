import { afterEach, expect, test } from 'vitest'
import { createApiKey } from '../../src/provider/keys/apiKey.js'
import { type Plan, planSchema } from '../../src/provider/plans/plan.js'
import { type RunningServer, request, startServer } from '../support/server.js'

/** The last day of a month: a day later is the next month. */
const lastOfMonth = Date.UTC(2030, 0, 31, 12)
const dayMilliseconds = 86_400_000

let running: RunningServer
afterEach(() => running.server.close())

async function start(files: Partial<Plan['files']>): Promise<void> {
  const plan = planSchema.parse({ creditsPerDay: 1, creditsPerSecond: 1, files })
  const keys = [{ ...createApiKey('key', 'secret'), plan: 'own' }, createApiKey('other', 'secret')]
  running = await startServer({ provider: { mode: 'guarded', keys, plans: { own: plan } } })
  running.provider.clock.set(lastOfMonth, { frozen: true })
}

const ask = (operation: string, { user = 'key', body = '' } = {}) =>
  request(running.port, `/api/v0/${operation}`, {
    headers: { authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}` },
    body,
  })

const ok = { status: 200 }
const tooMany = { status: 429, body: 'Too Many Requests\n' }
const quotaReached = { status: 403, body: 'not allowed - transfer quota reached\n' }

test('writes and reads have separate rate limits', async () => {
  await start({ writesPerSecond: 1, readsPerSecond: 2 })
  expect(await ask('add')).toMatchObject(ok)
  for (const operation of ['add', 'block/put', 'dag/put', 'pin/add']) {
    expect(await ask(operation)).toMatchObject(tooMany)
  }
  expect(await ask('cat?arg=x')).toMatchObject(ok)
  expect(await ask('pin/ls')).toMatchObject(ok)
  expect(await ask('cat?arg=x')).toMatchObject(tooMany)
  expect(await ask('add', { user: 'other' })).toMatchObject(ok)
  running.provider.clock.advance(1000)
  expect(await ask('add')).toMatchObject(ok)
})

test("uploads stop when the month's bytes are used up, and resume in the next month", async () => {
  await start({ upload: 10 })
  expect(await ask('add', { body: 'six...' })).toMatchObject(ok)
  expect(await ask('add', { body: 'six...' })).toMatchObject(ok)
  expect(await ask('add', { body: 'x' })).toMatchObject(quotaReached)
  expect(await ask('cat?arg=x')).toMatchObject(ok)
  running.provider.clock.advance(dayMilliseconds)
  expect(await ask('add', { body: 'x' })).toMatchObject(ok)
})

test("downloads stop when the month's bytes are used up", async () => {
  await start({ download: 30 })
  expect(await ask('cat?arg=x')).toMatchObject(ok)
  expect(await ask('cat?arg=x')).toMatchObject(quotaReached)
  expect(await ask('add')).toMatchObject(ok)
})

test('the storage quota does not renew with the month', async () => {
  await start({ storage: 4 })
  expect(await ask('add', { body: 'four' })).toMatchObject(ok)
  running.provider.clock.advance(dayMilliseconds)
  expect(await ask('add', { body: 'x' })).toMatchObject(quotaReached)
})

test('a quota of zero blocks', async () => {
  await start({ upload: 0, download: 0 })
  expect(await ask('add')).toMatchObject(quotaReached)
  expect(await ask('cat?arg=x')).toMatchObject(quotaReached)
})
