import { keccak256, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

let node: StandinNode
beforeAll(async () => {
  node = await createNode({ listen: false, txGasLimit: true })
})
afterAll(() => node.stop())

const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const to = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const contents = { from, to, value: '0x1', gas: '0x5208', nonce: '0x10' }
const complete = { ...contents, maxFeePerGas: '0x4a817c800', maxPriorityFeePerGas: '0x3b9aca00' }
const blobHash = `0x01${'00'.repeat(31)}`

/** A signed transaction, as eth_signTransaction and eth_fillTransaction return it. */
interface Signed {
  raw: Hex
  tx: Record<string, unknown> & { blobs?: Hex[]; proofs?: Hex[] }
}

const sign = (transaction: object) => node.request('eth_signTransaction', [transaction]) as Promise<Signed>

describe('eth_signTransaction', () => {
  // Recorded from geth 1.17.10 with the same key.
  test.each<[string, object, Hex]>([
    [
      'with a gas price',
      { ...contents, gasPrice: '0x4a817c800' },
      '0xf866108504a817c800825208943c44cdddb6a900fa2b585dd299e03d12fa4293bc018082f4f6a0e6fe726e05f1b0e04333d6eb1556dd2dd6ce73061db668acd62c896580b8fa66a00f4c8d02f70401b04261969c84d57be85101dbcbe176bcbb49ce66d4fc9b7292',
    ],
    [
      'with more gas than a transaction may have',
      { ...complete, gas: '0x2000000' },
      '0x02f86f827a6910843b9aca008504a817c8008402000000943c44cdddb6a900fa2b585dd299e03d12fa4293bc0180c001a02d9cee20926402a2b3b5fcc0173c60c92cbdff83809f8176bff12770448b2449a0012a8aa77336e25842ee33f0e914a81918b4caa5cb4db00b38bae23395e999c9',
    ],
    [
      'with the highest nonce',
      { ...complete, nonce: '0xffffffffffffffff' },
      '0x02f875827a6988ffffffffffffffff843b9aca008504a817c800825208943c44cdddb6a900fa2b585dd299e03d12fa4293bc0180c080a0f426997116158e18d20ab69a44f1c8877fa452d9e104bba4a50b4e07ae2c0b52a0686f30e59178a768b828e7e9278264fd725ffeea434a0a1d6e8880a6a45d10d9',
    ],
    [
      'with no authorization in its list',
      { ...complete, authorizationList: [] },
      '0x04f86e827a6910843b9aca008504a817c800825208943c44cdddb6a900fa2b585dd299e03d12fa4293bc0180c0c001a0898369c7752244dcd2e89a219fe8ccbf8c503d13cd009338541e191cd964ede7a0165140f8d02db175f0003ccc83e4e3cd79969024f37c0e0d562ad389f4bbeb05',
    ],
    [
      'with hashes of unknown blobs',
      { ...complete, blobVersionedHashes: [blobHash], maxFeePerBlobGas: '0x64' },
      '0x03f895f890827a6910843b9aca008504a817c800825208943c44cdddb6a900fa2b585dd299e03d12fa4293bc0180c064e1a0010000000000000000000000000000000000000000000000000000000000000001a0b90f2019ff32324d51a1593bb86aa2c17450a160d2536d6bb0f292ea28e3fcb6a079eef837d7aa3f7acdb1f520a5aba5de3f89d066c9b038b9baa6ae2e4c341e6fc0c0c0',
    ],
  ])('signs a transaction %s', async (_, transaction, raw) => {
    const signed = await sign(transaction)
    expect(signed.raw).toBe(raw)
    expect(signed.tx).not.toHaveProperty('blobs')
  })

  test('signs a transaction with blobs, and proves them', async () => {
    const blobs = [`0x${'00'.repeat(131_072)}`]
    const { raw, tx } = await sign({ ...complete, blobs, maxFeePerBlobGas: '0x64' })
    // Recorded from geth 1.17.10.
    expect([raw.length, keccak256(raw)]).toEqual([
      275_116,
      '0x29c534d1ab8686f2e2901d38e7da20198a3908b0d8b30fc2ef6a2c20a95c9c82',
    ])
    expect(tx['hash']).toBe('0x5d57207026e9335c934fa3af713f0a7b3677e28a044feac8d8b176fc5d55638a')
    expect([tx.blobs?.length, tx.proofs?.length]).toEqual([1, 128])
  }, 30_000)
})

test.each([{ blobVersionedHashes: [blobHash] }, { blobVersionedHashes: [] }, { maxFeePerBlobGas: '0x5' }])(
  'eth_sendTransaction refuses %j',
  async (fields) => {
    await expect(node.request('eth_sendTransaction', [{ ...complete, ...fields }])).rejects.toMatchObject({
      code: -32000,
      message: 'signing blob transactions not supported',
    })
  },
)
