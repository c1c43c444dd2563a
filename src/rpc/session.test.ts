import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SessionSubscriptions } from './session.js'

function connection() {
  const sent: string[] = []
  return {
    sent,
    bufferedBytes: 0,
    push: (message: Uint8Array) => void sent.push(Buffer.from(message).toString()),
    close: () => undefined,
  }
}

test('pushes wait for the answer with their subscription id', async () => {
  const target = connection()
  const message = new SessionSubscriptions(target).forMessage()
  const id = message.open((push) => {
    push(['"0x1"'])
    return () => undefined
  }, 'eth_subscribe')
  expect(target.sent).toEqual([])
  message.release()
  while (target.sent.length === 0) await setImmediate()
  const params = { subscription: id, result: '0x1' }
  expect(target.sent.map((text) => JSON.parse(text) as unknown)).toEqual([
    { jsonrpc: '2.0', method: 'eth_subscription', params },
  ])
})

test('a subscription after the connection has closed does not listen', () => {
  const subscriptions = new SessionSubscriptions(connection())
  let listening = 0
  const feed = () => {
    listening++
    return () => void listening--
  }
  const early = subscriptions.forMessage()
  early.open(feed, 'eth_subscribe')
  expect(listening).toBe(1)
  const late = subscriptions.forMessage()
  subscriptions.close()
  expect(listening).toBe(0)
  late.open(feed, 'eth_subscribe')
  late.release()
  expect(listening).toBe(0)
})
