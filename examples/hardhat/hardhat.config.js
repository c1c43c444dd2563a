import { fileURLToPath } from 'node:url'
import nodeTestRunner from '@nomicfoundation/hardhat-node-test-runner'
import viem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'
import { standinNetwork } from 'standin/hardhat'

export default defineConfig({
  plugins: [nodeTestRunner, viem],
  // Compiler from npm, to avoid a download.
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
  networks: { standin: standinNetwork() },
})
