import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { startDevnet, stopAll } from '../devnet/support.js'
import { configuration, ignitionModule, tests } from './hardhat2/project.js'

const execute = promisify(execFile)

const packages = resolve('test/peers/hardhat2/node_modules')
const isThere = existsSync(join(packages, 'hardhat'))
if (!isThere) console.warn('left out: hardhat 2; npm install --prefix test/peers/hardhat2')

let folder: string | undefined
afterEach(async () => {
  await stopAll()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})

/** Makes the project in a temporary folder. */
async function createProject(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'standin-hardhat2-'))
  const files = {
    'package.json': '{ "private": true }',
    'hardhat.config.js': configuration,
    'ignition/modules/Vaults.js': ignitionModule,
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
  'hardhat 2 drives the node by its localhost network, its matchers, ignition, upgrades and every helper',
  async () => {
    const { node } = await startDevnet({ compat: 'hardhat' })
    folder = await createProject()
    const hardhat = join(packages, 'hardhat/internal/cli/bootstrap.js')
    const { stdout } = await execute(process.execPath, [hardhat, 'test', '--network', 'localhost'], {
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
    expect(stdout).toMatch(/13 passing/)
    expect(stdout).not.toMatch(/failing/)
  },
  300_000,
)
