import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, createWalletClient, http, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const mnemonic = 'test test test test test test test test test test test junk'
const source = fileURLToPath(new URL('./contracts/Vault.sol', import.meta.url))

/** Compiles the vault with its source map. @returns solc's standard JSON, like hardhat's build-info */
export async function compileVault() {
  const solc = createRequire(import.meta.url)('solc')
  const input = {
    language: 'Solidity',
    sources: { 'contracts/Vault.sol': { content: await readFile(source, 'utf8') } },
    settings: {
      outputSelection: {
        '*': {
          '*': [
            'abi',
            'evm.bytecode.object',
            'evm.deployedBytecode.object',
            'evm.deployedBytecode.sourceMap',
          ],
          '': ['ast'],
        },
      },
    },
  }
  return { input, output: JSON.parse(solc.compile(JSON.stringify(input))) }
}

/** Writes a build into a new directory for `--artifacts`. @returns the directory */
export async function writeBuild(build) {
  const directory = await mkdtemp(join(tmpdir(), 'standin-page-'))
  await mkdir(join(directory, 'build-info'))
  await writeFile(join(directory, 'build-info', 'vault.json'), JSON.stringify(build))
  return directory
}

/**
 * Creates a client with an account of the default mnemonic.
 *
 * @param {string} url
 * @returns {Omit<import('viem').PublicClient, 'account'> & {
 *   account: import('viem').HDAccount
 *   wallet: import('viem').WalletClient<import('viem').HttpTransport, import('viem').Chain, import('viem').HDAccount>
 * }}
 */
export function clientOf(url, addressIndex = 0) {
  const account = mnemonicToAccount(mnemonic, { addressIndex })
  const settings = { chain: foundry, transport: http(url), pollingInterval: 20 }
  return { ...createPublicClient(settings), wallet: createWalletClient({ ...settings, account }), account }
}

/**
 * Deploys oracle and vault, deposits, and withdraws more than the oracle allows, which reverts.
 *
 * @param {string} url
 * @param {Awaited<ReturnType<typeof compileVault>>} build
 * @returns {Promise<{
 *   client: ReturnType<typeof clientOf>
 *   oracle: import('viem').Address
 *   vault: import('viem').Address
 *   failed: import('viem').Hash
 *   abi: import('viem').Abi
 * }>}
 */
export async function useVault(url, { output }) {
  const client = clientOf(url)
  const { Oracle, Vault } = output.contracts['contracts/Vault.sol']
  const deploy = async ({ abi, evm }, args) => {
    const hash = await client.wallet.deployContract({ abi, bytecode: `0x${evm.bytecode.object}`, args })
    return (await client.waitForTransactionReceipt({ hash })).contractAddress ?? '0x'
  }
  const oracle = await deploy(Oracle, [parseEther('1')])
  const vault = await deploy(Vault, [oracle, 'Reserve'])
  const write = (functionName, args, options = {}) =>
    client.wallet.writeContract({ address: vault, abi: Vault.abi, functionName, args, ...options })
  await client.waitForTransactionReceipt({ hash: await write('deposit', [], { value: parseEther('5') }) })
  await client.waitForTransactionReceipt({ hash: await write('withdraw', [parseEther('0.5')]) })
  const failed = await write('withdraw', [parseEther('3')], { gas: 200_000n })
  await client.waitForTransactionReceipt({ hash: failed })
  return { client, oracle, vault, failed, abi: Vault.abi }
}
