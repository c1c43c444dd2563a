/** Values that are invalid for most parameters. */
export const malformed: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e30,
    '',
    '0x',
    '0',
    '1',
    'x',
    '0x0',
    '0x00',
    '0x01',
    '0xg',
    '0X1',
    '0x1 ',
    [],
    {},
  ],
  ...[
    'latest',
    'LATEST',
    'pending',
    'earliest',
    '0xabc',
    '0xabcd',
    '-0x1',
    `0x${'f'.repeat(16)}`,
    `0x1${'0'.repeat(16)}`,
  ],
  ...[
    `0x${'1'.repeat(40)}`,
    `0x${'0'.repeat(64)}`,
    `0x${'f'.repeat(64)}`,
    `0x1${'0'.repeat(64)}`,
    [null],
    [[]],
    ['0x'],
  ],
  ...[{ blockHash: null }, { blockNumber: '0x1' }, { to: null }, '0x7fffffffffffffff', '0x8000000000000000'],
]

/** Names that no method has, and one that needs a connection. */
export const unusualMethods: readonly unknown[] = [
  ...[null, 1, '', 'x', 'eth_x', 'eth', '_', [], 'eth_\ud800', 'a_subscription'],
  ...['eth_subscribe', 'x_subscribe', '_subscribe', 'x_unsubscribe', 'eth_x_unsubscribe'],
]

export const durations = [
  ...['30s', '1m', '20s', '1h2m3.5s', '+30s'],
  ...['10x', '', '1', '5 s', '5S', '٣s', '9999999h'],
]

export const tracers = [
  'callTracer',
  'prestateTracer',
  'flatCallTracer',
  '4byteTracer',
  'muxTracer',
  'noopTracer',
  'keccak256PreimageTracer',
  'erc7562Tracer',
  'opcountTracer',
  'unigramTracer',
  'bigramTracer',
  'trigramTracer',
  'callTracerLegacy',
  'prestateTracerLegacy',
  '4byteTracerLegacy',
  'noopTracerLegacy',
  'evmdisTracer',
  '',
]

/** Results of JavaScript tracers: values that JSON lacks or prints in another form, and what the engine offers. */
const results = [
  ...[
    'undefined',
    'null',
    'true',
    '-0',
    '1e21',
    '1.5',
    '9007199254740993',
    '""',
    '"a<b"',
    '[]',
    'this',
    'ctx.value',
  ],
  ...[
    '[null, undefined, NaN, function () {}]',
    '{ b: 1, a: undefined, 1: 3, 0: 4 }',
    'new Date(0)',
    'new Map()',
  ],
  ...[
    'new Uint8Array([1, 2])',
    '[new Uint8Array(2)]',
    'toWord("0x1")',
    'bigInt(5)',
    '[bigInt("9".repeat(30))]',
  ],
  ...['bigInt(7).mod(4).toString()', 'bigInt("ff", 16)', 'slice([1, 2, 3], 0, 2)', 'toHex([1, 2, 255])'],
  ...['toHex(toAddress("0x1"))', 'toHex(toContract("0x1", 5))', 'toHex(toContract2("0x1", "0x2", "0x3"))'],
  ...['[1, 9, 10, 17, 18, 256].map((n) => isPrecompiled("0x" + n.toString(16)))'],
  ...['[ctx.type, ctx.gas, ctx.gasUsed, ctx.block, ctx.txIndex, ctx.blockHash && toHex(ctx.blockHash)]'],
  ...['[db.getBalance(ctx.from).toString(), db.getNonce(ctx.from), toHex(db.getState(ctx.to, "0x0"))]'],
]

/** JavaScript tracers that together use everything geth offers to them. */
export const javaScriptTracers = [
  `{seen: [],
    step: function(log) { this.seen.push([log.op.toString(), log.getPC(), log.getGas(), log.getCost(), log.getDepth(), log.getRefund(), log.getError()]) },
    fault: function(log) { this.seen.push([log.op.toNumber(), log.getError()]) },
    result: function() { return this.seen }}`,
  `{seen: [],
    step: function(log) {
      var stack = log.stack, top = stack.length() > 0 ? stack.peek(0).toString(16) : null
      this.seen.push([top, log.memory.length(), toHex(log.contract.getAddress()), toHex(log.contract.getCaller()), log.contract.getValue().toString(), toHex(log.contract.getInput())])
    },
    fault: function() {},
    result: function() { return this.seen }}`,
  `{seen: [],
    enter: function(frame) { var value = frame.getValue(); this.seen.push([frame.getType(), toHex(frame.getFrom()), toHex(frame.getTo()), toHex(frame.getInput()), frame.getGas(), value === undefined ? null : value.toString()]) },
    exit: function(frame) { this.seen.push([frame.getGasUsed(), toHex(frame.getOutput()), frame.getError()]) },
    fault: function() {},
    result: function(ctx) { return {seen: this.seen, ctx: [ctx.type, toHex(ctx.from), toHex(ctx.to), toHex(ctx.input), ctx.gas, ctx.gasUsed, ctx.gasPrice.toString(), ctx.value.toString(), ctx.block, ctx.coinbase && toHex(ctx.coinbase), ctx.output && toHex(ctx.output), ctx.error]} }}`,
  `{seen: [],
    step: function(log, db) {
      if (log.op.isPush()) return
      var address = log.contract.getAddress()
      this.seen.push([db.getBalance(address).toString(), db.getNonce(address), toHex(db.getCode(address)), toHex(db.getState(address, toWord('0x00'))), db.exists(address), isPrecompiled(address)])
    },
    fault: function() {},
    result: function(ctx, db) { return [this.seen, toHex(toContract(ctx.from, 1)), toHex(toContract2(ctx.from, '0x01', toWord('0x02')))] }}`,
  `{setup: function(config) { this.config = config; this.seen = [] },
    step: function(log) { if (log.op.toNumber() === 0x52 && log.memory.length() > 0) this.seen.push(toHex(log.memory.slice(0, 32)), log.memory.getUint(0).toString()) },
    fault: function() {},
    result: function() { return [this.config, this.seen] }}`,
  `{step: function(log) { this.last = log.stack.peek(3) }, fault: function() {}, result: function() { return 1 }}`,
  ...results.map((result) => `{fault() {}, result(ctx, db) { return ${result} }}`),
]
