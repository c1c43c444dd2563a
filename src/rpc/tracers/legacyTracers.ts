import { startJavaScriptTracer } from './javaScriptTrace.js'
import type { TracerKind } from './tracerKind.js'

/** Creates a tracer of a program for the JavaScript engine. */
function programTracer(name: string, program: string): TracerKind {
  return {
    name,
    start: (config, budget, context) => startJavaScriptTracer(program, config, budget, context),
  }
}

const noop = `{ fault() {}, result() { return {} } }`

/** Counts selectors with the length of the rest of the input, as opcodes of calls find them on the stack. */
const fourByte = `{
  counts: {},
  count(selector, length) {
    const key = toHex(selector) + '-' + (length - 4)
    this.counts[key] = (this.counts[key] || 0) + 1
  },
  step({ op, stack, memory }) {
    const place = { CALL: 3, CALLCODE: 3, DELEGATECALL: 2, STATICCALL: 2 }[op.toString()]
    if (place === undefined || isPrecompiled(toAddress(stack.peek(1).toString(16)))) return
    const length = stack.peek(place + 1).valueOf()
    if (length < 4) return
    const start = stack.peek(place).valueOf()
    this.count(memory.slice(start, start + 4), length)
  },
  fault() {},
  result({ input }) {
    if (input.length >= 4) this.count(slice(input, 0, 4), input.length)
    return this.counts
  },
}`

/** Reads accounts and slots when opcodes name them, which is after some have changed. */
const prestate = `{
  accounts: undefined,
  account(address, db) {
    return (this.accounts[toHex(address)] ??= {
      balance: '0x' + db.getBalance(address).toString(16),
      nonce: db.getNonce(address),
      code: toHex(db.getCode(address)),
      storage: {},
    })
  },
  step(log, db) {
    const { op, stack, memory, contract } = log
    const own = contract.getAddress()
    if (this.accounts === undefined) {
      this.accounts = {}
      this.account(own, db)
    }
    const addressAt = (depth) => toAddress(stack.peek(depth).toString(16))
    switch (op.toString()) {
      case 'BALANCE': case 'EXTCODESIZE': case 'EXTCODECOPY': case 'EXTCODEHASH':
        this.account(addressAt(0), db)
        break
      case 'CALL': case 'CALLCODE': case 'DELEGATECALL': case 'STATICCALL':
        this.account(addressAt(1), db)
        break
      case 'CREATE':
        this.account(toContract(own, db.getNonce(own)), db)
        break
      case 'CREATE2': {
        const start = stack.peek(1).valueOf()
        const initcode = memory.slice(start, start + stack.peek(2).valueOf())
        this.account(toContract2(own, stack.peek(3).toString(16), initcode), db)
        break
      }
      case 'SLOAD': case 'SSTORE': {
        const slot = toWord(stack.peek(0).toString(16))
        this.accounts[toHex(own)].storage[toHex(slot)] ??= toHex(db.getState(own, slot))
      }
    }
  },
  fault() {},
  result({ type, from, to, value, gasUsed, gasPrice }, db) {
    if (this.accounts === undefined) {
      this.accounts = {}
      this.account(to, db)
    }
    const sender = this.account(from, db)
    const recipient = this.accounts[toHex(to)]
    const balances = [sender, recipient].map(({ balance }) => bigInt(balance.slice(2), 16))
    recipient.balance = '0x' + balances[1].subtract(value).toString(16)
    sender.balance = '0x' + balances[0].add(value).add(gasUsed * gasPrice).toString(16)
    sender.nonce--
    if (type === 'CREATE') delete this.accounts[toHex(to)]
    return this.accounts
  },
}`

