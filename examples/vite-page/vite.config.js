import { defineConfig } from 'vite'
import { compile } from './src/compile.js'

const { RPC_URL, CHAIN_ID, IPFS_API_URL, IPFS_API_KEY, IPFS_API_SECRET } = process.env

/**
 * Provides the settings from `standin exec` and the compiled contract as virtual modules, such as `virtual:provider`.
 */
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
      // A public page must upload through its own server, because a browser cannot keep a secret.
      ipfsKey: IPFS_API_KEY,
      ipfsSecret: IPFS_API_SECRET,
    })}`
  },
}

export default defineConfig({
  plugins: [settings],
  // The first start of a node may take long on a busy machine.
  test: { testTimeout: 60_000, hookTimeout: 60_000 },
})
