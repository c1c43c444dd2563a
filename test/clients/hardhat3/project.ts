import { sharedTests } from '../hardhatProject.js'

/** A hardhat 3 project. Its configuration names a local compiler, to avoid a download. */
export const configuration = `
import { defineConfig } from 'hardhat/config'
import ethers from '@nomicfoundation/hardhat-ethers'
import matchers from '@nomicfoundation/hardhat-ethers-chai-matchers'
import mocha from '@nomicfoundation/hardhat-mocha'
import helpers from '@nomicfoundation/hardhat-network-helpers'
import verify from '@nomicfoundation/hardhat-verify'
import upgrades from '@openzeppelin/hardhat-upgrades'
export default defineConfig({
  plugins: [ethers, matchers, mocha, helpers, verify, upgrades],
  solidity: { version: '0.8.37', path: process.env.SOLC_PATH, settings: { evmVersion: 'prague' } },
  networks: { standin: { type: 'http', url: process.env.RPC_URL, timeout: 60000 } },
  test: { mocha: { timeout: 60000 } },
})
`

/** Its tests: chai matchers, fixtures, OpenZeppelin's upgrades and the network helpers. */
export const tests = `
import { expect } from 'chai'
import hre, { network } from 'hardhat'
import { upgrades as createUpgrades } from '@openzeppelin/hardhat-upgrades'

const connection = await network.create('standin')
const { ethers, networkHelpers: helpers, provider } = connection
const { time, loadFixture } = helpers
const upgrades = await createUpgrades(hre, connection)
const address = '0x' + 'cd'.repeat(20)
${sharedTests}
it('matchers detect why a transaction failed', async () => {
  const { vault, unlock, other } = await loadFixture(deployed)
  await expect(ethers.deployContract('Vault', [1])).to.be.revertedWith('too late')
  await expect(vault.withdraw()).to.be.revertedWith('too early')
  await time.increaseTo(unlock)
  await expect(vault.connect(other).withdraw()).to.be.revertedWith('not the owner')
  await expect(vault.refuse()).to.be.revertedWithCustomError(vault, 'Refused').withArgs(7, 'no')
  await expect(vault.refuse({ gasLimit: 100000 })).to.be.revertedWithCustomError(vault, 'Refused')
  await expect(vault.failSilently()).to.be.revertedWithoutReason(ethers)
  await expect(vault.divide(0)).to.be.revertedWithPanic(0x12)
})

it('matchers detect what a transaction did', async () => {
  const { vault, unlock, owner } = await loadFixture(deployed)
  await expect(vault.setNumber(7)).to.emit(vault, 'NumberSet').withArgs(owner.address, 7)
  await time.increaseTo(unlock)
  await expect(vault.withdraw()).to.changeEtherBalances(ethers, [owner, vault], [10n ** 9n, -(10n ** 9n)])
})

it('helpers move the clock, set the state and drop transactions', async () => {
  const now = await time.latest()
  await time.setNextBlockTimestamp(now + 300)
  await helpers.mine()
  expect(await time.latest()).to.equal(now + 300)
  const height = await time.latestBlock()
  await helpers.mineUpTo(height + 100)
  expect(await time.latestBlock()).to.equal(height + 100)
  await helpers.setBalance(address, 100n ** 9n)
  await helpers.setNonce(address, 10)
  await helpers.setCode(address, '0x6001')
  await helpers.setStorageAt(address, 0, 5)
  expect(await ethers.provider.getBalance(address)).to.equal(100n ** 9n)
  expect(await ethers.provider.getTransactionCount(address)).to.equal(10)
  expect(await ethers.provider.getCode(address)).to.equal('0x6001')
  expect(BigInt(await helpers.getStorageAt(address, 0))).to.equal(5n)
  const [sender] = await ethers.getSigners()
  await provider.request({ method: 'evm_setAutomine', params: [false] })
  const { hash } = await sender.sendTransaction({ to: address, gasLimit: 21000 })
  expect(await helpers.dropTransaction(hash)).to.equal(true)
  await provider.request({ method: 'evm_setAutomine', params: [true] })
})

it('accounts are impersonated', async () => {
  const [someone] = await ethers.getSigners()
  await helpers.setCode(address, '0x')
  await helpers.setBalance(address, 10n ** 18n)
  await helpers.impersonateAccount(address)
  const signer = await ethers.getSigner(address)
  const receipt = await (await signer.sendTransaction({ to: someone.address, value: 1n })).wait()
  expect(receipt.from.toLowerCase()).to.equal(address)
  await helpers.stopImpersonatingAccount(address)
})

it('snapshots restore the chain', async () => {
  const snapshot = await helpers.takeSnapshot()
  const height = await time.latestBlock()
  await helpers.mine(3)
  await snapshot.restore()
  expect(await time.latestBlock()).to.equal(height)
})
`
