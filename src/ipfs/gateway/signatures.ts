/* eslint-disable no-control-regex -- the first bytes of binary files */
import { officeType, zipType } from './containers.js'

/**
 * A kind of file: its type, the first bytes of such files as characters, and what decides between kinds of that kind.
 */
type Kind = readonly [
  type: string,
  isKind: RegExp | ((text: string) => boolean),
  refine?: readonly Kind[] | ((text: string) => string | undefined),
]

/** Brands in MP4 containers (Go, `mimetype`, `ftyp.go`). */
function brand(...names: string[]): RegExp {
  return new RegExp(`^.{8}(?:${names.join('|')})`, 's')
}

const mp4Kinds: readonly Kind[] = [
  ['image/avif', brand('avi[fs]')],
  ['video/3gpp', brand('3gp[1-7]', '3gs7', '3ge[67]', '3gg6')],
  ['video/3gpp2', brand('3g2[456abc]', 'KDDI')],
  ['audio/mp4', brand('F4A ', 'F4B ', 'M4B ', 'M4P ', 'MSNV', 'NDAS')],
  ['video/quicktime', brand('mqt ')],
  ['audio/x-m4a', brand('M4A ')],
  ['video/x-m4v', brand('M4V[ HP]')],
  ['image/heic', brand('hei[cx]')],
  ['image/heic-sequence', brand('hev[cx]')],
  ['image/heif', brand('mif1', 'hei[ms]', 'avic')],
  ['image/heif-sequence', brand('msf1', 'hev[ms]', 'avcs')],
  ['video/mj2', brand('mj2s', 'mjp2', 'MFSM', 'MGSV')],
  [
    'video/vnd.dvb.file',
    brand('dby1', 'dsms', 'dts[123]', 'dxo ', 'dmb1', 'dmpf', 'drc1', 'dv[123][ab]', 'dv[rt]1', 'emsg'),
  ],
]

const elfKinds: readonly Kind[] = ['object', 'executable', 'sharedlib', 'coredump'].map((name, index) => {
  const number = `\\x0${index + 1}`
  return [`application/x-${name}`, new RegExp(`^.{16}(?:${number}\\0|\\0${number})`, 's')]
})

const oggKinds: readonly Kind[] = [
  ['audio/ogg', /^.{28}(?:\x7fFLAC.{4}|\x01vorbis..|OpusHead.|Speex {3}.)/s],
  ['video/ogg', /^.{28}(?:\x80theora..|fishead\0.|\x01video\0{3})/s],
]

/** First tables of TrueType fonts. */
const fontTables =
  'acnt|ankr|avar|bdat|bhed|bloc|bsln|cmap|cvar|cvt |EBSC|fdsc|feat|fmtx|fond|fpgm|fvar|gasp|gcid|glyf|gvar|hdmx|head|hhea|' +
  'hmtx|hvgl|hvpm|just|kern|kerx|lcar|loca|ltag|maxp|meta|mort|morx|name|opbd|OS/2'

