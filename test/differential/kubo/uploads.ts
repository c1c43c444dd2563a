import type { Random } from '../support/random.js'

/** A body with its content type. */
export interface Upload {
  headers: Record<string, string>
  body: Uint8Array
}

interface Part {
  name: string
  field?: string
  type: string
  content: Uint8Array
}

const boundary = 'differential-boundary'

function multipart(parts: readonly Part[]): Upload {
  const pieces = parts.flatMap(({ name, field = 'file', type, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${encodeURIComponent(name)}"\r\n` +
        `Content-Type: ${type}\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** One file, or one for each content. */
export function uploadOf(...contents: (Uint8Array | string)[]): Upload {
  return multipart(
    contents.map((content, index) => ({
      name: index === 0 ? 'data' : `data-${index}`,
      type: 'application/octet-stream',
      content: Buffer.from(content as string),
    })),
  )
}

const names = [
  'a',
  'b.txt',
  'c d',
  'é',
  'index.html',
  'dir/x',
  'dir/y',
  'dir/deep/z',
  'page.html',
  'x.json',
  '%41',
  '_',
]
const sizes = [0, 1, 5, 31, 32, 33, 127, 128, 129, 300, 4096, 262_143, 262_144, 262_145, 600_000, 1_100_000]
const fields = [
  'file',
  'file?mode=0644',
  'file?mode=4755',
  'file?mtime=500',
  'file?mode=600&mtime=1&mtime-nsecs=9',
]

/** Content of a few sorts: text, repeated bytes, random bytes. */
export function randomContent(random: Random, size = random.pick(sizes)): Buffer {
  const sort = random.below(3)
  if (sort === 0) return Buffer.alloc(size, `text ${random.below(4)}\n`)
  return sort === 1 ? Buffer.alloc(size, random.below(3)) : random.bytes(size)
}

/** Files, directories and symlinks as clients upload them. */
export function randomTree(random: Random): Upload {
  const parts: Part[] = []
  const count = random.pick([1, 1, 1, 2, 3, 5])
  if (random.chance(0.2)) {
    parts.push({
      name: 'dir',
      type: 'application/x-directory',
      content: Buffer.alloc(0),
      field: random.pick(fields),
    })
  }
  for (let index = 0; index < count; index++) {
    const name = random.chance(0.1) ? '' : random.pick(names)
    const field = random.chance(0.3) ? random.pick(fields) : 'file'
    if (random.chance(0.08)) {
      parts.push({
        name,
        field,
        type: 'application/symlink',
        content: Buffer.from(random.pick(['a', '../b', ''])),
      })
    } else {
      const size = random.chance(0.8) ? random.pick(sizes.slice(0, 11)) : random.pick(sizes)
      parts.push({ name, field, type: 'application/octet-stream', content: randomContent(random, size) })
    }
  }
  return multipart(parts)
}

/** A body as only a broken client sends it. */
export function spoilt(random: Random, upload: Upload): Upload {
  const { headers, body } = upload
  switch (random.below(5)) {
    case 0:
      return { headers: { 'content-type': 'multipart/form-data' }, body }
    case 1:
      return { headers, body: body.subarray(0, Math.max(0, body.length - 1 - random.below(60))) }
    case 2:
      return { headers: { 'content-type': 'multipart/form-data; boundary=other' }, body }
    case 3:
      return { headers: {}, body }
    default:
      return { headers, body: new Uint8Array() }
  }
}
