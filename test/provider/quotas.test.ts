import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/provider/keys/apiKey.js'
import { planSchema } from '../../src/provider/plans/plan.js'
import type { QuotaProfile } from '../../src/provider/quota/accounts.js'
import { type RunningServer, call, request, startServer } from '../support/server.js'

/** 03:04:05 UTC. */
const morning = Date.UTC(2030, 0, 2, 3, 4, 5)

const plans = {
  daily: planSchema.parse({ creditsPerDay: 200, creditsPerSecond: 10_000 }),
  slow: planSchema.parse({ creditsPerDay: 10_000, creditsPerSecond: 200 }),
}

const keys = [
  { ...createApiKey('daily'), plan: 'daily' },
  { ...createApiKey('slow'), plan: 'slow' },
  { ...createApiKey('own-day'), limits: { creditsPerDay: 100 } },
  { ...createApiKey('own-second'), limits: { creditsPerSecond: 100 } },
  createApiKey('free'),
]

const paymentRequired = {
  code: 402,
  event: -33000,
  message: 'Payment Required',
  details:
    'You have reached your daily credit limit. To continue making requests, upgrade your plan or purchase additional credits',
}
const tooManyRequests = {
  code: 429,
  event: -33200,
  message: 'Too Many Requests',
  details:
    'You have surpassed your allowed throughput limit. Reduce the amount of requests per second or upgrade for more capacity.',
}
const ownThroughput = {
  code: 429,
  event: -33300,
  message: 'Too Many Requests',
  details:
    'You have surpassed your user-defined key throughput limit setting. To make more requests with this key, review key setting configurations.',
}
const ownDay = {
  code: 429,
  event: -33400,
  message: 'Too Many Requests',
  details:
    'You have surpassed your user-defined key daily limit setting. To make more requests with this key, review key setting configurations.',
}

let running: RunningServer
async function start(quotaProfile: QuotaProfile) {
  running = await startServer({ provider: { mode: 'guarded', keys, plans, quotaProfile } })
  running.provider.clock.set(morning, { frozen: true })
}
afterEach(() => running.server.close())

const ask = (key: string) => call(running.port, `/v3/${key}`)

describe('the current profile', () => {
  beforeEach(() => start('current'))

  test.each([
    ['daily', 3, 402, paymentRequired],
    ['slow', 2, 429, tooManyRequests],
    ['own-day', 2, 429, ownDay],
    ['own-second', 1, 429, ownThroughput],
  ])('%s: after %i calls the next one is %i', async (key, calls, status, error) => {
    for (let i = 0; i < calls; i += 1) expect((await ask(key)).status).toBe(200)
    const refused = await ask(key)
    expect(refused.status).toBe(status)
    expect(refused.headers['content-type']).toBe('application/json')
    expect(refused.body).toBe(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    expect((await ask('free')).status).toBe(200)
  })

  test('credits renew at midnight UTC and with the next second', async () => {
    for (let i = 0; i < 3; i += 1) await ask('daily')
    running.provider.clock.set(Date.UTC(2030, 0, 2, 23, 59, 59, 999), { frozen: true })
    expect((await ask('daily')).status).toBe(402)
    running.provider.clock.set(Date.UTC(2030, 0, 3), { frozen: true })
    expect((await ask('daily')).status).toBe(200)
    await ask('slow')
    await ask('slow')
    expect((await ask('slow')).status).toBe(429)
    running.provider.clock.advance(1000)
    expect((await ask('slow')).status).toBe(200)
  })

  test('a batch costs 80 plus its items, which are refused one by one', async () => {
    const echo = (id: number) => ({ jsonrpc: '2.0', id, method: 'test_echo' })
    const ended = await request(running.port, '/v3/daily', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([echo(1), echo(2), echo(3)]),
    })
    expect(ended.status).toBe(200)
    // 80 for the batch and 80 for each of the first two items: 240 of 200.
    expect(JSON.parse(ended.body)).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'null' },
      { jsonrpc: '2.0', id: 2, result: 'null' },
      { jsonrpc: '2.0', id: 3, error: paymentRequired },
    ])
  })

  test('an unknown method costs 160 credits, a refusal for lack of credits nothing', async () => {
    const spent = () => running.provider.quotas.meter(keys[0] ?? createApiKey('')).today
    await request(running.port, '/v3/daily', {
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_none"}',
    })
    expect(spent()).toBe(160)
    await ask('daily')
    expect(spent()).toBe(240)
    await ask('daily')
    expect(spent()).toBe(240)
  })
})

describe('the legacy profile', () => {
  beforeEach(() => start('legacy'))

  test('an exhausted day is -32005 with a rate', async () => {
    for (let i = 0; i < 3; i += 1) await ask('daily')
    const refused = await ask('daily')
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.body)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32005,
        message: 'daily request count exceeded, request rate limited',
        data: {
          // 10,000 credits a second allow 125 calls at 80; the day has 20:55:55 left.
          rate: { allowed_rps: 125, backoff_seconds: 20 * 3600 + 55 * 60 + 55, current_rps: 3 },
          see: expect.any(String) as string,
        },
      },
    })
  })

  test('an exhausted second is -32005 too', async () => {
    for (let i = 0; i < 2; i += 1) await ask('slow')
    const refused = await ask('slow')
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.body)).toMatchObject({
      error: {
        code: -32005,
        message: 'project ID request rate exceeded',
        data: { rate: { allowed_rps: 2 } },
      },
    })
  })

  test('an item of a batch that is refused for lack of credits costs nothing', async () => {
    const echo = (id: number) => ({ jsonrpc: '2.0', id, method: 'test_echo' })
    const answer = await request(running.port, '/v3/slow', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([echo(1), echo(2), echo(3)]),
    })
    expect(JSON.parse(answer.body)).toMatchObject([
      { result: 'null' },
      { result: 'null' },
      { error: { code: -32005 } },
    ])
    // 80 for the batch and 80 for each of the first two items.
    expect(running.provider.quotas.meter(keys[1] ?? createApiKey('')).today).toBe(240)
  })
})
