import { choice, fileOrContent, list, option, optionalOption, text, toggle, wholeNumber } from './kinds.js'

/** What makes the node a hosted provider: keys, modes, plans and the limits of answers. */
export const providerOptions = {
  mode: optionalOption({
    flag: 'mode',
    kind: choice(['open', 'guarded', 'strict']),
    description:
      'Who gets in and what exists; open unless --key, --keys or a foreign address make it guarded',
    group: 'Provider',
  }),
  key: option({
    flag: 'key',
    kind: list(text('KEY[:SECRET]', /^[A-Za-z0-9_-]+(:.+)?$/, 'KEY or KEY:SECRET')),
    holdsSecrets: true,
    default: [],
    description: 'API key, with its secret for the file network; may be repeated',
    group: 'Provider',
  }),
  keys: optionalOption({
    flag: 'keys',
    kind: fileOrContent<{ keys: readonly object[]; plans?: Readonly<Record<string, object>> }>(),
    description: 'JSON file of keys with plans, allowlists and limits',
    group: 'Provider',
  }),
  noIpfsAuth: option({
    flag: 'no-ipfs-auth',
    kind: toggle(),
    default: false,
    description: 'Let the file network in without credentials in guarded mode',
    group: 'Provider',
  }),
  network: option({
    flag: 'network',
    aliases: ['n'],
    kind: list(text('NAME[:CHAIN_ID]', /^[a-z0-9-]+(:\d+)?$/, 'NAME or NAME:CHAIN_ID')),
    default: [],
    description:
      'A further network with a chain of its own; may be repeated. Known names bring their chain id',
    group: 'Provider',
  }),
  quotaProfile: option({
    flag: 'quota-profile',
    kind: choice(['current', 'legacy']),
    default: 'current',
    description: "Which generation of the provider's quota refusals keys with a plan get",
    group: 'Provider',
  }),
  faults: optionalOption({
    flag: 'faults',
    kind: fileOrContent<{ faults: readonly object[] }>(),
    description: 'JSON file of faults to inject',
    group: 'Provider',
  }),
  scenario: option({
    flag: 'scenario',
    kind: list(text('NAME')),
    default: [],
    description: 'A ready-made set of faults by name; may be repeated',
    group: 'Provider',
  }),
  seed: option({
    flag: 'seed',
    kind: wholeNumber(),
    default: 1,
    description: 'Seed of the faults that happen with a probability',
    group: 'Provider',
  }),
  failoverUrl: optionalOption({
    flag: 'failover-url',
    kind: text('URL', /^https?:\/\//, 'an http or https URL'),
    holdsSecrets: true,
    description:
      'Partner that eth_estimateGas and eth_getProof go to in an outage; this node itself unless given',
    group: 'Provider',
  }),
  journalSize: option({
    flag: 'journal-size',
    kind: wholeNumber({ valueName: 'ENTRIES' }),
    default: 10_000,
    description: 'How many requests the journal remembers',
    group: 'Provider',
  }),
  logsMaxResults: option({
    flag: 'logs-max-results',
    kind: wholeNumber({ minimum: 1 }),
    default: 10_000,
    description: 'Most logs that one eth_getLogs query returns',
    group: 'Answers and limits',
  }),
  logsTimeoutMs: option({
    flag: 'logs-timeout-ms',
    kind: wholeNumber({ valueName: 'MILLISECONDS' }),
    default: 10_000,
    description: 'Longest time that one eth_getLogs query runs',
    group: 'Answers and limits',
  }),
  logsMaxParameters: option({
    flag: 'logs-max-parameters',
    kind: wholeNumber({ minimum: 1 }),
    default: 5_000,
    description: 'Most addresses and topics in one query, filter or subscription of logs',
    group: 'Answers and limits',
  }),
  logsMaxRange: optionalOption({
    flag: 'logs-max-range',
    kind: wholeNumber({ minimum: 1, valueName: 'BLOCKS' }),
    description: 'Longest block range of one eth_getLogs query; no limit unless given',
    group: 'Answers and limits',
  }),
  maxResponse: option({
    flag: 'max-response',
    kind: wholeNumber({ minimum: 1, valueName: 'BYTES' }),
    default: 50_000_000,
    description: 'Most bytes of the traces in one answer; what is longer is refused',
    group: 'Answers and limits',
  }),
  gasCapBlocks: option({
    flag: 'gas-cap-blocks',
    kind: wholeNumber({ minimum: 1 }),
    default: 10,
    description:
      'Most gas of eth_call and eth_estimateGas, as a multiple of the block gas limit; more is clamped',
    group: 'Answers and limits',
  }),
  logsRange: optionalOption({
    flag: 'logs-range',
    kind: choice(['strict', 'lenient']),
    description:
      'Whether a log range beyond the head or up to pending is refused, as geth does, or clipped, as devnets do; strict unless given, lenient with --compat',
    group: 'Answers and limits',
  }),
  logsError: option({
    flag: 'logs-error',
    kind: choice(['plain', 'suggest']),
    default: 'plain',
    description: 'Whether the refusal of too many logs suggests a block range',
    group: 'Answers and limits',
  }),
  noTotalDifficulty: option({
    flag: 'no-total-difficulty',
    kind: toggle(),
    default: false,
    description: 'Leave totalDifficulty out of blocks',
    group: 'Answers and limits',
  }),
  pendingFields: optionalOption({
    flag: 'pending-fields',
    kind: choice(['spec', 'geth', 'anvil', 'hardhat']),
    description:
      "Which fields of the pending block are null, on every path; unless given the document's (spec) on /v3/KEY, where go-ethereum, alloy, cast, ethers and web3j cannot read it, geth's on the plain path, and those of --compat",
    group: 'Answers and limits',
  }),
}