/** Builds frames from opcodes alone, so that the gas of a call to an account without code is unknown. */
const call = `{
  frames: [{}],
  hasDescended: false,
  attach(frame) {
    const parent = this.frames[this.frames.length - 1]
    ;(parent.calls ??= []).push(frame)
  },
  step(log, db) {
    if (log.getError() !== undefined) return this.fault(log)
    const { op, stack, memory, contract } = log
    const name = op.toString()
    const inputAt = (depth) => {
      const start = stack.peek(depth).valueOf()
      return toHex(memory.slice(start, start + stack.peek(depth + 1).valueOf()))
    }
    const opened = { type: name, from: toHex(contract.getAddress()) }
    const paid = { before: log.getGas(), cost: log.getCost() }
    if (name === 'CREATE' || name === 'CREATE2') {
      this.frames.push({ ...opened, input: inputAt(1), value: '0x' + stack.peek(0).toString(16), paid })
      this.hasDescended = true
      return
    }
    if (name === 'SELFDESTRUCT') {
      this.attach({
        ...opened,
        to: toHex(toAddress(stack.peek(0).toString(16))),
        gasIn: paid.before,
        gasCost: paid.cost,
        value: '0x' + db.getBalance(contract.getAddress()).toString(16),
      })
      return
    }
    const takesValue = name === 'CALL' || name === 'CALLCODE'
    if (takesValue || name === 'DELEGATECALL' || name === 'STATICCALL') {
      const to = toAddress(stack.peek(1).toString(16))
      if (isPrecompiled(to)) return
      const place = takesValue ? 3 : 2
      const frame = { ...opened, to: toHex(to), input: inputAt(place), paid }
      frame.output = [stack.peek(place + 2).valueOf(), stack.peek(place + 3).valueOf()]
      if (takesValue) frame.value = '0x' + stack.peek(2).toString(16)
      this.frames.push(frame)
      this.hasDescended = true
      return
    }
    if (this.hasDescended) {
      if (log.getDepth() >= this.frames.length) this.frames[this.frames.length - 1].gas = log.getGas()
      this.hasDescended = false
    }
    if (name === 'REVERT') this.frames[this.frames.length - 1].error = 'execution reverted'
    else if (log.getDepth() === this.frames.length - 1) this.close(log, db)
  },
  close({ stack, memory, getGas }, db) {
    const { paid, output, ...frame } = this.frames.pop()
    const spent = paid.before - paid.cost - getGas()
    const outcome = stack.peek(0)
    const isCreation = frame.type.startsWith('CREATE')
    if (isCreation) frame.gasUsed = '0x' + bigInt(spent).toString(16)
    else if (frame.gas !== undefined) frame.gasUsed = '0x' + bigInt(spent + frame.gas).toString(16)
    if (outcome.equals(0)) frame.error ??= 'internal failure'
    else if (isCreation) {
      const created = toAddress(outcome.toString(16))
      frame.to = toHex(created)
      frame.output = toHex(db.getCode(created))
    } else frame.output = toHex(memory.slice(output[0], output[0] + output[1]))
    if (frame.gas !== undefined) frame.gas = '0x' + bigInt(frame.gas).toString(16)
    this.attach(frame)
  },
  fault(log) {
    if (this.frames[this.frames.length - 1].error !== undefined) return
    const { paid, output, ...frame } = this.frames.pop()
    frame.error = log.getError()
    if (frame.gas !== undefined) frame.gasUsed = frame.gas = '0x' + bigInt(frame.gas).toString(16)
    if (this.frames.length > 0) this.attach(frame)
    else this.frames.push(frame)
  },
  result({ type, from, to, value, gas, gasUsed, input, output, error }) {
    const [{ calls, error: own = error }] = this.frames
    const result = {
      type,
      from: toHex(from),
      to: toHex(to),
      value: '0x' + value.toString(16),
      gas: '0x' + bigInt(gas).toString(16),
      gasUsed: '0x' + bigInt(gasUsed).toString(16),
      input: toHex(input),
      output: toHex(output),
      error: own,
      calls,
    }
    if (own !== undefined && (own !== 'execution reverted' || result.output === '0x')) delete result.output
    return this.ordered(result)
  },
  ordered({ type, from, to, value, gas, gasUsed, input, output, error, calls }) {
    const inner = calls && calls.map((frame) => this.ordered(frame))
    return { type, from, to, value, gas, gasUsed, input, output, error, calls: inner }
  },
}`

/** Lists opcodes with the stack items that each leaves behind, nested by call, for the disassembler evmdis. */
const evmdis = `{
  stack: [{ ops: [] }],
  left(op) {
    if (op >= 0x80 && op <= 0x8f) return op - 0x7e
    if (op >= 0x90 && op <= 0x9f) return op - 0x8e
    if (op >= 0x60 && op <= 0x7f) return 1
    const ones = [[0x01, 0x0b], [0x10, 0x1a], [0x20, 0x20], [0x30, 0x36], [0x38, 0x38], [0x3a, 0x3b], [0x40, 0x45]]
    ones.push([0x51, 0x51], [0x54, 0x54], [0x58, 0x5a], [0xf0, 0xf2])
    return ones.some(([first, last]) => op >= first && op <= last) ? 1 : 0
  },
  step(log) {
    const { op, stack, memory } = log
    const frame = this.stack[this.stack.length - 1]
    const error = log.getError()
    if (error) {
      frame.error = error
      return
    }
    if (log.getDepth() !== this.stack.length) {
      this.stack = this.stack.slice(0, log.getDepth())
      return
    }
    const entry = { op: op.toNumber(), depth: log.getDepth(), result: [] }
    const last = frame.ops[frame.ops.length - 1]
    for (let i = 0; last !== undefined && i < this.left(last.op); i++) last.result.push(stack.peek(i).toString(16))
    const name = op.toString()
    const part = (depth) => {
      const start = stack.peek(depth).valueOf()
      return memory.slice(start, start + stack.peek(depth + 1).valueOf())
    }
    const target = () => ({ gas: stack.peek(0).valueOf(), to: stack.peek(1).toString(16) })
    const inner = { error: null, return: null, ops: [] }
    if (name === 'CALL' || name === 'CALLCODE') {
      const value = stack.peek(2).toString()
      this.stack.push(Object.assign(entry, target(), { value, input: part(3) }, inner))
    } else if (name === 'DELEGATECALL' || name === 'STATICCALL') {
      this.stack.push(Object.assign(entry, { op: name }, target(), { input: part(2) }, inner))
    } else if (name === 'RETURN' || name === 'REVERT') frame.return = part(0)
    else if (name === 'STOP' || name === 'SELFDESTRUCT') frame.return = memory.slice(0, 0)
    else if (name === 'JUMPDEST') entry.pc = log.getPC()
    if (op.isPush()) entry.len = op.toNumber() - 0x5e
    frame.ops.push(entry)
  },
  fault() {},
  result() { return this.stack[0].ops },
}`

/** geth's tracers that are JavaScript programs of steps (geth: eth/tracers/js/internal/tracers). */
export const legacyTracers = [
  programTracer('noopTracerLegacy', noop),
  programTracer('4byteTracerLegacy', fourByte),
  programTracer('prestateTracerLegacy', prestate),
  programTracer('callTracerLegacy', call),
  programTracer('evmdisTracer', evmdis),
]
