/** Bytes that identify a kind of file, in hexadecimal, and their offset. */
interface Signature {
  type: string
  bytes: string
  offset?: number
}

/** Signatures in the order of lookup, more specific ones first. */
const signatures: readonly Signature[] = [
  { type: 'image/vnd.mozilla.apng', bytes: '6163544c', offset: 37 },
  { type: 'image/png', bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', bytes: 'ffd8ff' },
  { type: 'image/jxl', bytes: 'ff0a' },
  { type: 'image/jp2', bytes: '6a703220', offset: 20 },
  { type: 'image/gif', bytes: '474946383761' },
  { type: 'image/gif', bytes: '474946383961' },
  { type: 'image/webp', bytes: '57454250', offset: 8 },
  { type: 'image/x-icon', bytes: '00000100' },
  { type: 'image/tiff', bytes: '49492a00' },
  { type: 'image/tiff', bytes: '4d4d002a' },
  { type: 'image/vnd.adobe.photoshop', bytes: '38425053' },
  { type: 'image/vnd.djvu', bytes: '4154265446' },
  { type: 'application/pdf', bytes: '255044462d' },
  { type: 'application/postscript', bytes: '252150532d41646f62652d' },
  { type: 'application/java-archive', bytes: '4d4554412d494e462f4d414e49464553542e4d46', offset: 30 },
  { type: 'application/zip', bytes: '504b0304' },
  { type: 'application/zip', bytes: '504b0506' },
  { type: 'application/gzip', bytes: '1f8b08' },
  { type: 'application/x-bzip2', bytes: '425a68' },
  { type: 'application/x-xz', bytes: 'fd377a585a00' },
  { type: 'application/x-7z-compressed', bytes: '377abcaf271c' },
  { type: 'application/x-rar-compressed', bytes: '526172211a07' },
  { type: 'application/zstd', bytes: '28b52ffd' },
  { type: 'application/lzip', bytes: '4c5a4950' },
  { type: 'audio/mpeg', bytes: '494433' },
  { type: 'audio/wav', bytes: '57415645', offset: 8 },
  { type: 'video/x-msvideo', bytes: '415649204c495354', offset: 8 },
  { type: 'audio/midi', bytes: '4d546864' },
  { type: 'audio/aac', bytes: 'fff1' },
  { type: 'audio/aac', bytes: 'fff9' },
  { type: 'audio/amr', bytes: '2321414d52' },
  { type: 'audio/flac', bytes: '664c614300000022' },
  { type: 'video/x-flv', bytes: '464c5601' },
  { type: 'video/mpeg', bytes: '000001ba' },
  { type: 'video/mpeg', bytes: '000001b3' },
  { type: 'application/wasm', bytes: '0061736d' },
  { type: 'application/x-java-applet', bytes: 'cafebabe000000' },
  { type: 'application/x-mach-binary', bytes: 'cffaedfe' },
  { type: 'application/x-mach-binary', bytes: 'cefaedfe' },
  { type: 'application/vnd.microsoft.portable-executable', bytes: '4d5a' },
  { type: 'application/vnd.sqlite3', bytes: '53514c69746520666f726d6174203300' },
  { type: 'font/woff', bytes: '774f4646' },
  { type: 'font/woff2', bytes: '774f4632' },
  { type: 'model/gltf-binary', bytes: '676c544602000000' },
  { type: 'application/x-shockwave-flash', bytes: '435753' },
  { type: 'application/vnd.apache.parquet', bytes: '50415231' },
  { type: 'application/cbor', bytes: 'd9d9f7' },
  { type: 'application/x-bittorrent', bytes: '64383a616e6e6f756e6365' },
  { type: 'application/vnd.debian.binary-package', bytes: '213c617263683e0a64656269616e2d62696e617279' },
  { type: 'application/x-archive', bytes: '213c617263683e' },
  { type: 'application/x-rpm', bytes: 'edabeedb' },
  { type: 'application/dicom', bytes: '4449434d', offset: 128 },
]

/** Brands of MP4 files. */
const brands: readonly (readonly [brand: RegExp, type: string])[] = [
  [/^avi[fs]/, 'image/avif'],
  [/^hei[cx]/, 'image/heic'],
  [/^qt {2}/, 'video/quicktime'],
  [/^M4A /, 'audio/x-m4a'],
  [/^M4V /, 'video/x-m4v'],
  [/^3gp/, 'video/3gpp'],
  [/^3g2/, 'video/3gpp2'],
]

/** Types of ELF files by the type number in their headers. */
const elfTypes = [
  'application/x-elf',
  'application/x-object',
  'application/x-executable',
  'application/x-sharedlib',
  'application/x-coredump',
]

/** Header lengths of bitmaps. */
const bitmapHeaders = new Set([12, 40, 52, 56, 64, 108, 124])

/** Returns the type of a binary file by its first bytes (Go, `mimetype`); undefined if unknown. */
export function typeBySignature(start: Buffer): string | undefined {
  const text = start.toString('latin1')
  if (text.slice(4, 8) === 'ftyp') {
    return brands.find(([brand]) => brand.test(text.slice(8)))?.[1] ?? 'video/mp4'
  }
  if (text.startsWith('\x1a\x45\xdf\xa3')) return typeOfMatroska(text)
  if (text.startsWith('OggS')) return typeOfOgg(text.slice(28))
  if (text.startsWith('\x7fELF')) return elfTypes[start[16] ?? 0] ?? elfTypes[0]
  if (text.startsWith('BM') && bitmapHeaders.has(start[14] ?? 0)) return 'image/bmp'
  if (text.startsWith('\xff\xfe')) return 'text/plain; charset=utf-16le'
  if (text.startsWith('\xfe\xff')) return 'text/plain; charset=utf-16be'
  const signature = signatures.find(({ bytes, offset = 0 }) => {
    return start.toString('hex', offset, offset + bytes.length / 2) === bytes
  })
  return signature?.type ?? typeOfMpeg(start)
}

/** Detects frames of MPEG audio, which begin with eleven set bits. */
function typeOfMpeg(start: Buffer): string | undefined {
  if (start.length < 2) return undefined
  const isFrame = [0xfffa, 0xfff2, 0xffe2].includes(start.readUInt16BE() & 0xfffe)
  return isFrame ? 'audio/mpeg' : undefined
}

function typeOfMatroska(text: string): string {
  const kind = /\x42\x82[^]{0,4}?(webm|matroska)/.exec(text.slice(0, 4096))?.[1]
  if (kind === undefined) return 'application/octet-stream'
  return kind === 'webm' ? 'video/webm' : 'video/x-matroska'
}

/** First bytes of an Ogg stream's first packet, by type of stream. */
const oggAudio = ['\x7fFLAC', '\x01vorbis', 'OpusHead', 'Speex']
const oggVideo = ['\x80theora', 'fishead\0', '\x01video']

function typeOfOgg(page: string): string {
  if (oggAudio.some((begin) => page.startsWith(begin))) return 'audio/ogg'
  return oggVideo.some((begin) => page.startsWith(begin)) ? 'video/ogg' : 'application/ogg'
}
