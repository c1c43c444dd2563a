import { choice, decimalNumber, fileOrContent, option, optionalOption, text } from './kinds.js'

const url = text('URL', /^https?:\/\//, 'a URL of http or https')

/** Recording a provider's answers and replaying them. */
export const cassetteOptions = {
  record: optionalOption({
    flag: 'record',
    kind: text('FILE'),
    description:
      'Pass every request on to --upstream and record the answers in this file; without --upstream, what a fork reads',
    group: 'Cassettes',
  }),
  replay: optionalOption({
    flag: 'replay',
    kind: text('FILE'),
    description: 'Answer from this recording',
    group: 'Cassettes',
  }),
  replayMode: option({
    flag: 'replay-mode',
    kind: choice(['strict', 'once', 'loose']),
    default: 'strict',
    description:
      "What was not recorded is refused (strict), asked of --upstream and recorded (once), or answered by the node's own chain (loose)",
    group: 'Cassettes',
  }),
  replayExhausted: option({
    flag: 'replay-exhausted',
    kind: choice(['repeat', 'refuse']),
    default: 'repeat',
    description: 'Whether a request that comes more often than it was recorded gets the last answer again',
    group: 'Cassettes',
  }),
  replayDelay: option({
    flag: 'replay-delay',
    kind: decimalNumber({ minimum: 0, valueName: 'FACTOR' }),
    default: 0,
    description: 'Wait as long as the provider took, times this',
    group: 'Cassettes',
  }),
  recordRules: optionalOption({
    flag: 'record-rules',
    kind: fileOrContent<{ masks?: readonly { method: string; path: string }[]; pinBlockTags?: boolean }>(),
    description: 'JSON file of rules by which requests match; a new recording keeps them',
    group: 'Cassettes',
  }),
  upstream: optionalOption({
    flag: 'upstream',
    kind: url,
    holdsSecrets: true,
    description: 'JSON-RPC of the provider to record',
    group: 'Cassettes',
  }),
  upstreamWs: optionalOption({
    flag: 'upstream-ws',
    kind: text('URL', /^wss?:\/\//, 'a URL of ws or wss'),
    holdsSecrets: true,
    description: "The provider's WebSocket; subscriptions need it",
    group: 'Cassettes',
  }),
  upstreamIpfs: optionalOption({
    flag: 'upstream-ipfs',
    kind: url,
    holdsSecrets: true,
    description: "The provider's file network; the node's own answers unless given",
    group: 'Cassettes',
  }),
  upstreamGateway: optionalOption({
    flag: 'upstream-gateway',
    kind: url,
    holdsSecrets: true,
    description: "The provider's gateway for files, if it is not at --upstream-ipfs",
    group: 'Cassettes',
  }),
}
