import { InvalidRequestError, ParseError, RpcError } from '../errors.js'
import type { Message } from './body.js'

/** What a node says of bodies and messages that are no requests, where it is not what geth says. */
export interface EnvelopeRules {
  /** The refusal of a body that is no JSON; an empty one is none. */
  malformed(body: Uint8Array | string): RpcError
  /** The refusal of a message that is no request. */
  invalid(): RpcError
  /** Whether a message is no request although geth takes it for one, or for a notification. */
  refuses(message: Message): boolean
  /** What a batch without messages is answered with. */
  emptyBatch: 'refusal' | 'empty array'
  /** Whether the refusal of a message has its id. */
  keepsIds: boolean
}

/** A longer body is not read again for the place of its mistake. */
const LONGEST_DESCRIBED = 256 * 1024

/** Hardhat refuses notifications and ids that are no strings and numbers (hardhat: util/jsonrpc.ts, isValidJsonRequest). */
const hardhat: EnvelopeRules = {
  malformed(body) {
    const reason = body.length > LONGEST_DESCRIBED ? undefined : syntaxError(body)
    return withMessageAsData(new ParseError(reason === undefined ? 'Parse error' : `Parse error: ${reason}`))
  },
  invalid: () => withMessageAsData(new InvalidRequestError('Invalid request')),
  refuses: ({ idAbsent, id = '', params }) =>
    idAbsent || /^[tfn]/.test(id) || (params !== undefined && !Array.isArray(params)),
  emptyBatch: 'empty array',
  keepsIds: false,
}

/** Anvil knows one refusal (foundry: anvil/server/src/handler.rs). */
const anvil: EnvelopeRules = {
  malformed: () => new InvalidRequestError('Invalid request'),
  invalid: () => new InvalidRequestError('Invalid request'),
  refuses: () => false,
  emptyBatch: 'refusal',
  keepsIds: true,
}

/** The rules of the node that is stood in for; undefined for geth's, which the pipeline has. */
export const envelopeRules: Readonly<
  Record<'geth' | 'anvil' | 'hardhat' | 'ganache', EnvelopeRules | undefined>
> = { geth: undefined, ganache: undefined, anvil, hardhat }

function withMessageAsData({ code, message }: RpcError): RpcError {
  return new RpcError(code, message, { data: { message } })
}

/** What V8 says of a text that is no JSON, as hardhat answers it. */
function syntaxError(body: Uint8Array | string): string | undefined {
  try {
    JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
