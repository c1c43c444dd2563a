import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { stopAll } from '../devnet/support.js'
import { configuration, ignitionModule, tests } from './hardhat2/project.js'
import { runHardhatTests } from './hardhatProject.js'

const packages = resolve('test/peers/hardhat2/node_modules')
const isInstalled = existsSync(join(packages, 'hardhat'))
if (!isInstalled) console.warn('skipped: hardhat 2; npm install --prefix test/peers/hardhat2')

afterEach(stopAll)

test.skipIf(!isInstalled)(
  'hardhat 2 drives the node by its localhost network, its matchers, ignition, upgrades and every helper',
  async () => {
    const printed = await runHardhatTests({
      packages,
      program: process.execPath,
      commandLine: 'hardhat/internal/cli/bootstrap.js',
      network: 'localhost',
      files: {
        'package.json': '{ "private": true }',
        'hardhat.config.js': configuration,
        'ignition/modules/Vaults.js': ignitionModule,
        'test/all.js': tests,
      },
    })
    expect(printed).toMatch(/13 passing/)
    expect(printed).not.toMatch(/failing/)
  },
  300_000,
)