/** Kinds of binary files in the order in which Go's `mimetype` (1.4.13, `tree.go`) tries them. */
const kinds: readonly Kind[] = [
  ['image/x-xpixmap', /^\/\* XPM \*\//],
  ['application/x-7z-compressed', /^7z\xbc\xaf'\x1c/],
  ['application/zip', /^PK[\x03\x05\x07][\x04\x06\x08]/, zipType],
  ['application/pdf', (text) => text.slice(0, 1024).includes('%PDF-')],
  ['application/vnd.fdf', /^%FDF/],
  ['application/x-ole-storage', /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, officeType],
  ['application/postscript', /^%!PS-Adobe-/],
  ['image/vnd.adobe.photoshop', /^8BPS/],
  [
    'application/pkcs7-signature',
    /^(?:-----BEGIN PKCS7|(?:0\x80|0\x81.|0\x82..|0\x83...|0\x84....)\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07.{4})/s,
  ],
  ['application/ogg', /^OggS\0/, oggKinds],
  ['image/png', /^\x89PNG\r\n\x1a\n/, [['image/vnd.mozilla.apng', /^.{37}acTL/s]]],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/jxl', /^(?:\xff\n|\0{3}\x0cJXL \r\n\x87\n)/],
  ['image/jp2', /^.{4}jP[ 2] .{12}jp2 /s],
  ['image/jpx', /^.{4}jP[ 2] .{12}jpx /s],
  ['image/jpm', /^.{4}jP[ 2] .{12}jpm /s],
  ['image/jxs', /^\0{3}\x0cJXS \r\n\x87\n/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP./s],
  ['application/vnd.microsoft.portable-executable', /^MZ/],
  ['application/x-elf', /^\x7fELF/, elfKinds],
  ['application/x-archive', /^!<arch>/, [['application/vnd.debian.binary-package', /^.{8}debian-binary/s]]],
  ['application/x-tar', isTar],
  ['application/x-xar', /^xar!/],
  ['application/x-bzip2', /^BZh/],
  ['application/fits', /^SIMPLE {2}= {20}T/],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['image/bmp', /^BM.{12}[0\x18\x10@48(|l]\0{3}/s],
  ['application/vnd.lotus-1-2-3', /^\0\0(?:\x02\0..[^\0]\0.{13}|\x1a\0.{16}[\x01-\x1f])/s],
  ['image/x-icon', /^\0\0[\x01\x02]\0/],
  ['audio/mpeg', /^(?:ID3|\xff[\xfa\xfb\xf2\xf3\xe2\xe3].)/s],
  ['audio/flac', /^fLaC\0\0\0"/],
  ['audio/midi', /^MThd/],
  ['audio/ape', /^MAC \x96\x0f\0\x004\0{3}\x18\0{3}\x90\xe3/],
  ['audio/musepack', /^MPCK/],
  ['audio/amr', /^#!AMR/],
  ['audio/wav', /^RIFF.{4}WAVE./s],
  ['audio/aiff', /^FORM.{4}AIFF./s],
  ['audio/basic', /^\.snd/],
  ['video/mpeg', /^\0\0\x01[\xb0-\xbf]/],
  [
    'video/quicktime',
    /^(?:\0.{3}ftyp(?:qt {2}|moov)|.{4}(?:moov|mdat|free|skip|pnot)\0.{3}|\0{3}\x08wide.{4})/s,
  ],
  ['video/mp4', /^\0.{3}ftyp.{4}/s, mp4Kinds],
  ['video/webm', (text) => documentType(text) === 'webm'],
  ['video/x-msvideo', /^RIFF.{4}AVI LIST./s],
  ['video/x-flv', /^FLV\x01/],
  ['video/x-matroska', (text) => documentType(text) === 'matroska'],
  ['video/x-ms-asf', /^0&\xb2u\x8ef\xcf\x11\xa6\xd9\0\xaa\0b\xcel/],
  ['audio/aac', /^\xff[\xf1\xf9]/],
  ['audio/x-unknown', /^Creative Voice File/],
  ['application/vnd.apple.mpegurl', /^#EXTM3U\r?\n/],
  ['application/vnd.rn-realmedia-vbr', /^\.RMF/],
  ['application/gzip', /^\x1f\x8b/],
  ['application/x-java-applet', /^\xca\xfe\xba\xbe.{3}[\x1f-\xff]/s],
  ['application/x-shockwave-flash', /^[CFZ]WS/],
  ['application/x-chrome-extension', isExtension],
  ['font/ttf', new RegExp(`^\\0\\x01\\0\\0\\0[\\0-0].{6}(?:${fontTables})`, 's')],
  ['font/woff', /^wOFF/],
  ['font/woff2', /^wOF2/],
  [
    'font/otf',
    (text) => text.startsWith('OTTO\0') && text.length > 48 && text.slice(12, 48).includes('CFF '),
  ],
  ['font/collection', /^ttcf\0[\x01\x02]\0\0/],
  ['application/vnd.ms-fontobject', /^.{8}(?:\x02\0\x01|\x01\0\0|\x02\0\x02).{23}LP/s],
  ['application/wasm', /^\0asm/],
  [
    'application/vnd.shx',
    /^\0\0'\n/,
    [
      [
        'application/vnd.shp',
        /^.{4}\0{20}.{4}\xe8\x03\0\0.{76}[\0\x01\x03\x05\x08\x0b\x0d\x0f\x12\x15\x17\x19\x1c\x1f]\0{3}/s,
      ],
    ],
  ],
  [
    'application/x-dbf',
    /^[\x02-\x0501\x32Bb{\x82\x83\x87\x8a\x8b\x8e\xb3\xcb\xe5\xf5\xf4\xfb].[\x01-\x0c][\x01-\x1f].{8}\0\0.{14}[\0\x01].\0\0.{36}/s,
  ],
  ['application/dicom', /^.{128}DICM/s],
  ['application/x-rar-compressed', /^Rar!\x1a\x07\x01?\0/],
  ['image/vnd.djvu', /^AT&TFORM.{4}(?:DJV[MUI]|THUM)/s],
  ['application/x-mobipocket-ebook', /^.{60}BOOKMOBI/s],
  ['application/x-ms-reader', /^ITOLITLS/],
  ['image/bpg', /^BPG\xfb/],
  ['application/cbor', /^\xd9\xd9\xf7/],
  ['application/vnd.sqlite3', /^SQLite format 3\0/],
  ['image/vnd.dwg', /^AC(?:1\.[45]0|2\.10|10(?:0[23469]|1[2458]|2[14]|32))/],
  ['application/vnd.nintendo.snes.rom', /^NES\x1a/],
  ['application/x-ms-shortcut', /^L\0{3}\x01\x14\x02\0/],
  [
    'application/x-mach-binary',
    /^(?:\xca\xfe\xba\xbe.{3}[\0-\x13]|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe)/s,
  ],
  ['audio/qcelp', /^RIFF.{4}QLCM./s],
  ['image/x-icns', /^icns/],
  ['image/vnd.radiance', /^#\?RADIANCE\n/],
  ['application/marc', (text) => /^\d{5}.{15}4500/s.test(text) && text.slice(0, 2048).includes('\x1e')],
  ['application/x-msaccess', /^.{4}Standard (?:Jet|ACE) DB/s],
  ['application/zstd', /^(?:[\x22-\x28]\xb5\x2f\xfd|[\x50-\x5f]\x2aM\x18)/],
  ['application/vnd.ms-cab-compressed', /^MSCF\0{4}/],
  ['application/x-rpm', /^(?:\xed\xab\xee\xdb|drpm)/],
  ['application/x-xz', /^\xfd7zXZ\0/],
  ['application/lzip', /^LZIP/],
  ['application/x-bittorrent', /^d8:announce/],
  ['application/x-cpio', /^(?:\xc7q.{4}|07070[712])/s],
  ['application/tzif', /^TZif[\0\x32\x33].{31}(?!\0{4}).{8}/s],
  ['image/x-xcf', /^gimp xcf/],
  ['image/x-gimp-pat', /^.{20}GPAT/s],
  ['image/x-gimp-gbr', /^.{20}GIMP/s],
  ['model/gltf-binary', /^glTF[\x01\x02]\0{3}/],
  ['application/x-installshield', /^ISc\(..\0[\x01\x02\x04]/s],
  ['image/jxr', /^II\xbc\x01/],
  ['application/vnd.apache.parquet', /^PAR1/],
  ['application/onenote', /^\xe4R\\{\x8c\xd8\xa7M\xae\xb1Sx\xd0\x29\x96\xd3/],
  ['application/vnd.ms-htmlhelp', /^ITSF\x03\0{3}`\0{3}/],
  ['application/vnd.wordperfect', /^\xffWPC.{4}\x01\n/s],
  ['image/vnd.dxf', /^(?: {2})?0(\r?\n)SECTION\1/],
  ['application/grib', /^GRIB.{3}[\x01\x02]/s],
  ['application/zlib', isZlib],
  ['application/x-os2-inf', /^HSP\x01\x9b\0/],
  ['application/x-os2-hlp', /^HSP\x10\x9b\0/],
  [
    'application/vnd.framemaker',
    (text) => /^<Maker(?:File|Dictionary)|<BOOKFILE/i.test(text) && text.slice(0, 512).includes('\0'),
  ],
  ['application/bufr', /^BUFR.{3}[\x03\x04]/s],
]

/** Returns the type of a binary file by its first bytes (Go, `mimetype`); undefined if unknown. */
export function typeBySignature(start: Buffer): string | undefined {
  return typeAmong(kinds, start.toString('latin1'))
}

function typeAmong(among: readonly Kind[], text: string): string | undefined {
  const kind = among.find(([, isKind]) => (isKind instanceof RegExp ? isKind.test(text) : isKind(text)))
  if (kind === undefined) return undefined
  const [type, , refine] = kind
  if (refine === undefined) return type
  return (typeof refine === 'function' ? refine(text) : typeAmong(refine, text)) ?? type
}

/** Returns the document type of a Matroska container: what follows the first element of that kind. */
function documentType(text: string): string | undefined {
  if (!text.startsWith('\x1aE\xdf\xa3')) return undefined
  const at = text.slice(0, 4096).indexOf('\x42\x82')
  if (at < 0) return undefined
  // The number of leading zeros of the first byte gives the length of the element's size.
  const width = 1 + Math.min(7, Math.clz32(text.charCodeAt(at + 2)) - 24)
  return ['webm', 'matroska'].find((type) => text.startsWith(type, at + 2 + width))
}

/** Whether the first record of a tar archive has the right checksum, of unsigned or signed bytes. */
function isTar(text: string): boolean {
  if (text.length < 512 || text.slice(0, 100).includes('/gpkg-1\0')) return false
  const [, digits] = /^[ \0]*([0-7]+)(?:[ \0]*|\0.*)$/s.exec(text.slice(148, 156)) ?? []
  if (digits === undefined) return false
  const bytes = Buffer.from(`${text.slice(0, 148)}${' '.repeat(8)}${text.slice(156, 512)}`, 'latin1')
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  const high = bytes.filter((byte) => byte >= 0x80).length
  return [sum, sum - 256 * high].includes(Number.parseInt(digits, 8))
}

/** Whether the file is a Chrome extension: a header and a ZIP archive. */
function isExtension(text: string): boolean {
  if (!text.startsWith('Cr24') || text.length < 16) return false
  const header = Buffer.from(text.slice(8, 16), 'latin1')
  const rest = text.slice(16 + header.readUInt32LE(0) + header.readUInt32LE(4))
  return /^PK[\x03\x05\x07][\x04\x06\x08]/.test(rest)
}

function isZlib(text: string): boolean {
  return text.length > 1 && text.startsWith('x') && (0x7800 + text.charCodeAt(1)) % 31 === 0 && !isText(text)
}

/** Byte order marks, with the character sets that they announce. */
const byteOrderMarks: readonly (readonly [mark: string, charset: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\0\0\xfe\xff', 'utf-32be'],
  ['\xff\xfe\0\0', 'utf-32le'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
]

/** Returns the character set that a byte order mark at the start announces. */
export function markedCharset(text: string): string | undefined {
  return byteOrderMarks.find(([mark]) => text.startsWith(mark))?.[1]
}

/** Whether the start of a file is text: a byte order mark, or no binary data byte (WHATWG, MIME Sniffing). */
export function isText(text: string): boolean {
  return markedCharset(text) !== undefined || !/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(text)
}
