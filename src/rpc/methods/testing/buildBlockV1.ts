import { formatBuiltBlock } from '../../format/builtBlock.js'
import { defineMethod, optional, required } from '../../method.js'
import { data } from '../../params/data.js'
import { hash } from '../../params/hash.js'
import { payloadAttributes, payloadTransactions } from '../../params/payloadAttributes.js'

/** testing_buildBlockV1: builds a block on a parent from just these transactions; the chain stays as it is. */
export const buildBlockV1 = defineMethod(
  'testing_buildBlockV1',
  [
    required('parentHash', hash),
    required('payloadAttributes', payloadAttributes),
    required('transactions', payloadTransactions),
    optional('extraData', data),
  ],
  async ({ backend }, parentHash, attributes, transactions, extraData) =>
    formatBuiltBlock(await backend.builder.build({ parentHash, attributes, transactions, extraData })),
)
