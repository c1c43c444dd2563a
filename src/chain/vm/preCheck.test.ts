import { createTx } from '@ethereumjs/tx'
import { createAddressFromString } from '@ethereumjs/util'
import { expect, test } from 'vitest'
import { createRules } from '../evm/forkSchedule.js'
import { priceLargeData } from './preCheck.js'

const to = createAddressFromString(`0x${'22'.repeat(20)}`)
const data = Uint8Array.from({ length: 40_000 }, (_, index) => index % 7)

test.each(['istanbul', 'shanghai', 'osaka'] as const)(
  'long data costs under %s what the library counts',
  (hardfork) => {
    const common = createRules({ chainId: 1n, hardfork })
    for (const fields of [{ to, data }, { data }, { to, data: data.subarray(0, 100) }]) {
      const make = () => createTx({ type: 0, gasLimit: 100_000_000n, ...fields }, { common })
      const priced = make()
      priceLargeData(priced)
      expect(priced.getDataGas()).toBe(make().getDataGas())
      expect(priced.getIntrinsicGas()).toBe(make().getIntrinsicGas())
    }
  },
)
