import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { getActivePrecompiles, paramsEVM, type ExecResult, type PrecompileFunc } from '@ethereumjs/evm'
import { getDiffieHellman } from 'node:crypto'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/programs.js'
import { bigintToBytes } from '../../encoding/hex.js'
import { yieldingModexp } from './modexp.js'

const random = seededRandom(198)
const bytes = (length: number) => Uint8Array.from({ length }, () => random(256))

function encode(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Buffer {
  const lengths = [base, exponent, modulus].map(({ length }) => bigintToBytes(BigInt(length), 32))
  return Buffer.concat([...lengths, base, exponent, modulus])
}

function libraryOf(hardfork: Hardfork): { library: PrecompileFunc; common: Common } {
  const common = new Common({ chain: Mainnet, hardfork, params: paramsEVM })
  const library = getActivePrecompiles(common).get('0000000000000000000000000000000000000005')
  if (library === undefined) throw new Error(`there is no such precompile in ${hardfork}`)
  return { library, common }
}

async function run(
  precompile: PrecompileFunc,
  data: Uint8Array,
  common: Common,
  gasLimit: bigint,
): Promise<ExecResult> {
  return precompile({ data, gasLimit, common } as never)
}

test.each([Hardfork.Byzantium, Hardfork.Berlin, Hardfork.Osaka])(
  'random powers, gas and refusals are those of the library in %s',
  async (hardfork) => {
    const { library, common } = libraryOf(hardfork)
    let computed = 0
    for (let round = 0; round < 60; round++) {
      const modulus = bytes(1 + random(300))
      if (random(8) === 0) modulus.fill(0)
      if (random(8) === 0) modulus.fill(0).set([1], modulus.length - 1)
      const exponent = bytes(random(300))
      exponent.fill(0, 0, random(3) === 0 ? random(300) : 0)
      const whole = encode(bytes(random(300)), exponent, modulus)
      const data = whole.subarray(0, random(4) === 0 ? random(whole.length) : whole.length)
      const gasLimit = random(4) === 0 ? 500_000n : 10n ** 12n
      const expected = await run(library, data, common, gasLimit)
      const result = await run(yieldingModexp(library), data, common, gasLimit)
      expect(result).toEqual(expected)
      if (expected.returnValue.some((byte) => byte > 1)) computed++
    }
    expect(computed).toBeGreaterThan(20)
  },
)

test('a power of p - 1 is 1 modulo a prime p, and takes many turns of the event loop', async () => {
  const { library, common } = libraryOf(Hardfork.Berlin)
  const prime = getDiffieHellman('modp16').getPrime()
  const exponent = Buffer.from(prime)
  exponent.writeUInt8((exponent.at(-1) as number) - 1, exponent.length - 1)
  const data = encode(bytes(512), exponent, prime)
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const { returnValue } = await run(yieldingModexp(library), data, common, 10n ** 12n)
  clearInterval(counting)
  expect(Buffer.from(returnValue).toString('hex')).toBe('1'.padStart(1024, '0'))
  expect(turns).toBeGreaterThan(5)
})
