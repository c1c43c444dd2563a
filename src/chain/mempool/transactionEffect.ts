import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { type Hex, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import { decodeTransaction } from './decode.js'
import { recoverTransaction } from './sender.js'

/** What a signed transaction does, whatever its nonce, fees and signature. */
export interface TransactionEffect {
  /** Members that tell transactions apart, as they are on the wire. */
  does: Readonly<Record<string, unknown>>
  /** 32 bytes as lower-case hexadecimal. */
  hash: Hex
}

/**
 * Reads what a signed transaction of any chain does.
 *
 * @param raw - the EIP-2718 form as hexadecimal
 * @returns undefined if it is no transaction
 */
export function readTransactionEffect(raw: string): TransactionEffect | undefined {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(raw)) return undefined
  try {
    const fields = decodeTransaction(hexToBytes(raw))
    const { chainId, to, value, data, accessList, blobVersionedHashes, authorizationList } = fields
    const chain = { ...Mainnet, chainId: Number(chainId ?? 1n) }
    const { hash, sender } = recoverTransaction(fields, new Common({ chain, hardfork: Hardfork.Prague }))
    const does = {
      from: bytesToHex(sender),
      to: to === undefined ? null : bytesToHex(to),
      value: quantity(value),
      data: bytesToHex(data),
      chainId: chainId === undefined ? null : quantity(chainId),
      ...(accessList.length > 0 && {
        accessList: accessList.map(({ address, storageKeys }) => ({
          address: bytesToHex(address),
          storageKeys: storageKeys.map((key) => bytesToHex(key)),
        })),
      }),
      ...(blobVersionedHashes && {
        blobVersionedHashes: blobVersionedHashes.map((versioned) => bytesToHex(versioned)),
      }),
      ...(authorizationList && {
        authorizationList: authorizationList.map(({ chainId: signedFor, address }) => ({
          chainId: quantity(signedFor),
          address: bytesToHex(address),
        })),
      }),
    }
    return { does, hash: bytesToHex(hash) }
  } catch {
    return undefined
  }
}
