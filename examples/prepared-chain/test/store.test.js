import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import S3rver from 's3rver'
import { createNode } from 'standin'

const folder = mkdtempSync(join(tmpdir(), 'standin-store-'))
let server
let store

before(async () => {
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'chains' }],
  })
  const { port } = await server.run()
  // Default credentials of s3rver.
  Object.assign(process.env, {
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  })
  store = await import('../store.js')
})
after(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const checksum = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

test('an archive is downloaded unchanged, and a node starts from it', async () => {
  const fetched = join(folder, 'fetched.standin')
  assert.equal(await store.get('main', fetched), false)
  await store.put('main', 'prepared.standin')
  assert.equal(await store.get('main', fetched), true)
  assert.equal(checksum(fetched), checksum('prepared.standin'))
  const node = await createNode({ from: fetched, archiveCache: join(folder, 'cache') })
  assert.equal(await node.request('eth_blockNumber'), '0x2')
  await node.stop()
})
