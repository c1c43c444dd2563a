import type { Chunk, Chunker } from '../chunker.js'

/** Cuts chunks by content: `findEnd` returns the length of the first chunk in its input. */
export function contentDefined(maxSize: number, findEnd: (bytes: Uint8Array) => number): Chunker {
  return async function* (source, newChunk) {
    let pieces: Uint8Array[] = []
    let length = 0

    function cut(): Chunk {
      const chunk = newChunk(Math.min(length, maxSize))
      let used = 0
      while (!chunk.isFull) {
        const piece = pieces[used] as Uint8Array
        const taken = chunk.append(piece)
        if (taken === piece.length) used++
        else pieces[used] = piece.subarray(taken)
      }
      pieces = pieces.slice(used)
      const { content } = chunk
      const end = findEnd(content)
      length -= end
      if (end < content.length) pieces.unshift(content.slice(end))
      chunk.truncate(end)
      return chunk
    }

    for await (const bytes of source) {
      if (bytes.length === 0) continue
      pieces.push(bytes)
      length += bytes.length
      while (length >= maxSize) yield cut()
    }
    while (length > 0) yield cut()
  }
}

const MIN_SIZE = 128 * 1024
const MAX_SIZE = 512 * 1024
const WINDOW = 32
const MASK = 2 ** 17 - 1

/** Chunks of 128 to 512 KiB, cut where a buzhash of the last 32 bytes has 17 zero bits (boxo, `chunker/buzhash.go`). */
export const buzhash = contentDefined(MAX_SIZE, (bytes) => {
  if (bytes.length < MIN_SIZE) return bytes.length
  let state = 0
  for (let i = MIN_SIZE - WINDOW; i < MIN_SIZE; i++) state = rotate(state) ^ valueOf(bytes, i)
  let start = MIN_SIZE - WINDOW
  for (; start < bytes.length - WINDOW; start++) {
    if ((state & MASK) === 0) break
    state = rotate(state) ^ valueOf(bytes, start) ^ valueOf(bytes, start + WINDOW)
  }
  return start + WINDOW
})

function rotate(state: number): number {
  return (state << 1) | (state >>> 31)
}

function valueOf(bytes: Uint8Array, position: number): number {
  return buzhashTable[bytes[position] as number] as number
}

/** The table of buzhash, eight hexadecimal digits per byte value (boxo, `chunker/buzhash.go`). */
const digits = [
  '6236e7d510279b0b72818182dc5265142fd41e3d777ef8c883ee52852c8f36372f049c1a57df97919207151f9b544818',
  '74eef6582028ca600271d91a27ae587eecf9fa5f236e71cdf43a8a2e0bb133809e57912c89a26cdb9fcf3d71a86da6f1',
  '9c49f376346aecc7f094a9eeea99e9cbb01713c6088acffb2960a0fb344a626c7ff22a466d7a1aa56a71491641d454ca',
  '8325b8300b65f563447feccaf9d0ea5ec1d9d3d4cb5ec57455aae90286edc0e70d3a9e33e70dc1e1e3c5f6399b43140a',
  'c6490ac55e4030fb8e976dd5a87468eaf830ef6fcc1ed5a5611f4e78ddd11905f2613904566c67b9905a5ccc7b37b3a4',
  '4b53898a6b8fd29daad81575511be4143cfac1e78029a179d40efeda07380e02dc9beffd2d04908299bc7831ff5002a8',
  '21ce764601cd049b0f43994fc3c6c5a5bbda5f500ec15ec79adb19b60c1e80b9b9b52968ae1624192542b40591a42e9d',
  '6be0f6686ed7a6b9bc2777b4e162ce564266aad560fdb70466f832a59595f6cafee83ced55228d9912bf0e2866896459',
  '0789afda0282baa82367a343591491b02ff1a4b1410739b69b7055a02e0eb22924fc82523327d3dfb07826691c62e069',
  '7f503101f50593aed9eb275de00eb6785917ccde97b9660add06202ded229e22a9c735bfd6316fe66fc72e4c0206dfa2',
  'd6b15c5a69d87b4909c9774513445d6135a975aa859aa9b965380013d1fb6391c29255fd784a3b91b9e74c2663ce4d40',
  'c07cbe9ee6e4529e0fb3632f9438d9c9682f94a8f8fd4611257ec1ed475ce3d660ee2db12afab0022b9e487886b340de',
  '1482fdcafe41b3bfd4a412b0e09db98cc1af5d537e55e25fd3346b38b7a12cbd9c6827ba71f78bee8c3a0f52150491b0',
  'f26de912233e3a4ed309ebbaa0a9e0ffca2b5921eeb9893c33829e889870cc2a23c4b9d0eba32ea3bdac4d223bc8c44c',
  '1e8d0397f9327735783b009f0eb837422621dc71ed017d035c760aa15a69814b96e3047fa93c9cde615c86f5b4322aa5',
  '4225534d0d2e2de3ccfccc4b0bac2a57f0a06d04bc78d737f2d1f766f5a7953cbcdfda855213b7d5bce8a328d38f5f18',
  'db094244fe571253317fa7ee4a324f433ffc39d951b3fa8e7a4bee9f78bbc6829f5c035002fe286c245ab686ed6bf7d7',
  '0ac4988a3fe010fac65fe369a45749cb2b84e537de9ff36320540f9aaa8c9b345bc476b31d574bd7929100ad4721de4d',
  '27df1b0558b18546b7e76764df904e5897af57a1bd4dc433a6256dfdf63998f3f1e05833e20acf26f57fd9d690300b4d',
  '89df429068d01cbccf893ee3cc42a046778e181b67265c76e981a4c482991da1708f7294e6e2ae62fc44187095e1b0b6',
  '0445f8255a93b47f5e9cf4be84da71e79d9582b09bf835ef591f61e2433259855d2de32e8d8fbf0f95b30f3807ad5b6e',
  '4e934edf3cd4990e9053e2595c41857d',
].join('')

/** The 32-bit value that buzhash mixes in for each byte. */
export const buzhashTable = Uint32Array.from({ length: 256 }, (_, byte) =>
  Number.parseInt(digits.slice(byte * 8, byte * 8 + 8), 16),
)
