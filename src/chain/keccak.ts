import { wordIn } from './evm/words.js'
import { DIGEST_OFFSET, INPUT_OFFSET, RATE_BYTES } from './keccak/layout.js'
import { KECCAK_MODULE } from './keccak/moduleBytes.js'

/** What the module shows (see keccakModule in keccak/wasmModule.ts). */
interface KeccakExports {
  memory: { readonly buffer: ArrayBuffer }
  absorb(length: number, isLast: 0 | 1): void
}

/** As much of WebAssembly's own interface as is used; Node's types have it without the functions. */
interface WebAssemblyInterface {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { readonly exports: KeccakExports }
}

const PAGE_BYTES = 65_536
/** The longest input that is hashed in one go: whole blocks, with one left for the padding. */
const CHUNK_BYTES = (Math.floor((PAGE_BYTES - INPUT_OFFSET) / RATE_BYTES) - 1) * RATE_BYTES

const { Module, Instance } = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyInterface
const { memory, absorb } = new Instance(new Module(Buffer.from(KECCAK_MODULE, 'base64'))).exports
const view = new DataView(memory.buffer)
const digest = new Uint8Array(memory.buffer, DIGEST_OFFSET, 32)
const input = new Uint8Array(memory.buffer, INPUT_OFFSET)

/** Leaves the hash of bytes where the module has it. */
function hash(bytes: Uint8Array): void {
  let rest = bytes
  for (; rest.length > CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) {
    input.set(rest.subarray(0, CHUNK_BYTES))
    absorb(CHUNK_BYTES, 0)
  }
  input.set(rest)
  absorb(rest.length, 1)
}

/** Writes the keccak-256 hash of the first `length` bytes into 32 bytes of others. */
export function writeKeccak256(bytes: Uint8Array, length: number, into: Uint8Array, position: number): void {
  if (bytes.length > CHUNK_BYTES) hash(bytes.subarray(0, length))
  else {
    input.set(bytes)
    absorb(length, 1)
  }
  into.set(digest, position)
}

/**
 * The keccak-256 hash of bytes, 32 bytes long, in memory of its own.
 *
 * WebAssembly does it about ten times as fast as JavaScript on the short inputs of a state trie.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  hash(bytes)
  return digest.slice()
}

/** The keccak-256 hash of bytes as a number: what the opcode puts onto the stack. */
export function keccak256Word(bytes: Uint8Array): bigint {
  hash(bytes)
  return wordIn(view, DIGEST_OFFSET)
}
