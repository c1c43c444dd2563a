import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import texts from './kuboTexts.json' with { type: 'json' }
import { type FormFile, type TestNetwork, form, startNetwork } from './support.js'

let server: TestNetwork

interface Exchange {
  status: number
  type: string | undefined
  failure: string | undefined
  text: string
}

async function post(path: string, files?: FormFile[]): Promise<Exchange> {
  const { body, headers } = files ? form(files) : { body: undefined, headers: {} }
  const response = await new Promise<IncomingMessage>((resolve) => {
    request(`${server.url}/api/v0/${encodeURI(path)}`, { method: 'POST', headers }, resolve).end(body)
  })
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece as string
  const failure = response.trailers['x-stream-error']
  return { status: response.statusCode ?? 0, type: response.headers['content-type'], failure, text }
}

function inText(path: string): Promise<Exchange> {
  return post(`${path}${path.includes('?') ? '&' : '?'}encoding=text`)
}

const tree = 'QmSnAogCiqkcJkWAzPLM6AjTc2VnDYiPCUi6LBh98HtZkZ'

beforeAll(async () => {
  server = await startNetwork()
  await post('add?pin=false', [
    { name: 'dir/hello.txt', content: 'hello world\n' },
    { name: 'dir/sub/x', content: 'hello world\n' },
  ])
  await post('dag/put', [{ name: 'x', content: '{"a":1}' }])
  await post(`object/patch/rm-link?arg=${tree}&arg=sub`)
  await post('files/mkdir?arg=/e')
})

afterAll(() => server.stop())

describe('encoding=text', () => {
  // Recorded from Kubo 0.42.0 after the same requests, which build on each other.
  it('matches Kubo', async () => {
    const given: unknown[] = []
    for (const [path] of texts) {
      const { status, failure, text } = await inText(path as string)
      given.push([path, status, failure ?? null, text])
    }
    expect(given).toEqual(texts)
  })

  it('is plain text, even for failures', async () => {
    expect((await inText('version')).type).toBe('text/plain')
    expect(await inText('cat?arg=QmFoo')).toEqual({
      status: 500,
      type: 'text/plain',
      failure: undefined,
      text: 'invalid path "QmFoo": path does not have enough components',
    })
  })

  it('sends JSON where Kubo has no text format', async () => {
    const response = await post('add?pin=false&encoding=text', [{ name: 'x', content: 'hello world\n' }])
    expect(response.type).toBe('text/plain')
    expect(JSON.parse(response.text)).toMatchObject({ Name: 'x' })
  })

  it('is used on request only', async () => {
    expect((await post('version?encoding=json')).type).toBe('application/json')
    expect((await post('version?encoding=foo')).text).toBe('invalid encoding: foo\n')
  })
})
