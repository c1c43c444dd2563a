import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { ESLint } from 'eslint'
import tseslint from 'typescript-eslint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boundariesOf } from '../../eslint.boundaries.js'

const rooms = ['encoding', 'storage', 'chain', 'ipfs', 'rpc', 'provider', 'server', 'control', 'testing']
const files = ['options', 'network', 'node', 'index', 'cli', 'node/urls', 'cli/banner', 'options/groups']

let root: string

async function writeSource(path: string, text: string) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

async function lint(path: string, text: string): Promise<string[]> {
  await writeSource(path, text)
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    overrideConfig: [
      { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } },
      ...boundariesOf(root),
    ],
  })
  const results = await eslint.lintFiles([path])
  await rm(join(root, path))
  return results.flatMap((result) => result.messages.map((message) => message.message))
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'standin-boundaries-'))
  await writeFile(join(root, 'tsconfig.json'), '{"compilerOptions":{"module":"NodeNext"},"include":["src"]}')
  await symlink(resolve('node_modules'), join(root, 'node_modules'))
  for (const room of rooms) await writeSource(`src/${room}/part.ts`, 'export const part = 1\n')
  for (const file of files) await writeSource(`src/${file}.ts`, 'export const part = 1\n')
})

afterAll(() => rm(root, { recursive: true, force: true }))

describe('imports between rooms', () => {
  it.each([
    ['storage', '../chain/part.js'],
    ['chain', '../rpc/part.js'],
    ['chain', '../ipfs/part.js'],
    ['ipfs', '../chain/part.js'],
    ['rpc', '../provider/part.js'],
    ['rpc', '../server/part.js'],
    ['provider', '../server/part.js'],
    ['server', '../node.js'],
    ['encoding', '../storage/part.js'],
    ['control', '../cli.js'],
    ['server', '../cli/banner.js'],
    ['options', '../cli/banner.js'],
  ])('are refused in %s: %s', async (room, source) => {
    const messages = await lint(`src/${room}/probe.ts`, `export { part } from '${source}'\n`)
    expect(messages).toEqual([expect.stringContaining('arrows point down only')])
  })

  it.each([
    ['chain', '../storage/part.js'],
    ['rpc', '../chain/part.js'],
    ['server', '../ipfs/part.js'],
    ['control', '../provider/part.js'],
    ['testing', '../index.js'],
    ['ipfs', './part.js'],
    ['cli', '../options/groups.js'],
  ])('are allowed in %s: %s', async (room, source) => {
    expect(await lint(`src/${room}/probe.ts`, `export { part } from '${source}'\n`)).toEqual([])
  })

  it('are refused as import() and as types too', async () => {
    expect(
      await lint('src/chain/probe.ts', "export const late = () => import('../rpc/part.js')\n"),
    ).toHaveLength(1)
    expect(await lint('src/chain/probe.ts', "export type { A } from '../rpc/part.js'\n")).toHaveLength(1)
  })

  it('are refused in a file outside all rooms', async () => {
    expect(await lint('src/attic/probe.ts', 'export const part = 1\n')).toHaveLength(1)
  })
})

describe('imports of packages', () => {
  it.each([
    ['storage', '@ethereumjs/mpt'],
    ['rpc', '@ethereumjs/util'],
    ['rpc', 'hono'],
    ['provider', '@hono/node-server'],
    ['chain', 'zod'],
    ['ipfs', 'zod'],
    ['storage', 'zod'],
    ['server', 'multiformats/cid'],
    ['chain', '@ipld/dag-cbor'],
    ['chain', 'level'],
  ])('are refused in %s: %s', async (room, source) => {
    const messages = await lint(
      `src/${room}/probe.ts`,
      `import * as part from '${source}'\nexport { part }\n`,
    )
    expect(messages).toEqual([expect.stringMatching(/^Only .* may import/)])
  })

  it.each([
    ['chain', '@ethereumjs/vm'],
    ['server', 'hono/cors'],
    ['ipfs', 'multiformats/cid'],
    ['rpc', 'zod'],
    ['storage', 'node:fs'],
  ])('are allowed in %s: %s', async (room, source) => {
    expect(
      await lint(`src/${room}/probe.ts`, `import * as part from '${source}'\nexport { part }\n`),
    ).toEqual([])
  })

  it('are not restricted in tests', async () => {
    expect(
      await lint('src/storage/probe.test.ts', "import * as part from '@ethereumjs/mpt'\nexport { part }\n"),
    ).toEqual([])
  })
})
