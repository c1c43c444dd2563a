import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'

/** anvil_getBlobByHash: the blob of a versioned hash (EIP-4844), if a transaction brought it here; else null. */
export const getBlobByHash = defineMethod(
  'anvil_getBlobByHash',
  [required('versionedHash', hash)],
  ({ backend }, versionedHash) => {
    const blob = backend.pool.blob(versionedHash)
    return blob === undefined ? null : bytesToHex(blob)
  },
)
