import { choice, decimalNumber, fileOrContent, option, optionGroup, optionalOption, text } from './kinds.js'

const url = text('URL', /^https?:\/\//, 'an http or https URL')

/** Options to record and replay a provider's answers. */
export const cassetteOptions = optionGroup('Cassettes', {
  record: optionalOption(
    text('FILE'),
    'Forward every request to --upstream and record the answers in this file; without --upstream, record what a fork reads',
  ),
  replay: optionalOption(text('FILE'), 'Answer requests from this recording'),
  replayMode: option(
    choice(['strict', 'once', 'loose']),
    'strict',
    "Refuse what was not recorded (strict), forward it to --upstream and record it (once), or answer it from the node's own chain (loose)",
  ),
  replayExhausted: option(
    choice(['repeat', 'refuse']),
    'repeat',
    'Repeat the last answer to a request that comes more often than it was recorded, or refuse it',
  ),
  replayDelay: option(
    decimalNumber({ minimum: 0, valueName: 'FACTOR' }),
    0,
    'Delay answers by the time that the provider took, times this factor',
  ),
  recordRules: optionalOption(
    fileOrContent<{ masks?: readonly { method: string; path: string }[]; pinBlockTags?: boolean }>(),
    'JSON file of rules for matching requests; a new recording stores them',
  ),
  upstream: optionalOption(url, 'JSON-RPC URL of the provider to record', { holdsSecrets: true }),
  upstreamWs: optionalOption(
    text('URL', /^wss?:\/\//, 'a ws or wss URL'),
    'WebSocket URL of the provider; required for subscriptions',
    { holdsSecrets: true },
  ),
  upstreamIpfs: optionalOption(
    url,
    'File network URL of the provider; by default the node answers these requests itself',
    {
      holdsSecrets: true,
    },
  ),
  upstreamGateway: optionalOption(
    url,
    'File gateway URL of the provider, if it differs from --upstream-ipfs',
    {
      holdsSecrets: true,
    },
  ),
})
