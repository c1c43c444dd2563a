import { cp, readFile, symlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { type Project, createProject } from '../testing/project.js'
import { buildCommand } from '../support/command.js'
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

test('vite-page: the page is built, and upload and mint work', async () => {
  const { shell, folder } = await open('vite-page')
  expect(await shell('npm test')).toMatch(/Tests.* 1 passed/)
  await shell('standin exec -- npm run build')
  expect(await readFile(join(folder, 'dist/index.html'), 'utf8')).toContain('/assets/index-')
})

test('github-actions: the commands of the workflow pass', async () => {
  const { shell, folder } = await open('github-actions')
  const workflow = await readFile(join(folder, '.github/workflows/test.yml'), 'utf8')
  const commands = [...workflow.matchAll(/^\s*- run: (.+)$/gm)].map(([, command = '']) => command)
  // The packages are there already: a copy of this project stands in for what npm would install.
  const others = commands.filter((command) => command !== 'npm install')
  expect(others).toHaveLength(commands.length - 1)
  for (const command of others) expect(await shell(command)).toMatch(/pass 2/)
})

/** Other people's programs, where they are installed. */
const peers = resolve('test/peers/node_modules')
const hasStore = ['s3rver', '@aws-sdk/client-s3'].every((name) => existsSync(join(peers, name)))

test('prepared-chain: every test file begins with the archive', async () => {
  const { shell } = await open('prepared-chain')
  expect(await shell('npm run prepare-chain')).toMatch(/Packed \d+ files/)
  expect(await shell('npm test')).toMatch(/pass 3/)
})

test.skipIf(!hasStore)('prepared-chain: an object store keeps the archive', async () => {
  const { shell, folder } = await open('prepared-chain')
  for (const name of ['s3rver', '@aws-sdk']) {
    await symlink(join(peers, name), join(folder, 'node_modules', name))
  }
  await shell('npm run prepare-chain')
  expect(await shell('npm run test:store')).toMatch(/pass 1/)
})

test('the action starts a node and gives the outputs that it declares', async () => {
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

/** Why hardhat 3, which wants Node 22, is left out. */
const [major = 0] = process.versions.node.split('.').map(Number)
const reason =
  major < 22
    ? 'hardhat 3 wants Node 22'
    : existsSync(join(peers, 'hardhat'))
      ? undefined
      : 'npm install --prefix test/peers hardhat@3 @nomicfoundation/hardhat-viem@3 @nomicfoundation/hardhat-node-test-runner@3'
if (reason !== undefined) console.warn(`left out: examples/hardhat; ${reason}`)

test.skipIf(reason !== undefined)('hardhat: its tests pass', async () => {
  const { shell, folder } = await open('hardhat')
  for (const name of ['hardhat', '@nomicfoundation'])
    await symlink(join(peers, name), join(folder, 'node_modules', name))
  await cp(join(peers, '.bin'), join(folder, 'node_modules/.bin'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  expect(await shell('npm test')).toMatch(/2 passing|pass 2/)
})
