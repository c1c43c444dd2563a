import { randomBytes } from 'node:crypto'
import { bytesEqual, bytesToBigint, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { messageSigner } from '../../chain/accounts/keyring.js'
import type { Backend } from '../backend.js'
import { InvalidParamsError, ServerError } from '../errors.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import { address, anything, data, passphrase, signature, text } from '../params/bytes.js'
import { callObject } from '../params/callObject.js'
import { transactionRequest } from './transactionRequest.js'

/** personal_unlockAccount: true for an account that the node knows; keys are never locked here. */
export const unlockAccount = defineMethod(
  'personal_unlockAccount',
  [required('address', address), required('passphrase', passphrase), optional('seconds', anything)],
  ({ backend }, account) => {
    if (!knows(backend, account)) throw new ServerError('no key for given address or file')
    return true
  },
)

/** personal_signTransaction: signs a transaction without sending it; the signed transaction, as ganache answers. */
export const signTransaction = defineMethod(
  'personal_signTransaction',
  [required('transaction', callObject), required('passphrase', passphrase)],
  async ({ backend }, call) => {
    const { raw } = await backend.accounts.signTransaction(
      transactionRequest(call, backend.settings.compatibility),
    )
    return bytesToHex(raw)
  },
)

/** personal_sign: eth_sign with its arguments the other way round. */
export const sign = defineMethod(
  'personal_sign',
  [required('message', data), required('address', address)],
  async ({ backend }, message, account) => bytesToHex(await backend.accounts.signMessage(account, message)),
)

/** personal_sendTransaction: as eth_sendTransaction; the passphrase means nothing here. */
export const sendTransaction = defineMethod(
  'personal_sendTransaction',
  [required('transaction', callObject), required('passphrase', passphrase)],
  async ({ backend }, call) =>
    bytesToHex((await backend.pool.send(transactionRequest(call, backend.settings.compatibility))).hash),
)

/** personal_newAccount: makes a key, which is gone when the node stops, and answers its address. */
export const newAccount = defineMethod(
  'personal_newAccount',
  [required('passphrase', passphrase)],
  ({ backend }) => bytesToHex(backend.controls.importKey(Uint8Array.from(randomBytes(32)))),
)

/** personal_lockAccount: whether the node knows an account; keys are never locked here. */
export const lockAccount = defineMethod(
  'personal_lockAccount',
  [required('address', address)],
  ({ backend }, account) => knows(backend, account),
)

/** personal_listAccounts: the addresses that the node signs for. */
export const listAccounts = defineMethod('personal_listAccounts', [], ({ backend }) =>
  backend.accounts.addresses().map(bytesToHex),
)

/** The order of secp256k1, which private keys are below. */
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** personal_importRawKey: takes up a private key, with 0x or without, until the node stops; its address. */
export const importRawKey = defineMethod(
  'personal_importRawKey',
  [required('privateKey', text('string', 'private key')), required('passphrase', passphrase)],
  ({ backend }, key) => {
    if (!/^(0x)?[0-9a-f]{64}$/i.test(key)) {
      throw new InvalidParamsError('invalid argument 0: expected 32 bytes of private key')
    }
    const bytes = hexToBytes(key)
    const scalar = bytesToBigint(bytes)
    if (scalar === 0n) throw new ServerError('invalid private key, zero or negative')
    if (scalar >= SECP256K1_ORDER) throw new ServerError('invalid private key, >=N')
    return bytesToHex(backend.controls.importKey(bytes))
  },
)

/** personal_ecRecover: who signed a message by EIP-191. */
export const ecRecover = defineMethod(
  'personal_ecRecover',
  [required('message', data), required('signature', signature)],
  async (_, message, signed) => bytesToHex(await messageSigner(message, signed)),
)

/** The methods whose names begin with `personal_`. */
export const personalMethods: readonly Method[] = [
  ecRecover,
  importRawKey,
  listAccounts,
  lockAccount,
  newAccount,
  sendTransaction,
  sign,
  signTransaction,
  unlockAccount,
]

/** Whether a 20-byte address is one that the node has a key of, or that is impersonated. */
export function knows({ accounts, controls }: Backend, address: Uint8Array): boolean {
  return [...accounts.addresses(), ...controls.impersonated()].some((known) => bytesEqual(known, address))
}
