import { defineConfig } from 'vite'
import { compile } from './src/compile.js'

const { RPC_URL, CHAIN_ID, IPFS_API_URL, IPFS_API_KEY, IPFS_API_SECRET } = process.env

/** What `standin exec` tells, and the compiled contract, as `import provider from 'virtual:provider'`. */
const settings = {
  name: 'settings',
  resolveId: (id) => (id.startsWith('virtual:') ? `\0${id}` : undefined),
  load: (id) => {
    if (id === '\0virtual:picture') return `export default ${JSON.stringify(compile())}`
    if (id !== '\0virtual:provider') return undefined
    return `export default ${JSON.stringify({
      rpcUrl: RPC_URL,
      chainId: Number(CHAIN_ID ?? 31337),
      ipfsUrl: IPFS_API_URL,
      // A page that others see asks its own server to upload: a secret is no secret in a browser.
      ipfsKey: IPFS_API_KEY,
      ipfsSecret: IPFS_API_SECRET,
    })}`
  },
}

export default defineConfig({
  plugins: [settings],
  // A busy machine may take its time over the first start of a node; nothing here tests how long.
  test: { testTimeout: 60_000, hookTimeout: 60_000 },
})
