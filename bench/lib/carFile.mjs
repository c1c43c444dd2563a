import { createHash, randomBytes } from 'node:crypto'

/** Returns the CIDv1 of raw bytes: version, codec and SHA-256 multihash. */
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

/** Encodes a CAR header in DAG-CBOR: `{ roots: [cid], version: 1 }`, with the CID as a byte string with tag 42. */
function header(root) {
  const text = (value) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const link = Buffer.concat([Buffer.from([0xd8, 0x2a, 0x58, root.length + 1, 0x00]), root])
  return Buffer.concat([
    ...[Buffer.from([0xa2]), text('roots'), Buffer.from([0x81]), link],
    ...[text('version'), Buffer.from([0x01])],
  ])
}

/** Makes a CAR of random blocks, which no store has yet. @param counts - pairs of block size and number of blocks */
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
