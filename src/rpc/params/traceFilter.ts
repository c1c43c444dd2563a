import { address } from './address.js'
import { blockNumber } from './blockNumber.js'
import { controlNumber } from './controlNumber.js'
import { list } from './list.js'
import { struct } from './struct.js'
import type { Decoder } from './parameter.js'

const wholeNumber: Decoder<number> = {
  schema: controlNumber.schema,
  decode: (value) => Number(controlNumber.decode(value)),
}

/** Which frames trace_filter is asked for. */
export const traceFilter = struct(
  { struct: 'TraceFilter', type: 'TraceFilter' },
  {
    fromBlock: blockNumber,
    toBlock: blockNumber,
    fromAddress: list(address, '[]common.Address'),
    toAddress: list(address, '[]common.Address'),
    after: wholeNumber,
    count: wholeNumber,
  },
)

/** A decoded filter of frames. */
export type TraceFilterArguments = ReturnType<typeof traceFilter.decode>
