import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type TestNetwork, startNetwork } from './support.js'

const networks: TestNetwork[] = []
afterEach(async () => {
  for (const network of networks.splice(0)) await network.stop()
})

async function putBlock({ post }: TestNetwork, data: Uint8Array): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([data]))
  const { Key } = (await (await post('block/put', form)).json()) as { Key: string }
  return Key
}

it('finds its blocks again after the index is lost, except one that its CID does not identify', async () => {
  const network = await startNetwork()
  networks.push(network)
  const [whole, holed] = [randomBytes(70_000), randomBytes(70_000)]
  const [wholeKey, holedKey] = [await putBlock(network, whole), await putBlock(network, holed)]

  const directory = await mkdtemp(join(tmpdir(), 'file-network-'))
  await cp(network.directory, directory, { recursive: true, filter: (path) => basename(path) !== 'index' })
  const file = join(directory, 'blocks', '00000001.blocks')
  const content = await readFile(file)
  const start = content.indexOf(holed)
  expect(start).toBeGreaterThan(0)
  await writeFile(file, content.fill(0, start + 4096, start + 8192))

  const found = await startNetwork({ directory })
  networks.push(found)
  const answer = await found.post(`block/get?arg=${wholeKey}`)
  expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(true)
  const refusal = await found.post(`block/stat?arg=${holedKey}&offline=true`)
  expect(refusal.status).toBe(500)
  expect(await putBlock(found, holed)).toBe(holedKey)
})
