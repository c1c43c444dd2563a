import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startDevnet } from '../devnet/support.js'

const execute = promisify(execFile)

/** A hardhat project with the command that runs its tests. */
export interface HardhatProject {
  /** Directory of packages that contains hardhat. */
  packages: string
  /** Node, and the path of hardhat's command in the packages. */
  program: string
  commandLine: string
  /** Name of the network in its configuration that is this node. */
  network: string
  files: Readonly<Record<string, string>>
}

/** Runs the tests of a project in a temporary directory against their own node. @returns their output */
export async function runHardhatTests(project: HardhatProject): Promise<string> {
  const { packages, program, commandLine, network, files } = project
  const { node } = await startDevnet({ compat: 'hardhat' })
  const folder = await mkdtemp(join(tmpdir(), 'standin-hardhat-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    await mkdir(join(folder, 'contracts'))
    for (const contract of ['Vault.sol', 'Box.sol']) {
      await copyFile(join('test/clients/hardhat2', contract), join(folder, 'contracts', contract))
    }
    await symlink(packages, join(folder, 'node_modules'))
    const { stdout } = await execute(program, [join(packages, commandLine), 'test', '--network', network], {
      cwd: folder,
      env: {
        ...process.env,
        RPC_URL: node.url,
        SOLC_PATH: resolve('node_modules/solc/soljson.js'),
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        NODE_ENV: 'production',
      },
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`)
    })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Tests for both versions of hardhat: fixtures and OpenZeppelin's upgrades. */
export const sharedTests = `
async function deployed() {
  const unlock = (await time.latest()) + 1000
  const [owner, other] = await ethers.getSigners()
  const vault = await ethers.deployContract('Vault', [unlock], { value: 10n ** 9n })
  return { vault, unlock, owner, other }
}

it('fixtures are restored', async () => {
  const { vault } = await loadFixture(deployed)
  await vault.setNumber(1)
  const again = await loadFixture(deployed)
  expect(again.vault.target).to.equal(vault.target)
  expect(await again.vault.number()).to.equal(0n)
})

it('a proxy is deployed and upgraded', async () => {
  const Box = await ethers.getContractFactory('Box')
  const box = await upgrades.deployProxy(Box, [41])
  await box.waitForDeployment()
  expect(await box.number()).to.equal(41n)
  await expect(box.initialize(1)).to.be.revertedWithCustomError(box, 'AlreadyInitialized').withArgs(41)
  const before = await upgrades.erc1967.getImplementationAddress(box.target)
  const larger = await upgrades.upgradeProxy(box, await ethers.getContractFactory('LargerBox'))
  expect(larger.target).to.equal(box.target)
  expect(await upgrades.erc1967.getImplementationAddress(box.target)).not.to.equal(before)
  await larger.increment()
  expect(await larger.number()).to.equal(42n)
  const wrong = upgrades.upgradeProxy(box, await ethers.getContractFactory('WrongBox'))
  expect((await wrong.catch((error) => error)).message).to.match(/New storage layout is incompatible/)
})

it('a contract upgrades itself, and a beacon upgrades many', async () => {
  const own = await upgrades.deployProxy(await ethers.getContractFactory('OwnBox'), [41], { kind: 'uups' })
  const larger = await upgrades.upgradeProxy(own, await ethers.getContractFactory('LargerOwnBox'))
  await larger.increment()
  expect(await own.number()).to.equal(42n)

  const Box = await ethers.getContractFactory('Box')
  const LargerBox = await ethers.getContractFactory('LargerBox')
  const beacon = await upgrades.deployBeacon(Box)
  const boxes = []
  for (const number of [1, 2]) boxes.push(await upgrades.deployBeaconProxy(beacon, Box, [number]))
  await upgrades.upgradeBeacon(beacon, LargerBox)
  for (const box of boxes) await LargerBox.attach(box.target).increment()
  expect(await Promise.all(boxes.map((box) => box.number()))).to.deep.equal([2n, 3n])
})
`
