import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ready } from '../support/command.js'
import { callRpc } from '../support/rpc.js'

const isLinux = process.platform === 'linux' && process.arch === 'x64'
if (!isLinux) console.warn('skipped: the single executable is made for linux-x64 here')

describe.skipIf(!isLinux)('the single executable (skipped except on linux-x64)', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'standin-executable-test-'))
    await promisify(execFile)(process.execPath, ['scripts/executable.mjs', '--out', directory])
  }, 600_000)
  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** Starts the executable in an environment without Node. */
  async function start(...args: string[]) {
    const child = spawn(
      join(directory, 'standin-linux-x64'),
      ['--json', '--port', '0', '--ipfs-port', '0', ...args],
      {
        env: { HOME: directory, PATH: '/nonexistent' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const stop = async () => {
      child.kill('SIGTERM')
      const [status] = (await once(child, 'exit')) as [number | null]
      return status
    }
    return { ready: JSON.parse(line.toString()) as Ready, stop }
  }

  it('executes transactions, stores files and makes keys without Node, and keeps them across restarts', async () => {
    const dataDir = join(directory, 'data')
    const first = await start('--data-dir', dataDir)
    const { url, ipfsUrl, accounts } = first.ready
    const transaction = { from: accounts[0]?.address, to: `0x${'c0ffee'.padStart(40, '0')}`, value: '0x7' }
    const hash = await callRpc(url, 'eth_sendTransaction', [transaction])
    const form = new FormData()
    form.append('file', new Blob(['hello']), 'hello.txt')
    const added = await fetch(`${ipfsUrl}/api/v0/add?cid-version=1`, { method: 'POST', body: form })
    // Kubo's CID of these bytes.
    const cid = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
    expect(await added.json()).toMatchObject({ Hash: cid })
    const key = await fetch(`${ipfsUrl}/api/v0/key/gen?arg=site&type=rsa`, { method: 'POST' })
    const { Id: id } = (await key.json()) as { Id: string }
    expect(await first.stop()).toBe(0)

    const second = await start('--data-dir', dataDir)
    const again = second.ready
    expect(await callRpc(again.url, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    const cat = await fetch(`${again.ipfsUrl}/api/v0/cat?arg=${cid}`, { method: 'POST' })
    expect(await cat.text()).toBe('hello')
    const keys = await fetch(`${again.ipfsUrl}/api/v0/key/list`, { method: 'POST' })
    expect(await keys.json()).toMatchObject({
      Keys: expect.arrayContaining([{ Name: 'site', Id: id }]) as unknown,
    })
    expect(await second.stop()).toBe(0)
  })
})
