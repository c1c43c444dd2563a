import { createHash, randomBytes } from 'node:crypto'

/** A CID of version 1 of raw bytes: version, codec, and the multihash of SHA-256. */
function cidOf(bytes) {
  const digest = createHash('sha256').update(bytes).digest()
  return Buffer.concat([Buffer.from([0x01, 0x55, 0x12, 0x20]), digest])
}

function varint(value) {
  const bytes = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** The header of a CAR as DAG-CBOR: `{ roots: [cid], version: 1 }`, with the CID as tag 42 of a byte string. */
function header(root) {
  const text = (value) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const link = Buffer.concat([Buffer.from([0xd8, 0x2a, 0x58, root.length + 1, 0x00]), root])
  return Buffer.concat([
    ...[Buffer.from([0xa2]), text('roots'), Buffer.from([0x81]), link],
    ...[text('version'), Buffer.from([0x01])],
  ])
}

/** A CAR of blocks of random bytes that no store has yet, so many of each size. */
export function randomCar(counts) {
  const sections = []
  let root
  for (const [size, count] of counts) {
    for (let i = 0; i < count; i++) {
      const block = randomBytes(size)
      const cid = cidOf(block)
      root ??= cid
      sections.push(varint(cid.length + block.length), cid, block)
    }
  }
  const head = header(root)
  return Buffer.concat([varint(head.length), head, ...sections])
}
