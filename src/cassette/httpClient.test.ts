import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { HttpClient } from './httpClient.js'

test.each([50, 100])('of an answer compressed from %i megabytes, at most 64 are kept', async (megabytes) => {
  const compressed = gzipSync(Buffer.alloc(megabytes * 1024 * 1024, ' '))
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = new HttpClient()
  onTestFinished(() => {
    client.close()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const posting = client.post(url, Buffer.from('{}')).then(({ text }) => text.length)
  if (megabytes > 64) await expect(posting).rejects.toThrow('more than 67108864 bytes')
  else expect(await posting).toBe(megabytes * 1024 * 1024)
})
