import packageJson from '../../package.json' with { type: 'json' }

/** What web3_clientVersion answers: name, version, platform and runtime, as clients print them. */
export const clientVersion = `Standin/v${packageJson.version}/${process.platform}-${process.arch}/node${process.versions.node}`
