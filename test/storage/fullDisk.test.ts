import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { verifyData } from '../../src/node/verifyData.js'
import { startDevnet, stopAll, stopDevnet, type Devnet } from '../devnet/support.js'
import { addFile, callFileNetwork } from '../support/rpc.js'
import { until } from '../support/until.js'

/** Mounts a file system of 12 MiB; returns undefined if this process may not mount one. */
function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'standin-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', path], { stdio: 'ignore' })
    return path
  } catch {
    rmSync(path, { recursive: true })
    return undefined
  }
}

const disk = mountSmallDisk()
afterAll(async () => {
  await stopAll()
  if (disk === undefined) return
  execFileSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true })
})

const ballast = join(disk ?? '', 'ballast')
const fillDisk = (): void => writeFileSync(ballast, Buffer.alloc(6 * 1024 * 1024))
const freeSpace = (): void => rmSync(ballast)

let payments = 0
const pay = ({ call, from }: Devnet): Promise<unknown> => {
  payments++
  const to = `0x${(0xabc0000 + payments).toString(16).padStart(40, '0')}`
  return call('eth_sendTransaction', { from, to, value: '0x1' })
}
const errorOf = ({ code, message }: { code: number; message: string }) => ({ code, message })
const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

describe.skipIf(disk === undefined)('a full disk (skipped if nothing can be mounted)', () => {
  test('is reported, loses nothing acknowledged, and is recovered from once there is space', async () => {
    const dataDir = join(disk as string, 'chain')
    fillDisk()
    const devnet = await startDevnet({ dataDir })
    let acknowledged = 0
    let refusal: unknown
    for (; refusal === undefined; acknowledged++) refusal = await pay(devnet).then(() => undefined, errorOf)
    acknowledged--
    expect(refusal).toEqual({
      code: -32000,
      message: expect.stringMatching(/^Could not .*: .*no space left/i) as string,
    })
    expect(await devnet.height()).toBe(acknowledged)
    freeSpace()
    await until(() => succeeds(pay(devnet)))
    const height = await devnet.height()
    expect(height).toBe(acknowledged + 1)
    for (let i = 0; i < 20; i++) await pay(devnet)
    await stopDevnet(devnet)
    const again = await startDevnet({ dataDir })
    expect(await again.height()).toBe(height + 20)
    await stopDevnet(again)
    const problems: string[] = []
    await verifyData(dataDir, (line) => problems.push(line))
    expect(problems).toEqual([])
    rmSync(dataDir, { recursive: true })
  })

  test('fails uploads with an error, and keeps completed ones', async () => {
    const dataDir = join(disk as string, 'files')
    fillDisk()
    const devnet = await startDevnet({ dataDir, ipfsPort: 0 })
    const { ipfsUrl } = devnet.node
    const contentOf = (n: number) => Buffer.alloc(500_000, `file ${n} `)
    const cids: string[] = []
    const upload = async (): Promise<void> => {
      cids.push(await addFile(ipfsUrl, contentOf(cids.length)))
    }
    while (await succeeds(upload()));
    expect(cids.length).toBeGreaterThan(2)
    freeSpace()
    await until(() => succeeds(upload()))
    await upload()
    await stopDevnet(devnet)
    const again = await startDevnet({ dataDir, ipfsPort: 0 })
    for (const [n, cid] of cids.entries()) {
      const response = await callFileNetwork(again.node.ipfsUrl, 'cat', cid)
      expect(Buffer.from(await response.arrayBuffer()).equals(contentOf(n))).toBe(true)
    }
    await stopDevnet(again)
  })
})
