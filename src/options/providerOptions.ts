import {
  choice,
  fileOrContent,
  list,
  option,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
} from './kinds.js'

/** Options of the hosted provider: keys, modes, plans and limits of answers. */
export const providerOptions = {
  ...optionGroup('Provider', {
    mode: optionalOption(
      choice(['open', 'guarded', 'strict']),
      'Who gets in and what exists; open unless --key, --keys or a foreign address make it guarded',
    ),
    key: option(
      list(text('KEY[:SECRET]', /^[A-Za-z0-9_-]+(:.+)?$/, 'KEY or KEY:SECRET')),
      [],
      'API key, with its secret for the file network; may be repeated',
      { holdsSecrets: true },
    ),
    keys: optionalOption(
      fileOrContent<{ keys: readonly object[]; plans?: Readonly<Record<string, object>> }>(),
      'JSON file of keys with plans, allowlists and limits',
    ),
    noIpfsAuth: toggle('Let the file network in without credentials in guarded mode'),
    network: option(
      list(text('NAME[:CHAIN_ID]', /^[a-z0-9-]+(:\d+)?$/, 'NAME or NAME:CHAIN_ID')),
      [],
      'A further network with a chain of its own; may be repeated. Known names bring their chain id',
      { aliases: ['n'] },
    ),
    quotaProfile: option(
      choice(['current', 'legacy']),
      'current',
      "Which generation of the provider's quota refusals keys with a plan get",
    ),
    faults: optionalOption(fileOrContent<{ faults: readonly object[] }>(), 'JSON file of faults to inject'),
    scenario: option(list(text('NAME')), [], 'A ready-made set of faults by name; may be repeated'),
    seed: option(wholeNumber(), 1, 'Seed of the faults that happen with a probability'),
    failoverUrl: optionalOption(
      text('URL', /^https?:\/\//, 'an http or https URL'),
      'Partner that eth_estimateGas and eth_getProof go to in an outage; this node itself unless given',
      { holdsSecrets: true },
    ),
    journalSize: option(
      wholeNumber({ valueName: 'ENTRIES' }),
      10_000,
      'How many requests the journal remembers',
    ),
  }),
  ...optionGroup('Answers and limits', {
    logsMaxResults: option(
      wholeNumber({ minimum: 1 }),
      10_000,
      'Most logs that one eth_getLogs query returns',
    ),
    logsTimeoutMs: option(
      wholeNumber({ valueName: 'MILLISECONDS' }),
      10_000,
      'Longest time that one eth_getLogs query runs',
    ),
    logsMaxParameters: option(
      wholeNumber({ minimum: 1 }),
      5_000,
      'Most addresses and topics in one query, filter or subscription of logs',
    ),
    logsMaxRange: optionalOption(
      wholeNumber({ minimum: 1, valueName: 'BLOCKS' }),
      'Longest block range of one eth_getLogs query; no limit unless given',
    ),
    maxResponse: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      50_000_000,
      'Most bytes of the traces in one answer; what is longer is refused',
    ),
    gasCapBlocks: option(
      wholeNumber({ minimum: 1 }),
      10,
      'Most gas of eth_call and eth_estimateGas, as a multiple of the block gas limit; more is clamped',
    ),
    logsRange: optionalOption(
      choice(['strict', 'lenient']),
      'Whether a log range beyond the head or up to pending is refused, as geth does, or clipped, as devnets do; strict unless given, lenient with --compat',
    ),
    logsError: option(
      choice(['plain', 'suggest']),
      'plain',
      'Whether the refusal of too many logs suggests a block range',
    ),
    noTotalDifficulty: toggle('Leave totalDifficulty out of blocks'),
    pendingFields: optionalOption(
      choice(['spec', 'geth', 'anvil', 'hardhat']),
      "Which fields of the pending block are null, on every path; unless given the document's (spec) on /v3/KEY, where go-ethereum, alloy, cast, ethers and web3j cannot read it, geth's on the plain path, and those of --compat",
    ),
  }),
}
