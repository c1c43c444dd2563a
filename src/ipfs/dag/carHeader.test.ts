import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { decodeCarHeader } from './carHeader.js'

const cid = CID.parse('bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq')
const link = `5825${'00'}${Buffer.from(cid.bytes).toString('hex')}`
const roots = '65726f6f7473'
const version = '6776657273696f6e'

const decode = (digits: string) => decodeCarHeader(Buffer.from(digits, 'hex'))

// As Kubo 0.42.0 accepts and refuses them in dag/import.
describe('the header of a CAR', () => {
  it.each([
    ['with tagged links', `a2${roots}81d82a${link}${version}01`],
    ['with another tag', `a2${roots}81d829${link}${version}01`],
    ['without a tag', `a2${roots}81${link}${version}01`],
    ['of indefinite length', `bf${roots}9fd82a${link}ff${version}01ff`],
    ['with a repeated key', `a3${roots}81d82a${link}${version}02${version}01`],
    ['followed by other bytes', `a2${roots}81d82a${link}${version}01ffff`],
  ])('%s is accepted', async (_, digits) => {
    const header = await decode(digits)
    expect(header.version).toBe(1)
    expect(header.roots.map(String)).toEqual([cid.toString()])
  })

  it.each([
    ['80', 'malformed stream: invalid appearance of array open token; expected start of map'],
    ['ff', 'Invalid majorByte: 0xff'],
    [`a14161`, 'malformed stream: invalid appearance of bytes token; expected map key'],
    [
      `a1617801`,
      'unmarshal error: stream contains key "x", but there\'s no such field in structs of type carv1.CarHeader',
    ],
    [`a1${roots}${link}`, 'malformed stream: invalid appearance of bytes token; expected start of array'],
    [`a1${roots}81d829${link.replace('582500', '5824')}`, 'invalid multibase on IPLD link'],
    [`a1${roots}81d82a4101`, 'invalid multibase on IPLD link'],
    [`a1${roots}81d82a4100`, 'link value should have been bytes'],
    [`a1${roots}81f6`, 'link value was empty'],
    [`a1${roots}81d8296161`, 'unmarshal error: cannot assign _41:<s:"a"> to slice field'],
    [`a1${roots}8180`, 'unmarshal error: cannot assign <[:0> to slice field'],
    [`a1${version}4101`, 'unmarshal error: cannot assign <x:[1]> to uint64 field'],
    [`a1${version}20`, 'unmarshal error: cannot assign <i:-1> to uint64 field'],
    [`a1${roots}`, 'EOF'],
    [`a2${roots}81d82a${link.slice(0, 20)}`, 'unexpected EOF'],
  ])('%s is refused', async (digits, reason) => {
    await expect(decode(digits)).rejects.toThrow(`invalid header: ${reason}`)
  })

  it('may have a version beyond 2^53', async () => {
    expect((await decode(`a1${version}1bffffffffffffffff`)).version).toBe(2n ** 64n - 1n)
  })
})
