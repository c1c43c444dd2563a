import { InvalidRequestError, ParseError, RpcError } from '../errors.js'
import type { Message } from './body.js'

/** How an emulated node rejects malformed bodies and messages, where it differs from geth. */
export interface EnvelopeRules {
  /** Error for a body that is not JSON, or empty. */
  malformed(body: Uint8Array | string): RpcError
  /** Error for an invalid request. */
  invalid(): RpcError
  /** Whether a message is rejected that geth accepts as a request or notification. */
  refuses(message: Message): boolean
  /** Answer to an empty batch. */
  emptyBatch: 'refusal' | 'empty array'
  /** Whether the rejection of a message carries its id. */
  rejectionCarriesId: boolean
}

/** Longer bodies are not parsed again to locate the error. */
const MAX_DESCRIBED_LENGTH = 256 * 1024

/**
 * Hardhat rejects notifications and ids other than strings and numbers (hardhat: util/jsonrpc.ts, isValidJsonRequest).
 */
const hardhat: EnvelopeRules = {
  malformed(body) {
    const reason = body.length > MAX_DESCRIBED_LENGTH ? undefined : syntaxError(body)
    return withMessageAsData(new ParseError(reason === undefined ? 'Parse error' : `Parse error: ${reason}`))
  },
  invalid: () => withMessageAsData(new InvalidRequestError('Invalid request')),
  refuses: ({ idAbsent, id = '', params }) =>
    idAbsent || /^[tfn]/.test(id) || (params !== undefined && !Array.isArray(params)),
  emptyBatch: 'empty array',
  rejectionCarriesId: false,
}

/** Anvil has a single rejection (foundry: anvil/server/src/handler.rs). */
const anvil: EnvelopeRules = {
  malformed: () => new InvalidRequestError('Invalid request'),
  invalid: () => new InvalidRequestError('Invalid request'),
  refuses: () => false,
  emptyBatch: 'refusal',
  rejectionCarriesId: true,
}

/** Rules by emulated node; undefined for geth's, which are the pipeline's own. */
export const envelopeRules: Readonly<
  Record<'geth' | 'anvil' | 'hardhat' | 'ganache', EnvelopeRules | undefined>
> = { geth: undefined, ganache: undefined, anvil, hardhat }

function withMessageAsData({ code, message }: RpcError): RpcError {
  return new RpcError(code, message, { data: { message } })
}

/** Returns V8's syntax error, as hardhat does. */
function syntaxError(body: Uint8Array | string): string | undefined {
  try {
    JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
