import type { Authorization } from '../../chain/execution/callObject.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { ReasonError, TypeMismatchError } from './decodeError.js'
import { list } from './list.js'
import { struct } from './struct.js'
import { uint256 } from './uint256.js'
import { uint64 } from './uint64.js'

const members = struct(
  { struct: 'SetCodeAuthorization', type: 'types.SetCodeAuthorization' },
  { chainId: uint256, address, nonce: uint64, yParity: uint64, r: uint256, s: uint256 },
)

function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new ReasonError(`missing required field '${name}' for SetCodeAuthorization`)
  return value
}

const authorization: Decoder<Authorization> = {
  schema: { ...members.schema, required: ['chainId', 'address', 'nonce', 'yParity', 'r', 's'] },
  decode(value) {
    try {
      const given = members.decode(value)
      return {
        chainId: need(given.chainId, 'chainId'),
        address: need(given.address, 'address'),
        nonce: need(given.nonce, 'nonce'),
        yParity: need(given.yParity, 'yParity'),
        r: need(given.r, 'r'),
        s: need(given.s, 's'),
      }
    } catch (error) {
      if (error instanceof TypeMismatchError) throw error.withoutPlace()
      throw error
    }
  },
}

/** The authorizations of a set-code transaction; every member of each must be there. */
export const authorizationList = list(authorization, '[]types.SetCodeAuthorization')
