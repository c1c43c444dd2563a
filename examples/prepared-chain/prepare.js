import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createNode } from 'standin'

const command = join(
  dirname(createRequire(import.meta.url).resolve('standin/package.json')),
  'bin/standin.js',
)

rmSync('data', { recursive: true, force: true })
const node = await createNode({ dataDir: 'data' })
const [from, treasury] = node.accounts.map(({ address }) => address)
await node.request('eth_sendTransaction', [{ from, to: treasury, value: '0xde0b6b3a7640000' }])
// A contract that returns 42 for every call.
await node.request('eth_sendTransaction', [{ from, data: '0x69602a60005260206000f3600052600a6016f3' }])
await node.stop()

const { status } = spawnSync(process.execPath, [command, 'pack', 'data', 'prepared.standin'], {
  stdio: 'inherit',
})
rmSync('data', { recursive: true, force: true })
process.exitCode = status
