import { expect, it } from 'vitest'
import { decodeBulkRow, encodeBulkRow } from './bulkRow.js'

it('holds a position of six bytes, a length and a checksum of four each, little-endian', () => {
  const row = encodeBulkRow({ position: 0xfedcba987654, length: 0xf1e2d3c4, checksum: 0x89abcdef })
  expect(row).toEqual(
    Uint8Array.of(0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xc4, 0xd3, 0xe2, 0xf1, 0xef, 0xcd, 0xab, 0x89),
  )
  expect(decodeBulkRow(row)).toEqual({ position: 0xfedcba987654, length: 0xf1e2d3c4, checksum: 0x89abcdef })
})
