import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import esbuild from 'esbuild'

const root = resolve(fileURLToPath(new URL('.', import.meta.url)), '..')
const [peer = '', ...argv] = process.argv.slice(2)
const peers = ['geth', 'kubo', 'chains', 'pushes', 'hardhat', 'hardhat3', 'anvil']
/** Comparisons that share a directory. */
const directories = { hardhat: 'devnets', hardhat3: 'devnets', anvil: 'devnets' }
const usage = `npm run differential -- PROGRAM [options]

  geth      [--seed N] [--requests N] [--hardfork NAME] [--methods REGEXP] [--bodies FILE]
  kubo      [--seed N] [--requests N]
  anvil, hardhat, hardhat3
            [--seed N] [--requests N] [--methods REGEXP]
  chains    [--seed N] [--blocks N] [--only REGEXP]
  pushes    [--seed N] [--rounds N]

docs/guides/differential.md explains them.`

if (!peers.includes(peer)) {
  console.error(usage)
  process.exit(2)
}
const outfile = join(root, 'dist', `.differential-${peer}.mjs`)
await esbuild.build({
  entryPoints: [join(root, 'test/differential', directories[peer] ?? peer, 'run.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  sourcemap: 'inline',
  outfile,
  logLevel: 'error',
})
// process.exit removes temporary directories and ends the programs.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const { main } = await import(pathToFileURL(outfile).href)
process.exit(await main(argv, peer))
