import recordedTypes from '../../ipfs/kuboTypes.json' with { type: 'json' }
import type { Random } from '../support/random.js'

/** A body with its content type. */
export interface Upload {
  headers: Record<string, string>
  body: Uint8Array
}

/** A part of a multipart body. */
export interface Part {
  name: string
  field?: string
  type: string
  content: Uint8Array
  /** The header Content-Disposition, instead of the usual one. */
  disposition?: string
  /** Other headers, each with its line break. */
  more?: string
}

const boundary = 'differential-boundary'

/** Builds a multipart body with its content type. */
export function multipart(parts: readonly Part[]): Upload {
  const pieces = parts.flatMap(({ name, field = 'file', type, content, disposition, more = '' }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: ${disposition ?? `form-data; name="${field}"; filename="${encodeURIComponent(name)}"`}\r\n` +
        `${type === '' ? '' : `Content-Type: ${type}\r\n`}${more}\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** Builds an upload of one file for each content. */
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
  'a+b',
  '/abs/x',
  '../up',
  'dir/../side',
  './here',
  'dir//y',
  'dir/.',
  '.hidden',
  'dir/deep/deeper/z',
  'a\\b',
  'x?y',
  'x#y',
  'n'.repeat(255),
  ' ',
]
const sizes = [0, 1, 5, 31, 32, 33, 127, 128, 129, 300, 4096, 262_143, 262_144, 262_145, 600_000, 1_100_000]
const fields = [
  'file',
  'file?mode=0644',
  'file?mode=4755',
  'file?mtime=500',
  'file?mode=600&mtime=1&mtime-nsecs=9',
  'file?mode=0755&mtime=-5',
  'file?mode=x',
  'file?mtime=x',
  'file?mtime=1&mtime-nsecs=1000000000',
  'file?mtime=1&mtime-nsecs=-1',
  'file?mtime-nsecs=5',
  'file?mode=77777777777',
  'file?mode=',
  'file?foo=bar',
  'file?mode=0100644',
  'file?mtime=99999999999',
  'file?mtime=9007199254740993&mtime-nsecs=1',
  'file?mtime=-62135596800',
]
/** Unusual dispositions and headers of parts. */
const dispositions = [
  'form-data; name="file"',
  'form-data; name="file"; filename=plain',
  'form-data; name="file"; filename=""',
  'form-data; name="file"; filename*=UTF-8\'\'%C3%A9.txt',
  'form-data; name="file"; filename="a\\"b"',
  'attachment; filename="att"',
  'form-data; filename="noname"',
  'FORM-DATA; NAME="file"; FILENAME="upper"',
  'form-data; name="file"; filename="a%zz"',
  'form-data; name="path"; filename="dir%2Fescaped"',
  'form-data; name=file; filename=a; filename=b',
  'form-data; name="file"; filename="%FF"',
  'form-data; name="file"; filename="dir%2Fa%FFb"',
]
const partTypes = [
  '',
  'text/plain; charset=utf-8',
  'application/x-directory',
  'application/symlink',
  'APPLICATION/X-DIRECTORY',
  'application/x-directory; x=y',
  'multipart/form-data',
  'image/png',
  'nonsense',
]
const moreHeaders = [
  'Abspath: /tmp/x\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Transfer-Encoding: quoted-printable\r\n',
  'X: y\r\n',
  'broken\r\n',
]

/** Makes content of several kinds: text, repeated bytes, random bytes, the first bytes of known kinds of files. */
export function randomContent(random: Random, size = random.pick(sizes)): Buffer {
  if (random.chance(0.08)) {
    const start = Buffer.from(random.pick(recordedTypes)[0] ?? '', 'hex')
    return Buffer.concat([start, Buffer.alloc(size, random.pick([0, 0x20, 0x61, 0xff]))]).subarray(0, size)
  }
  const sort = random.below(3)
  if (sort === 0) return Buffer.alloc(size, `text ${random.below(4)}\n`)
  return sort === 1 ? Buffer.alloc(size, random.below(3)) : random.bytes(size)
}

/** Makes files, directories and symlinks as clients upload them. */
export function randomTree(random: Random): Upload {
  const parts: Part[] = []
  const count = random.pick([1, 1, 1, 2, 3, 5, 5, 12])
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
    const odd: Partial<Part> = {
      ...(random.chance(0.03) && { disposition: random.pick(dispositions) }),
      ...(random.chance(0.03) && { type: random.pick(partTypes) }),
      ...(random.chance(0.01) && { more: random.pick(moreHeaders) }),
    }
    if (random.chance(0.08)) {
      parts.push({
        name,
        field,
        type: 'application/symlink',
        content: Buffer.from(random.pick(['a', '../b', ''])),
      })
    } else {
      const size = random.chance(0.8) ? random.pick(sizes.slice(0, 11)) : random.pick(sizes)
      parts.push({
        name,
        field,
        type: 'application/octet-stream',
        content: randomContent(random, size),
        ...odd,
      })
    }
  }
  return multipart(parts)
}

/** Makes an upload that has no file, or something else instead. */
export function otherEntries(random: Random): Upload {
  const entry = (name: string, type: string, content = ''): Part => ({
    name,
    type,
    content: Buffer.from(content),
  })
  const directory = entry('d', 'application/x-directory')
  const link = entry('l', 'application/symlink', random.pick(['a', '{}', 'mYQ', '']))
  return multipart(
    random.pick([[], [directory], [link], [link, directory], [directory, entry('d/x', 'x/y', 'z')]]),
  )
}

const sharedNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `f${index}`)

