import { expect, it } from 'vitest'
import { InvalidCidError, parseCid } from './parseCid.js'

/** The messages of go-cid 0.6.1 for the same texts. */
it.each([
  ['a', 'cid too short'],
  ['nope', 'selected encoding not supported'],
  ['QmFoo', 'selected encoding not supported'],
  ['QmYWPg7WyMwzvvBA9nuRw5eXue1TCs4pPAm3JQYPWgihV0', "input isn't valid multihash"],
  ['foo', "encoding/hex: invalid byte: U+006F 'o'"],
  ['f0', 'encoding/hex: odd length hex string'],
  ['bafybeiexcowy2vhpk5ywisled7jy3faigf6o7s4czfkdbsumikhevtwneu1', 'illegal base32 data at input byte 58'],
  [
    'bafybeiexcowy2vhpk5ywisled7jy3faigf6o7s4czfkdbsumikhevtwneuaa',
    'trailing bytes in data buffer passed to cid Cast',
  ],
  ['B1', 'illegal base32 data at input byte 0'],
  ['z0', "invalid base58 digit ('0')"],
  ['k51!', "invalid base36 character ('!')"],
  ['U!!', 'illegal base64 data at input byte 0'],
  ['zzz', 'invalid cid: expected 1 as the cid version number, got: 13'],
  ['f01', 'invalid cid: varints malformed, could not reach the end'],
  ['f0155', 'invalid cid: multihash too short. must be >= 2 bytes'],
  ['f0155122000', 'invalid cid: length greater than remaining number of bytes in buffer'],
  ['f80808080808080808080', 'invalid cid: varints larger than uint63 not supported'],
])('refuses %s', (text, reason) => {
  expect(() => parseCid(text)).toThrow(new InvalidCidError(reason))
})

it.each([
  ['f01550000', 'bafkqaaa'],
  ['zQmYWPg7WyMwzvvBA9nuRw5eXue1TCs4pPAm3JQYPWgihVv', 'QmYWPg7WyMwzvvBA9nuRw5eXue1TCs4pPAm3JQYPWgihVv'],
])('accepts %s', (text, same) => {
  expect(parseCid(text).toString()).toBe(same)
})
