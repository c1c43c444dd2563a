import { readFileSync } from 'node:fs'

/** Version from the package manifest, one directory above the sources and above the bundles. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

/** The node's web3_clientVersion: name, version, platform, runtime. */
export const clientVersion = `Standin/v${version}/${process.platform}-${process.arch}/node${process.versions.node}`