/** Makes small files with numbered names. */
export function manyFiles(random: Random, count: number): Upload {
  return multipart(
    sharedNames(count).map((name) => ({
      name,
      type: 'application/octet-stream',
      content: randomContent(random, random.below(40)),
    })),
  )
}

const rules = [
  '/old /docs/ 301',
  '/moved/:a/:b /docs/:b?from=:a 302',
  '/posts/* /docs/index.html 200',
  '/gone /410.html 410',
  '/secret /451.html 451',
  '/rewritten /docs/api.json',
  '/temp /index.html 307',
  '/seeother /docs 303',
  '/permanent/:x https://example.com/:x 308',
  '/lost/* /404.html 404',
  '/forced /index.html 200!',
  '/proxy http://example.com/ 200',
  '/* /404.html 404',
  '# comment',
  '',
  '/only',
  'nonsense',
  '/x /y 999',
  '/docs/* /page.html 302',
]

/** Makes a site with pages, names that need escaping, a symlink, and redirection rules. */
export function siteFiles(random: Random): Upload {
  const contents: Record<string, string> = {
    'index.html': '<!DOCTYPE html><title>home</title>',
    'page.html': '<p>page</p>',
    '404.html': '<p>lost</p>',
    '410.html': '<p>gone</p>',
    '451.html': '<p>secret</p>',
    'docs/index.html': '<p>docs</p>',
    'docs/api.json': '{"a":1}',
    'docs/a b.txt': 'text',
    'café/🎉.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'café/x.xml': '<?xml version="1.0"?><x/>',
    'q?m#h%p.txt': 'escaped',
    'plus+sign.css': 'a{}',
    'script.js': 'let a',
    json: 'plain',
    'favicon.ico': 'icon',
    'report.docx': 'PK',
    'film.webm': 'film',
    'x.constructor': 'property',
    n3: 'x',
    'ipfs-404.html': '<p>none</p>',
  }
  const parts: Part[] = Object.entries(contents)
    .filter(() => random.chance(0.8))
    .map(([name, text]) => ({ name, type: 'text/plain', content: Buffer.from(text) }))
  parts.push({ name: 'data.bin', type: 'x/y', content: randomContent(random, random.pick([0, 10, 300_000])) })
  parts.push({
    name: 'link',
    type: 'application/symlink',
    content: Buffer.from(random.pick(['page.html', 'docs', '/x'])),
  })
  if (random.chance(0.7)) {
    const chosen = rules.filter(() => random.chance(0.5))
    parts.push({
      name: '_redirects',
      type: 'text/plain',
      content: Buffer.from(chosen.join(random.pick(['\n', '\n', '\r\n']))),
    })
  }
  const field = random.pick(['file', 'file', 'file?mtime=500', 'file?mode=0644&mtime=500'])
  return multipart(parts.map((part) => ({ ...part, field })))
}

/** Corrupts a multipart body or its content type. */
export function malformed(random: Random, upload: Upload): Upload {
  const { headers, body } = upload
  switch (random.below(9)) {
    case 5:
      return { headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` }, body }
    case 6:
      return { headers: { 'content-type': `Multipart/Form-Data; charset=utf-8; boundary=${boundary}` }, body }
    case 7:
      return { headers: { 'content-type': 'application/octet-stream' }, body }
    case 8:
      return { headers, body: Buffer.concat([Buffer.from('preamble\r\n'), body, Buffer.from('epilogue')]) }
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
