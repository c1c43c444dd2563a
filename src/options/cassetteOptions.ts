import { choice, decimalNumber, fileOrContent, option, optionGroup, optionalOption, text } from './kinds.js'

const url = text('URL', /^https?:\/\//, 'a URL of http or https')

/** Options to record and replay a provider's answers. */
export const cassetteOptions = optionGroup('Cassettes', {
  record: optionalOption(
    text('FILE'),
    'Pass every request on to --upstream and record the answers in this file; without --upstream, what a fork reads',
  ),
  replay: optionalOption(text('FILE'), 'Answer from this recording'),
  replayMode: option(
    choice(['strict', 'once', 'loose']),
    'strict',
    "What was not recorded is refused (strict), asked of --upstream and recorded (once), or answered by the node's own chain (loose)",
  ),
  replayExhausted: option(
    choice(['repeat', 'refuse']),
    'repeat',
    'Whether a request that comes more often than it was recorded gets the last answer again',
  ),
  replayDelay: option(
    decimalNumber({ minimum: 0, valueName: 'FACTOR' }),
    0,
    'Wait as long as the provider took, times this',
  ),
  recordRules: optionalOption(
    fileOrContent<{ masks?: readonly { method: string; path: string }[]; pinBlockTags?: boolean }>(),
    'JSON file of rules by which requests match; a new recording keeps them',
  ),
  upstream: optionalOption(url, 'JSON-RPC of the provider to record', { holdsSecrets: true }),
  upstreamWs: optionalOption(
    text('URL', /^wss?:\/\//, 'a URL of ws or wss'),
    "The provider's WebSocket; subscriptions need it",
    { holdsSecrets: true },
  ),
  upstreamIpfs: optionalOption(url, "The provider's file network; the node's own answers unless given", {
    holdsSecrets: true,
  }),
  upstreamGateway: optionalOption(url, "The provider's gateway for files, if it is not at --upstream-ipfs", {
    holdsSecrets: true,
  }),
})
