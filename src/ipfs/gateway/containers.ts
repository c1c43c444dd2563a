/* eslint-disable no-control-regex -- the first bytes of binary files */
/** Names of the first entries of a ZIP archive, found by their headers. */
function* entriesOf(text: string): Generator<string> {
  for (let at = text.indexOf('PK\x03\x04'); at >= 0; at = text.indexOf('PK\x03\x04', at)) {
    const length = text.charCodeAt(at + 26) + 256 * text.charCodeAt(at + 27)
    const name = text.slice(at + 30, at + 30 + length)
    if (name === '' || name.length < length) return
    yield name
    at += 30
  }
}

/** Maximum number of entries of an archive to look at. */
const LOOKED_AT = 100

function hasEntry(names: readonly string[], ...wanted: string[]): boolean {
  return names.some((name) => wanted.includes(name))
}

/** First entries of Office Open XML. */
const officeStart = /^(?:\[Content_Types\]\.xml$|_rels\/|docProps\/|customXml\/|\[trash\]\/)/

function hasFolder(names: readonly string[], folder: string): boolean {
  const [first = ''] = names
  return (
    first.startsWith(folder) || (officeStart.test(first) && names.some((name) => name.startsWith(folder)))
  )
}

const office = 'application/vnd.openxmlformats-officedocument'
const officeFolders = [
  ['word/', `${office}.wordprocessingml.document`],
  ['ppt/', `${office}.presentationml.presentation`],
  ['xl/', `${office}.spreadsheetml.sheet`],
] as const

const androidEntries = [
  'AndroidManifest.xml',
  'META-INF/com/android/build/gradle/app-metadata.properties',
  'classes.dex',
  'resources.arsc',
  'res/drawable',
]

/** Types that the first entry of an OpenDocument or similar file contains. */
const declared = [
  'application/vnd.oasis.opendocument.text-template',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet-template',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.presentation-template',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.oasis.opendocument.graphics-template',
  'application/vnd.oasis.opendocument.graphics',
  'application/vnd.oasis.opendocument.formula',
  'application/vnd.oasis.opendocument.chart',
  'application/vnd.sun.xml.calc',
]

/** Returns what a ZIP archive is, by its first entries (Go, `mimetype`, `zip.go`). */
export function zipType(text: string): string | undefined {
  const names: string[] = []
  for (const name of entriesOf(text)) if (names.push(name) === LOOKED_AT) break
  const folder = officeFolders.find(([front]) => hasFolder(names, front))
  if (folder !== undefined) return folder[1]
  const epub = 'application/epub+zip'
  if (text.startsWith(`mimetype${epub}`, 30)) return epub
  if (hasEntry(names, ...androidEntries)) return 'application/vnd.android.package-archive'
  if (isJar(text) || hasEntry(names.slice(0, 1), 'META-INF/', 'META-INF/MANIFEST.MF')) {
    return 'application/java-archive'
  }
  const type = declared.find((one) => text.startsWith(`mimetype${one}`, 30))
  if (type !== undefined) return type
  if (hasEntry(names, 'doc.kml')) return 'application/vnd.google-earth.kmz'
  return hasFolder(names, 'visio/') ? 'application/vnd.ms-visio.drawing.main+xml' : undefined
}

/** Whether the first entry of an archive has the extra field of executable JARs. */
function isJar(text: string): boolean {
  const at = 30 + text.charCodeAt(26) + 256 * text.charCodeAt(27)
  return text.startsWith('\xfe\xca', at)
}

/** Class identifiers of the root of OLE files, in hexadecimal. */
const classes: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['application/x-ms-installer', /^84100c0000000000c000000000000046/],
  ['application/vnd.ms-outlook', /^0b0d020000000000c000000000000046/],
  ['application/vnd.ms-excel', /^[12]008020000000000/],
  ['application/vnd.ms-publisher', /^011202000000000000c0000000000046/],
  ['application/vnd.ms-powerpoint', /^(?:108d81649b4fcf1186ea00aa00b929e8|70ae7bea3bfbcd11a90300aa00510ea3)/],
  ['application/msword', /^0[067]09020000000000c000000000000046/],
]

/** First bytes after the header of OLE files, and names in UTF-16 later in the file. */
const streams: readonly (readonly [type: string, begin: RegExp, name: string])[] = [
  [
    'application/vnd.ms-excel',
    /^(?:\x09\x08\x10\0\0\x06\x05\0|\xfd\xff\xff\xff[\x10\x1f\x22\x23\x28\x29])/,
    'WksSSWorkBook',
  ],
  [
    'application/vnd.ms-powerpoint',
    /^(?:\xa0F\x1d\xf0|\0n\x1e\xf0|\x0f\0\xe8\x03|\xfd\xff\xff\xff..\0\0)/s,
    'PowerPoint Document',
  ],
]

/** Returns what an OLE file is (Go, `mimetype`, `ms_office.go`). */
export function officeType(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1')
  const identifier = classOf(bytes)
  return classes
    .map(([type, pattern]) => {
      const [, begin, name = ''] = streams.find(([streamType]) => streamType === type) ?? []
      const isStream =
        begin !== undefined &&
        bytes.length >= 520 &&
        (begin.test(text.slice(512)) || text.slice(1152, 4096).includes(inTwoBytes(name)))
      return pattern.test(identifier) || isStream ? type : undefined
    })
    .find((type) => type !== undefined)
}

function inTwoBytes(name: string): string {
  return Buffer.from(name, 'utf16le').toString('latin1').replace(/\0$/, '').replace('\0 \0', '\0 ')
}

/** Returns the class identifier of the root of an OLE file, in hexadecimal. */
function classOf(bytes: Buffer): string {
  if (bytes.length < 512) return ''
  const sector = bytes[26] === 4 && bytes[27] === 0 ? 4096 : 512
  const at = sector * (1 + bytes.readUInt32LE(48)) + 80
  return bytes.length > at + 16 ? bytes.toString('hex', at, at + 16) : ''
}
