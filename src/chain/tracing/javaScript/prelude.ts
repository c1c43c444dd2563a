/**
 * The program that runs first in the sandbox of a JavaScript tracer: it defines the globals and arguments that geth
 * gives to tracers (eth/tracers/js/goja.go). It takes `host`, functions of this process that exchange only numbers,
 * strings and ArrayBuffers, and `loadBigInt`, which sets up the library for large integers: that takes longer than most
 * programs, many of which use none. It returns a function that starts a tracer and publishes its hooks.
 */
export const prelude = `(function (host, loadBigInt) {
  'use strict'
  const global = globalThis

  let library
  const bigIntLibrary = () => (library ??= loadBigInt())
  const bigInt = (value) => bigIntLibrary()(value)

  /** Defines a property whose value is made when it is first read. */
  function defineLater(object, name, make, { enumerable }) {
    const keep = (value) =>
      Object.defineProperty(object, name, { value, enumerable, writable: true, configurable: true })
    Object.defineProperty(object, name, {
      get: () => keep(make())[name],
      set: (value) => void keep(value),
      enumerable,
      configurable: true,
    })
  }

  function fail(message) {
    host.interrupt(message)
    throw new Error(message)
  }

  function fromHex(text) {
    const digits = text.replace(/^0[xX]/, '')
    const even = digits.length % 2 === 0 ? digits : '0' + digits
    const bytes = []
    for (let index = 0; index < even.length; index += 2) {
      const byte = /^[0-9a-fA-F]{2}$/.test(even.slice(index, index + 2)) ? parseInt(even.slice(index, index + 2), 16) : NaN
      if (Number.isNaN(byte)) break
      bytes.push(byte)
    }
    return Uint8Array.from(bytes)
  }

  /** The bytes that a program gives as an array. */
  function fromBuffer(value) {
    if (value === undefined || value === null) throw new TypeError('Cannot convert undefined or null to object')
    if (Array.isArray(value)) return Uint8Array.from(value)
    if (value.constructor === Uint8Array) return value
    return fail('invalid buffer type')
  }

  /** The bytes that a program gives as an array or in hex. */
  const fromBufferOrHex = (value) =>
    typeof value === 'string' || value instanceof String ? fromHex(String(value)) : fromBuffer(value)

  /** The last bytes of a value, with zeros in front of a shorter one. */
  function padded(bytes, length) {
    const result = new Uint8Array(length)
    const kept = bytes.subarray(Math.max(0, bytes.length - length))
    result.set(kept, length - kept.length)
    return result
  }

  const toHex = (bytes) => '0x' + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const address = (value) => padded(fromBufferOrHex(value), 20)
  const buffer = (bytes) => bytes.slice().buffer
  const bytesOf = (arrayBuffer) => new Uint8Array(arrayBuffer)

  function define(name, value) {
    Object.defineProperty(global, name, { value, writable: true, configurable: true })
  }

  defineLater(global, 'bigInt', bigIntLibrary, { enumerable: false })
  define('toHex', (value) => toHex(fromBuffer(value)))
  define('toWord', (value) => padded(fromBufferOrHex(value), 32))
  define('toAddress', address)
  define('toContract', (from, nonce) => bytesOf(host.toContract(buffer(address(from)), Number(nonce))))
  define('toContract2', (from, salt, initcode) => {
    const word = padded(fromHex(String(salt)), 32)
    return bytesOf(host.toContract2(buffer(address(from)), buffer(word), buffer(fromBufferOrHex(initcode))))
  })
  define('isPrecompiled', (value) => host.isPrecompiled(buffer(address(value))))
  define('slice', (value, start, end) => {
    const bytes = fromBuffer(value)
    const [from, to] = [Math.trunc(start) || 0, Math.trunc(end) || 0]
    if (from < 0 || from > to || to > bytes.length) {
      const bounds = 'available ' + bytes.length + ', offset ' + from + ', size ' + (to - from)
      fail('Tracer accessed out of bound memory: ' + bounds)
    }
    return bytes.slice(from, to)
  })

  const log = {
    getPC: () => host.getPC(),
    getGas: () => host.getGas(),
    getCost: () => host.getCost(),
    getDepth: () => host.getDepth(),
    getRefund: () => host.getRefund(),
    getError: () => host.getError(),
    op: {
      toNumber: () => host.opcode(),
      toString: () => host.opcodeName(),
      isPush: () => host.opcode() >= 0x5f && host.opcode() <= 0x7f,
    },
    stack: {
      peek: (index) => bigInt(host.peek(Number(index))),
      length: () => host.stackLength(),
    },
    memory: {
      slice: (start, end) => bytesOf(host.memorySlice(Number(start), Number(end))),
      getUint: (offset) => bigInt(host.memoryWord(Number(offset))),
      length: () => host.memoryLength(),
    },
    contract: {
      getCaller: () => bytesOf(host.getCaller()),
      getAddress: () => bytesOf(host.getAddress()),
      getValue: () => bigInt(host.getValue()),
      getInput: () => bytesOf(host.getInput()),
    },
  }

  const accountOf = (value) => buffer(padded(fromBuffer(value), 20))
  const db = {
    getBalance: (account) => bigInt(host.readBalance(accountOf(account))),
    getNonce: (account) => host.readNonce(accountOf(account)),
    getCode: (account) => bytesOf(host.readCode(accountOf(account))),
    getState: (account, slot) =>
      bytesOf(host.readStorage(accountOf(account), buffer(padded(fromBuffer(slot), 32)))),
    exists: (account) => host.readExists(accountOf(account)),
  }

  const frame = {
    getType: () => host.frameType(),
    getFrom: () => bytesOf(host.frameFrom()),
    getTo: () => bytesOf(host.frameTo()),
    getInput: () => bytesOf(host.frameInput()),
    getGas: () => host.frameGas(),
    getValue: () => {
      const value = host.frameValue()
      return value === undefined ? undefined : bigInt(value)
    },
  }

  const frameResult = {
    getGasUsed: () => host.frameGasUsed(),
    getOutput: () => bytesOf(host.frameOutput()),
    getError: () => host.frameError(),
  }

  /** What is told of the transaction: numbers as they are, wei as bigInt, bytes as Uint8Array. */
  function context() {
    const told = {}
    for (const [name, { number, wei, text }] of Object.entries(JSON.parse(host.context()))) {
      if (wei !== undefined) defineLater(told, name, () => bigInt(wei), { enumerable: true })
      else told[name] = number ?? text ?? bytesOf(host.contextBytes(name))
    }
    return told
  }

  const isFunction = (value) => typeof value === 'function'

  return function start(tracer, config) {
    const object = Object(tracer)
    const { result, fault, step, enter, exit, setup } = object
    if (!isFunction(result)) throw 'trace object must expose a function result()'
    if (!isFunction(fault)) throw 'trace object must expose a function fault()'
    if (isFunction(enter) !== isFunction(exit)) {
      throw 'trace object must expose either both or none of enter() and exit()'
    }
    const hooks = {
      fault: () => void fault.call(object, log, db),
      // As in geth's engine, null has no members.
      result: () => JSON.stringify(result.call(object, context(), db) ?? {}),
    }
    if (isFunction(step)) hooks.step = () => void step.call(object, log, db)
    if (isFunction(enter)) hooks.enter = () => void enter.call(object, frame)
    if (isFunction(exit)) hooks.exit = () => void exit.call(object, frameResult)
    Object.defineProperty(global, 'hooks of the tracer', { value: Object.freeze(hooks) })
    if (isFunction(setup)) setup.call(object, config)
    return Object.keys(hooks).join(' ')
  }
})`
