import { randomBytes, randomFillSync } from 'node:crypto'
import { request } from 'node:http'
import { importer } from 'ipfs-unixfs-importer'

const MEBIBYTE = 1024 * 1024
/** Block size of files in bytes. */
const BLOCK = 256 * 1024
const BOUNDARY = 'standin-bench'

/** End of a multipart body, after the last part. */
export const partEnd = `\r\n--${BOUNDARY}--\r\n`

/** Returns the beginning of a part of a multipart body. */
export function partHead(name) {
  return (
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
    'content-type: application/octet-stream\r\n\r\n'
  )
}

/** Posts a body. @returns status, length and last chunk of the response */
export async function post(url, pieces) {
  const headers = pieces && { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const sending = request(url, { method: 'POST', headers })
  const answered = new Promise((resolve, reject) => {
    sending.once('response', resolve).once('error', reject)
  })
  for (const piece of pieces ?? []) {
    if (!sending.write(piece)) await new Promise((drained) => sending.once('drain', drained))
  }
  sending.end()
  const response = await answered
  const received = { status: response.statusCode, length: 0, last: undefined }
  for await (const bytes of response) {
    received.length += bytes.length
    received.last = bytes
  }
  if (received.status !== 200) throw new Error(`${url}: ${received.status} ${received.last}`)
  return received
}

/**
 * Yields an upload of one large file without duplicate blocks. Generating it is cheap, because the client shares the
 * processors with the node that it measures. A piece stays valid until the one after the next is taken.
 */
export function* largeFile(mebibytes) {
  const pieces = [randomBytes(MEBIBYTE), randomBytes(MEBIBYTE)]
  yield partHead('a')
  for (let sent = 0; sent < mebibytes; sent++) {
    const piece = pieces[sent % pieces.length]
    for (let at = 0; at < MEBIBYTE; at += BLOCK) randomFillSync(piece, at, 16)
    yield piece
  }
  yield partEnd
}

/** Returns the content of a small file, different for each round and index. */
function smallFile(round, index) {
  return Buffer.from(`round ${round} file ${index} `.repeat(16))
}

/** Yields an upload of a directory of small files, different in every round. */
export function* directory(round, count) {
  let pieces = []
  for (let index = 0; index < count; index++) {
    pieces.push(Buffer.from(partHead(`d%2F${index}`)), smallFile(round, index), Buffer.from('\r\n'))
    if (pieces.length < 300) continue
    yield Buffer.concat(pieces)
    pieces = []
  }
  yield Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

/** Runs the importer on an in-memory store, with the settings of the node's default profile. */
export async function importAlone(round, count) {
  const blocks = new Map()
  const store = {
    put: (cid, bytes) => {
      blocks.set(cid.toString(), bytes)
      return cid
    },
    get: (cid) => blocks.get(cid.toString()),
    has: (cid) => blocks.has(cid.toString()),
  }
  const files = Array.from({ length: count }, (_, index) => ({
    path: `d/${index}`,
    content: smallFile(round, index),
  }))
  let root
  for await (const { cid } of importer(files, store, { cidVersion: 0, rawLeaves: false })) root = cid
  return root
}

/** Returns the CID in the last line of an answer to `add`. */
export function textOf(answer) {
  return JSON.parse(answer.trim().split('\n').at(-1)).Hash
}

/** Reads a file of 1 MiB with many concurrent readers. Throws unless each receives all of it. */
export async function readAtOnce(url, cid, readers) {
  const read = Array.from({ length: readers }, () => post(`${url}/api/v0/cat?arg=${cid}`))
  const lengths = (await Promise.all(read)).map(({ length }) => length)
  if (lengths.some((length) => length !== MEBIBYTE))
    throw new Error('a reader received a wrong number of bytes')
}

/** Makes an upload of one file: 1 MiB of random bytes. */
export function mebibyteFile() {
  return [partHead('m'), randomBytes(MEBIBYTE), partEnd]
}
