import { readFileSync } from 'node:fs'

/** The version of this package, of its manifest, which lies one folder above the sources and above the bundles. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

/** What the node calls itself, as web3_clientVersion answers it: name, version, platform, runtime. */
export const clientVersion = `Standin/v${version}/${process.platform}-${process.arch}/node${process.versions.node}`
