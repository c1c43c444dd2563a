import { afterEach, expect, test } from 'vitest'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'

let node: StandinNode
afterEach(() => node.stop())

async function page(options: NodeOptions): Promise<string> {
  node = await createNode({ port: 0, ...options })
  const response = await fetch(new URL('/', node.url), { headers: { accept: 'text/html' } })
  expect(response.headers.get('content-type')).toContain('text/html')
  return response.text()
}

test('a browser is shown where things are', async () => {
  const html = await page({})
  for (const url of [node.url, node.wsUrl, `${node.ipfsUrl}/api/v0`]) expect(html).toContain(url)
})

test('no key is shown to whom it was not given', async () => {
  const html = await page({ key: ['hidden-key:hidden-secret'] })
  expect(html).not.toContain('hidden')
  expect(html).toContain('/v3/&#60;API_KEY&#62;')
})
