import { readFile } from 'node:fs/promises'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { type Command, buildCommand, runCommand, startCommand } from '../support/command.js'
import { sendRaw } from '../support/server.js'
import { until } from '../support/until.js'

const running: Command[] = []

beforeAll(buildCommand, 120_000)

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.child.kill('SIGKILL')
    await command.ended
  }
})

it('serves HTTPS with a certificate whose path it prints', async () => {
  const command = await startCommand(['--tls'])
  running.push(command)
  const { url, certificatePath } = command.ready as typeof command.ready & { certificatePath: string }
  const ca = await readFile(certificatePath, 'utf8')
  const text = 'GET /_standin/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'
  expect(await sendRaw(Number(new URL(url).port), text, ca)).toMatchObject({ status: 200 })
  expect(command.stderr()).toBe('')
})

it('serves metrics and tokens from the bundle', async () => {
  const command = await startCommand(['--key', 'key:secret'])
  running.push(command)
  const { url } = command.ready
  expect((await fetch(new URL('/_standin/metrics', url))).status).toBe(200)
  expect((await fetch(new URL('/_standin/openapi.json', url))).status).toBe(200)
  const token = { required: 'all', keys: [{ id: 'one', publicKey: await createPublicKey() }] }
  const put = await fetch(new URL('/_standin/keys/guarded', url), {
    method: 'PUT',
    body: JSON.stringify({ token }),
  })
  expect(put.status).toBe(200)
  const refused = await fetch(new URL('/v3/guarded', url), {
    method: 'POST',
    headers: { authorization: 'Bearer abc', 'content-type': 'application/json' },
    body: '{}',
  })
  expect(await refused.text()).toBe('invalid JWT\n')
})

it('warns and generates a key when reachable from other machines', async () => {
  const command = runCommand(['--host', '0.0.0.0', '--port', '0', '--ipfs-port', '0'])
  running.push(command)
  await until(() => command.stdout().includes('Listening on'))
  expect(command.stderr()).toMatch(/^Warning: .*0\.0\.0\.0.*guarded.*\n$/)
  const [, key = ''] = /^Key: +(\w{32})$/m.exec(command.stdout()) ?? []
  const [, url = ''] = /^JSON-RPC: +(\S+)$/m.exec(command.stdout()) ?? []
  expect(command.stdout()).toMatch(/^Secret: +\w{32}$/m)
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/v3/${key}$`))
})

it.each([
  [['--scenario', 'none'], 'there is no scenario none'],
  [['--keys', '/no/such/keys.json'], '/no/such/keys.json'],
  [['--network', 'atlantis'], 'atlantis:CHAIN_ID'],
  [['--tls-cert', '/no/such/cert.pem'], '--tls-key'],
])('refuses %j with one line', async (args, mention) => {
  const command = runCommand(['--port', '0', '--ipfs-port', '0', ...args])
  running.push(command)
  expect(await command.ended).toBe(2)
  expect(command.stderr().trim().split('\n')).toHaveLength(1)
  expect(command.stderr()).toContain(mention)
})

async function createPublicKey(): Promise<string> {
  const { generateKeyPairSync } = await import('node:crypto')
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}
