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
      'Who has access, and to what; defaults to open, or to guarded with --key, --keys or any address but loopback',
    ),
    key: option(
      list(text('KEY[:SECRET]', /^[A-Za-z0-9_-]+(:.+)?$/, 'KEY or KEY:SECRET')),
      [],
      'API key, with an optional secret for the file network; may be repeated',
      { holdsSecrets: true },
    ),
    keys: optionalOption(
      fileOrContent<{ keys: readonly object[]; plans?: Readonly<Record<string, object>> }>(),
      'JSON file of keys with their plans, allowlists and limits',
    ),
    noIpfsAuth: toggle("Don't require credentials for the file network in guarded mode"),
    network: option(
      list(text('NAME[:CHAIN_ID]', /^[a-z0-9-]+(:\d+)?$/, 'NAME or NAME:CHAIN_ID')),
      [],
      'Additional network with a chain of its own; may be repeated. Known names imply their chain id',
      { aliases: ['n'] },
    ),
    quotaProfile: option(
      choice(['current', 'legacy']),
      'current',
      "Generation of the provider's quota errors that keys with a plan get",
    ),
    faults: optionalOption(fileOrContent<{ faults: readonly object[] }>(), 'JSON file of faults to inject'),
    scenario: option(list(text('NAME')), [], 'Built-in set of faults; may be repeated'),
    seed: option(wholeNumber(), 1, 'Seed for faults that have a probability'),
    failoverUrl: optionalOption(
      text('URL', /^https?:\/\//, 'an http or https URL'),
      'Partner node that eth_estimateGas and eth_getProof fail over to in an outage; defaults to this node',
      { holdsSecrets: true },
    ),
    journalSize: option(
      wholeNumber({ valueName: 'ENTRIES' }),
      10_000,
      'Number of requests that the journal keeps',
    ),
  }),
  ...optionGroup('Answers and limits', {
    logsMaxResults: option(
      wholeNumber({ minimum: 1 }),
      10_000,
      'Maximum number of logs that an eth_getLogs query returns',
    ),
    logsTimeoutMs: option(
      wholeNumber({ valueName: 'MILLISECONDS' }),
      10_000,
      'Maximum duration of an eth_getLogs query',
    ),
    logsMaxParameters: option(
      wholeNumber({ minimum: 1 }),
      5_000,
      'Maximum number of addresses and topics in a log query, filter or subscription',
    ),
    logsMaxRange: optionalOption(
      wholeNumber({ minimum: 1, valueName: 'BLOCKS' }),
      'Maximum block range of an eth_getLogs query; unlimited by default',
    ),
    maxResponse: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      50_000_000,
      'Maximum size of an answer with traces, listed state or the results of eth_callMany or evm_mine_detailed, and of the answers to a batch together, which also end at 25 MB, as in geth; more is refused',
    ),
    gasCapBlocks: option(
      wholeNumber({ minimum: 1 }),
      10,
      'Gas cap of eth_call and eth_estimateGas, as a multiple of the block gas limit; more is clamped',
    ),
    logsRange: optionalOption(
      choice(['strict', 'lenient']),
      'Reject log ranges beyond the head or up to pending, like geth (strict), or clip them, like devnets (lenient); defaults to strict, or to lenient with --compat',
    ),
    logsError: option(
      choice(['plain', 'suggest']),
      'plain',
      'Whether the error for too many logs suggests a block range',
    ),
    noTotalDifficulty: toggle('Omit totalDifficulty from blocks'),
    pendingFields: optionalOption(
      choice(['spec', 'geth', 'anvil', 'hardhat']),
      "Which fields of the pending block are null, on every path. By default, those of the provider's documentation (spec) on /v3/KEY, which go-ethereum, alloy, cast, ethers and web3j cannot parse; geth's on the plain path; and those of --compat",
    ),
  }),
}
