import { defineCommand, pathArguments } from '../../request/command.js'
import { values } from '../../request/output.js'
import { emitCids } from './emitCids.js'

/** `cid/base32`: CIDs as version 1 in base32. */
export const cidBase32 = defineCommand({
  description: 'Convert CIDs to version 1 in base32.',
  arguments: [pathArguments('cid', 'The CIDs.')],
  options: {},
  run({ args }) {
    return values(emitCids(args, { pattern: '%s', version: 1, codec: undefined, base: 'base32' }))
  },
})
