import { sharedTests } from '../hardhatProject.js'

/** A hardhat 2 project. Its configuration names a local compiler, to avoid a download. */
export const configuration = `
require('@nomicfoundation/hardhat-ethers')
require('@nomicfoundation/hardhat-chai-matchers')
require('@nomicfoundation/hardhat-ignition-ethers')
require('@openzeppelin/hardhat-upgrades')
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: process.env.SOLC_PATH, isSolcJs: true, version: '0.8.37', longVersion: '0.8.37',
}))
module.exports = {
  solidity: { version: '0.8.37', settings: { evmVersion: 'prague' } },
  networks: { localhost: { url: process.env.RPC_URL, timeout: 60000 } },
  mocha: { timeout: 60000 },
}
`

/** Its ignition module. */
export const ignitionModule = `
const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')
module.exports = buildModule('Vaults', (m) => {
  const vault = m.contract('Vault', [m.getParameter('time', 4102444800n)], { value: 1n })
  m.call(vault, 'setNumber', [5n])
  return { vault }
})
`

/** Its tests: chai matchers, fixtures, ignition and every network helper. */
export const tests = `
const helpers = require('@nomicfoundation/hardhat-network-helpers')
const { time, loadFixture, mine, mineUpTo } = helpers
const { expect } = require('chai')
const { ethers, network, ignition, upgrades } = require('hardhat')
const Vaults = require('../ignition/modules/Vaults')
const address = '0x' + 'cd'.repeat(20)
const send = (method, ...params) => network.provider.send(method, params)
${sharedTests}
it('matchers detect why a transaction failed', async () => {
  const { vault, unlock, other } = await loadFixture(deployed)
  await expect(ethers.deployContract('Vault', [1])).to.be.revertedWith('too late')
  await expect(vault.withdraw()).to.be.revertedWith('too early')
  await time.increaseTo(unlock)
  await expect(vault.connect(other).withdraw()).to.be.revertedWith('not the owner')
  await expect(vault.refuse()).to.be.revertedWithCustomError(vault, 'Refused').withArgs(7, 'no')
  await expect(vault.refuse({ gasLimit: 100000 })).to.be.revertedWithCustomError(vault, 'Refused')
  await expect(vault.failSilently()).to.be.revertedWithoutReason()
  await expect(vault.divide(0)).to.be.revertedWithPanic(0x12)
})

it('matchers detect what a transaction did', async () => {
  const { vault, unlock, owner } = await loadFixture(deployed)
  await expect(vault.setNumber(7)).to.emit(vault, 'NumberSet').withArgs(owner.address, 7)
  expect(await vault.queryFilter(vault.filters.NumberSet(owner.address))).to.have.length(1)
  await time.increaseTo(unlock)
  await expect(vault.withdraw()).to.changeEtherBalances([owner, vault], [10n ** 9n, -(10n ** 9n)])
})

it('ignition deploys', async () => {
  const { vault } = await ignition.deploy(Vaults)
  expect(await vault.number()).to.equal(5n)
})

it('time helpers', async () => {
  const now = await time.latest()
  await time.increase(100)
  expect(await time.latest()).to.equal(now + 100)
  await time.increaseTo(now + 200)
  expect(await time.latest()).to.equal(now + 200)
  await time.setNextBlockTimestamp(now + 300)
  await mine()
  expect(await time.latest()).to.equal(now + 300)
  const height = await time.latestBlock()
  await mine(100, { interval: 60 })
  expect(await time.latestBlock()).to.equal(height + 100)
  await mineUpTo(height + 200)
  expect(await time.latestBlock()).to.equal(height + 200)
})

it('state helpers', async () => {
  await helpers.setBalance(address, 100n ** 9n)
  await helpers.setNonce(address, 10)
  await helpers.setCode(address, '0x6001')
  await helpers.setStorageAt(address, 0, 5)
  expect(await ethers.provider.getBalance(address)).to.equal(100n ** 9n)
  expect(await ethers.provider.getTransactionCount(address)).to.equal(10)
  expect(await ethers.provider.getCode(address)).to.equal('0x6001')
  expect(BigInt(await helpers.getStorageAt(address, 0))).to.equal(5n)
  await helpers.setBalance(address, '0x00')
  expect(await ethers.provider.getBalance(address)).to.equal(0n)
})

it('block helpers', async () => {
  await helpers.setCoinbase(address)
  await helpers.setPrevRandao(1234)
  await helpers.setNextBlockBaseFeePerGas(10n ** 10n)
  await helpers.setBlockGasLimit(20_000_000)
  await mine()
  const block = await send('eth_getBlockByNumber', 'latest', false)
  expect(block.miner).to.equal(address)
  expect(BigInt(block.mixHash)).to.equal(1234n)
  expect(BigInt(block.baseFeePerGas)).to.equal(10n ** 10n)
  expect(BigInt(block.gasLimit)).to.equal(20_000_000n)
  await helpers.setBlockGasLimit(30_000_000)
})

it('impersonation', async () => {
  const [someone] = await ethers.getSigners()
  await helpers.setCode(address, '0x')
  await helpers.setBalance(address, 10n ** 18n)
  const signer = await ethers.getImpersonatedSigner(address)
  const receipt = await (await signer.sendTransaction({ to: someone.address, value: 1n })).wait()
  expect(receipt.from.toLowerCase()).to.equal(address)
  await helpers.stopImpersonatingAccount(address)
  await expect(signer.sendTransaction({ to: someone.address })).to.be.rejected
})

it('dropped transactions, snapshots, refusals', async () => {
  const [sender] = await ethers.getSigners()
  await send('evm_setAutomine', false)
  const { hash } = await sender.sendTransaction({ to: address, gasLimit: 21000 })
  expect(await helpers.dropTransaction(hash)).to.equal(true)
  await send('evm_setAutomine', true)
  const snapshot = await helpers.takeSnapshot()
  const height = await time.latestBlock()
  await mine(3)
  await snapshot.restore()
  expect(await time.latestBlock()).to.equal(height)
  const nonce = (await sender.getNonce()) + 5
  await expect(sender.sendTransaction({ to: address, nonce })).to.be.rejectedWith('Nonce too high')
})

it('interval mining counts milliseconds', async () => {
  await send('evm_setIntervalMining', 100)
  const height = await time.latestBlock()
  while ((await time.latestBlock()) < height + 3) await new Promise((resolve) => setTimeout(resolve, 50))
  await send('evm_setIntervalMining', 0)
})

it('reset', async () => {
  await helpers.reset()
  expect(await time.latestBlock()).to.equal(0)
})
`
