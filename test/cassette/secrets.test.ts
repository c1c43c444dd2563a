import { SignJWT, exportSPKI, generateKeyPair } from 'jose'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createNode } from '../../src/index.js'

const secrets = {
  ownKey: 'own-key-abcdefghijklmnop',
  ownSecret: 'own-secret-qrstuvwxyz',
  tokenKey: 'token-key-abcdefghijklmn',
  providerKey: 'provider-key-0123456789',
  providerSecret: 'provider-secret-9876543210',
}

/** Every file of a folder as one text, bodies among them. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`)
    .join('\n')
}

test('no key, secret, bearer token, JWT or password reaches the file or its bodies', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'))
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: 'first', typ: 'JWT' })
    .setAudience('localhost')
    .setExpirationTime('1h')
    .sign(privateKey)
  const provider = await createNode({
    mode: 'guarded',
    key: [`${secrets.providerKey}:${secrets.providerSecret}`],
  })
  const withKey = (url: string) => url.replace(/[^/]+$/, secrets.providerKey)
  const ipfs = new URL(provider.ipfsUrl)
  ipfs.username = secrets.providerKey
  ipfs.password = secrets.providerSecret
  const node = await createNode({
    record: join(folder, 'run.ndjson'),
    upstream: withKey(provider.url),
    upstreamWs: withKey(provider.wsUrl),
    upstreamIpfs: ipfs.href,
    keys: {
      keys: [
        { key: secrets.ownKey, secret: secrets.ownSecret },
        {
          key: secrets.tokenKey,
          token: { keys: [{ id: 'first', publicKey: await exportSPKI(publicKey) }] },
        },
      ],
    },
  })
  const basic = Buffer.from(`${secrets.ownKey}:${secrets.ownSecret}`).toString('base64')
  const secretAlone = Buffer.from(`:${secrets.ownSecret}`).toString('base64')
  const post = async (url: string, body: string | FormData, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { method: 'POST', body, headers })
    return { status: response.status, text: await response.text() }
  }
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  const urlOf = (key: string) => node.url.replace(/[^/]+$/, key)
  try {
    const json = { 'content-type': 'application/json' }
    expect(
      (await post(urlOf(secrets.ownKey), call, { ...json, authorization: `Basic ${secretAlone}` })).status,
    ).toBe(200)
    const tokenAnswer = await post(urlOf(secrets.tokenKey), call, { ...json, authorization: `Bearer ${jwt}` })
    expect(tokenAnswer).toMatchObject({ status: 200, text: expect.stringContaining('0x7a69') as string })
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(200_000)]), 'large.bin')
    const added = await post(`${node.ipfsUrl}/api/v0/add`, form, { authorization: `Basic ${basic}` })
    expect(added.status).toBe(200)
    const { Hash } = JSON.parse(added.text) as { Hash: string }
    const read = await post(`${node.ipfsUrl}/api/v0/cat?arg=${Hash}`, '', { authorization: `Basic ${basic}` })
    expect(read.status).toBe(200)
    provider.keys.remove(secrets.providerKey)
    const refused = await post(urlOf(secrets.ownKey), call, {
      ...json,
      authorization: `Basic ${secretAlone}`,
    })
    expect(refused.status).toBe(401)
  } finally {
    await node.stop()
    await provider.stop()
  }
  const text = everything(folder)
  expect(text).toContain('eth_chainId')
  expect(text).toContain('/api/v0/cat')
  const providerBasic = Buffer.from(`${secrets.providerKey}:${secrets.providerSecret}`).toString('base64')
  for (const secret of [
    ...Object.values(secrets),
    basic,
    secretAlone,
    providerBasic,
    jwt,
    jwt.split('.')[2]!,
  ]) {
    expect(text).not.toContain(secret)
  }
  rmSync(folder, { recursive: true })
})
