import { bytesToHex } from '../../../encoding/hex.js'
import { JsonLimitError, callLimits, parseJsonInSteps } from '../../../encoding/json.js'
import { type Steps, runToCompletion } from '../../../encoding/timeSlice.js'
import { defineMethod, required } from '../../method.js'
import { address, data } from '../../params/bytes.js'
import { type Decoder, ReasonError, TypeMismatchError, jsonTypeName } from '../../params/combinators.js'

const members = ['types', 'primaryType', 'domain', 'message']

/** Typed data (EIP-712) as an object or JSON text. */
const typedData: Decoder<object> = {
  schema: {
    title: 'typed data',
    anyOf: [
      { type: 'object', required: members },
      { type: 'string', contentMediaType: 'application/json' },
    ],
  },
  decode: (value) => runToCompletion(decodeTypedData(value)),
  decodeInSteps: decodeTypedData,
}

function* decodeTypedData(value: unknown): Steps<object> {
  const given = typeof value === 'string' ? yield* parse(value) : value
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeMismatchError(jsonTypeName(given), 'apitypes.TypedData')
  }
  const missing = members.find((name) => !Object.hasOwn(given, name))
  if (missing !== undefined) throw new ReasonError(`typed data lacks ${missing}`)
  return given
}

function* parse(text: string): Steps<unknown> {
  try {
    return yield* parseJsonInSteps(text, { limits: callLimits })
  } catch (error) {
    throw new ReasonError(error instanceof JsonLimitError ? error.message : 'typed data is not valid JSON')
  }
}

/** eth_signTypedData_v4: signs EIP-712 typed data, given as an object or JSON text. */
export const signTypedData_v4 = defineMethod(
  'eth_signTypedData_v4',
  [required('address', address), required('typedData', typedData)],
  async ({ backend }, account, given) => bytesToHex(await backend.keyring.signTypedData(account, given)),
)

/** eth_sign: signs a message with the EIP-191 prefix. */
export const sign = defineMethod(
  'eth_sign',
  [required('address', address), required('message', data)],
  async ({ backend }, account, message) => bytesToHex(await backend.keyring.signMessage(account, message)),
)
