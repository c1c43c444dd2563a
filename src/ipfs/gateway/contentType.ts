import { lookup } from 'mrmime'

/** Bytes at the beginning of a file that its type is guessed from. */
export const sniffLength = 512

const signatures: readonly { bytes: string; offset?: number; type: string }[] = [
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

/** The content type of a file: by the extension of its name, else by how it begins. */
export function contentTypeOf(name: string, start: Uint8Array): string {
  const byName = lookup(name)
  if (byName === undefined) return sniff(Buffer.from(start))
  return needsCharset(byName) ? `${byName}; charset=utf-8` : byName
}

function needsCharset(type: string): boolean {
  // What an HTML page says of its own encoding counts.
  return type.startsWith('text/') && type !== 'text/html'
}

function sniff(start: Buffer): string {
  if (start.length === 0) return 'text/plain'
  const text = start.toString('latin1').trimStart().toLowerCase()
  if (
    /^<(!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|!--)[\s>]/.test(
      text,
    )
  ) {
    return 'text/html'
  }
  if (text.startsWith('<svg')) return 'image/svg+xml'
  if (text.startsWith('<?xml')) return 'text/xml; charset=utf-8'
  const signature = signatures.find(({ bytes, offset = 0 }) =>
    start.subarray(offset).toString('hex').startsWith(bytes),
  )
  if (signature) return signature.type
  return isText(start) ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

/** Whether there is no byte that text does not have (WHATWG MIME Sniffing, binary data bytes). */
function isText(start: Buffer): boolean {
  return !start.some(
    (byte) => byte <= 8 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  )
}
