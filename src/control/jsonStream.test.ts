import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { sendText } from './jsonStream.js'

/** Answers with text until the reader has gone. */
function serve() {
  const ended: string[] = []
  const app = new Hono().get('/', (context) =>
    sendText(context, async function* (signal) {
      try {
        yield 'first '
        yield 'second'
        if (context.req.query('waits') !== undefined) {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
          yield 'never read'
        }
      } finally {
        ended.push(signal.aborted ? 'aborted' : 'complete')
      }
    }),
  )
  return { app, ended }
}

it('sends text to its end', async () => {
  const { app, ended } = serve()
  expect(await (await app.request('/')).text()).toBe('first second')
  expect(ended).toEqual(['complete'])
})

it.each([0, 1, 2])('ends the source of a reader that leaves after %i pieces', async (pieces) => {
  const { app, ended } = serve()
  const reader = (await app.request('/?waits')).body!.getReader()
  for (let read = 0; read < pieces; read++) await reader.read()
  await sleep(10)
  await reader.cancel()
  expect(ended).toEqual(['aborted'])
})
