import { isUtf8 } from 'node:buffer'
import { mimes } from 'mrmime'
import { declaredEncoding, firstTags, typeOfMarkup } from './markupType.js'
import { isText, markedCharset, typeBySignature } from './signatures.js'
import { typeOfText } from './textType.js'

/** Bytes at the start of a file from which its type is guessed. */
export const SNIFF_LENGTH = 3072

/** Signatures by which Go's `net/http` recognizes content. */
const partSignatures: readonly { bytes: string; offset?: number; type: string }[] = [
  { bytes: '89504e470d0a1a0a', type: 'image/png' },
  { bytes: 'ffd8ff', type: 'image/jpeg' },
  { bytes: '474946383761', type: 'image/gif' },
  { bytes: '474946383961', type: 'image/gif' },
  { bytes: '57454250', offset: 8, type: 'image/webp' },
  { bytes: '255044462d', type: 'application/pdf' },
  { bytes: '504b0304', type: 'application/zip' },
  { bytes: '1f8b08', type: 'application/x-gzip' },
  { bytes: '66747970', offset: 4, type: 'video/mp4' },
  { bytes: '1a45dfa3', type: 'video/webm' },
  { bytes: '4f676753', type: 'application/ogg' },
  { bytes: '494433', type: 'audio/mpeg' },
  { bytes: '57415645', offset: 8, type: 'audio/wave' },
  { bytes: '0061736d', type: 'application/wasm' },
]

/** Types by extension in Go's `mime` that the library lacks or maps differently. */
const goTypes: Readonly<Record<string, string>> = {
  apk: 'application/vnd.android.package-archive',
  com: 'application/octet-stream',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ehtml: 'text/html',
  flac: 'audio/flac',
  ico: 'image/vnd.microsoft.icon',
  jfif: 'image/jpeg',
  pjp: 'image/jpeg',
  pjpeg: 'image/jpeg',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  webm: 'audio/webm',
  xbl: 'text/xml',
  xbm: 'image/x-xbitmap',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xsl: 'text/xml',
}

const typesByExtension = new Map(Object.entries({ ...mimes, ...goTypes }))

/** Returns the content type of a file: by its extension, else by its first bytes. */
export function contentTypeOf(name: string, start: Uint8Array): string {
  return typeByName(name) ?? sniff(Buffer.from(start))
}

/** Returns the content type of a file from a part of its middle (Go, `http.DetectContentType`). */
export function typeOfPart(name: string, part: Uint8Array): string {
  return typeByName(name) ?? typeByBytes(Buffer.from(part)) ?? 'text/plain; charset=utf-8'
}

/** Returns the content type that goes with a name's extension, if any. */
export function typeByName(name: string): string | undefined {
  // A name without a dot is not an extension.
  const [, extension] = /\.([^.]*)$/.exec(name.toLowerCase()) ?? []
  const type = extension === undefined ? undefined : typesByExtension.get(extension)
  return type !== undefined && needsCharset(type) ? `${type}; charset=utf-8` : type
}

function needsCharset(type: string): boolean {
  // An HTML page may declare its own encoding.
  return type.startsWith('text/') && type !== 'text/html'
}

function sniff(start: Buffer): string {
  if (start.length === 0) return 'text/plain'
  const text = start.toString('latin1')
  const binary = typeBySignature(start) ?? (isText(text) ? undefined : 'application/octet-stream')
  const type = binary ?? typeOfMarkup(text) ?? typeOfText({ text, isCut: start.length >= SNIFF_LENGTH })
  if (type !== undefined && type !== 'text/xml') return type
  const named = type === undefined ? undefined : declaredEncoding(text.slice(0, CHARSET_LENGTH))
  const charset = named ?? markedCharset(text) ?? charsetOf(start.subarray(0, CHARSET_LENGTH))
  return [type ?? 'text/plain', ...(charset === undefined ? [] : [`charset=${charset}`])].join('; ')
}

/** Bytes from which the encoding of text is guessed. */
const CHARSET_LENGTH = 1024

/** Returns the type of markup by its first tag, and of binary content; undefined for other text. */
function typeByBytes(start: Buffer): string | undefined {
  const text = start.toString('latin1')
  const tag = text.trimStart().toLowerCase()
  if (firstTags.test(tag)) return 'text/html'
  if (tag.startsWith('<svg')) return 'image/svg+xml'
  if (tag.startsWith('<?xml')) return 'text/xml; charset=utf-8'
  const signature = partSignatures.find(({ bytes, offset = 0 }) =>
    start.subarray(offset).toString('hex').startsWith(bytes),
  )
  if (signature) return signature.type
  return isText(text) ? undefined : 'application/octet-stream'
}

/** Guesses the encoding of text like Go's `mimetype`; undefined if a byte fits none that it knows. */
function charsetOf(start: Buffer): string | undefined {
  const whole = withoutPartialRune(start)
  if (whole.some((byte) => byte >= 0x80) && isUtf8(whole)) return 'utf-8'
  if (!start.every((byte) => (byte >= 7 && byte < 0x7f) || byte >= 0xa0 || byte === 0x85)) return undefined
  if (start.every((byte) => byte < 0x80)) return 'utf-8'
  return start.includes(0x85) ? 'windows-1252' : 'iso-8859-1'
}

/** Drops a multi-byte rune that is cut off at the end. */
function withoutPartialRune(start: Buffer): Buffer {
  for (let length = 1; length < 4 && length <= start.length; length++) {
    const byte = start[start.length - length] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return start.subarray(0, start.length - length)
  }
  return start
}
