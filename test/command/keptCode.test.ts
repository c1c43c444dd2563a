import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { beforeAll, expect, test } from 'vitest'
import { buildCommand, startCommand, stopCommand } from '../support/command.js'
import { until } from '../support/until.js'

/** The point at infinity, compressed: the commitment to the polynomial that is zero everywhere, and its proof. */
const infinity = `c0${'00'.repeat(47)}`
const hash = createHash('sha256').update(Buffer.from(infinity, 'hex')).digest('hex')
/** Input of the point evaluation precompile (EIP-4844): versioned hash, z, y, commitment, proof. */
const zeroEverywhere = `0x01${hash.slice(2)}${'00'.repeat(64)}${infinity}${infinity}`
/** What it answers: FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS. */
const answer = `0x${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`

beforeAll(async () => {
  await buildCommand()
  // The build is named in the first line of what it made; compiled forms of earlier builds may lie beside it.
  const [line = ''] = (await readFile('dist/cli.cjs', 'latin1')).split('\n', 1)
  const prefix = `.compiled-${line.slice(2).trim()}-${process.version}-`
  const isKept = async () => (await readdir('dist')).some((name) => name.startsWith(prefix))
  const first = await startCommand()
  await until(isKept)
  await stopCommand(first)
})

function evaluate(url: string): Promise<unknown> {
  const to = `0x${'0a'.padStart(40, '0')}`
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to, data: zeroEverywhere }, 'latest'] }
  return new Promise((settle, fail) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', headers, rejectUnauthorized: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => settle((JSON.parse(text) as { result: unknown }).result))
    })
    sent.on('error', fail).end(JSON.stringify(call))
  })
}

test('a start with kept code makes certificates and verifies blobs, which load what is not bundled', async () => {
  const command = await startCommand(['--tls'])
  try {
    expect(command.ready.url).toMatch(/^https:/)
    expect(await evaluate(command.ready.url)).toBe(answer)
    expect(command.stderr()).not.toContain('Warning')
  } finally {
    await stopCommand(command)
  }
})
