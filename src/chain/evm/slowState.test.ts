import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { testHeader } from '../../../test/support/callSite.js'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { randomProgram, seededRandom } from '../../../test/support/programs.js'
import { createAccessList } from '../calls/accessList.js'
import { type CallSite, executeCall, withCall } from '../calls/call.js'
import type { CallObject } from '../calls/callObject.js'
import { estimateGas } from '../calls/estimate.js'
import { WorkingState } from '../state/workingState.js'
import type { StateView } from '../types.js'
import { delegationCode } from '../vm/message.js'
import { createRules } from './forkSchedule.js'

const sender = new Uint8Array(20).fill(0xa1)
const nobody = new Uint8Array(20).fill(0x77)
const contracts = Array.from({ length: 6 }, (_, i) => new Uint8Array(20).fill(0x10 + i))
const precompile = (number: number) => Uint8Array.from([...new Uint8Array(19), number])

type Random = ReturnType<typeof seededRandom>

async function fillState(random: Random): Promise<StateView> {
  const state = createMemoryState()
  await state.putAccount(new Address(sender), new Account(3n, 10n ** 24n))
  for (const [index, address] of contracts.entries()) {
    const code =
      random(8) === 0
        ? delegationCode(contracts[(index + 1) % 6] ?? sender)
        : randomProgram(random, contracts)
    await state.putAccount(new Address(address), new Account(1n, BigInt(random(1000))))
    await state.putCode(new Address(address), code)
    const slot = new Uint8Array(32)
    slot[31] = random(4)
    await state.putStorage(new Address(address), slot, Uint8Array.of(1 + random(250)))
  }
  state.computeRoot()
  return state.view()
}

/** The same state, but every read returns a promise, as on a fork of a remote chain. */
function slow(view: StateView): StateView {
  return {
    root: view.root,
    getAccount: async (address) => view.getAccount(address),
    getCode: async (address) => view.getCode(address),
    getStorage: async (address, slot) => view.getStorage(address, slot),
  }
}

function randomCall(random: Random): CallObject {
  const recipients = [undefined, nobody, precompile(1 + random(9)), ...contracts]
  const to = recipients[random(recipients.length)]
  return {
    from: sender,
    ...(to !== undefined && { to }),
    data: to === undefined ? randomProgram(random, contracts) : new Uint8Array(random(80)).fill(random(3)),
    value: BigInt(random(3) * 100),
    gas: BigInt(110_000 + random(4) * 320_000),
    ...(random(2) === 0 && { gasPrice: 2_000_000_000n }),
  }
}

/** Reads the accounts that a call may have changed. */
async function accountsOf({ header, state }: CallSite): Promise<unknown[]> {
  const found: unknown[] = []
  for (const address of [sender, nobody, header.coinbase, ...contracts]) {
    found.push(await state.readAccount(address))
    for (let index = 0; index < 4; index++) {
      const slot = new Uint8Array(32)
      slot[31] = index
      found.push(await state.readStorage(address, slot))
    }
  }
  return found
}

const operations: Record<string, (site: CallSite, call: CallObject) => unknown> = {
  execution: async (site, call) => [await withCall({ site, call }, executeCall), await accountsOf(site)],
  estimate: (site, call) => estimateGas({ site, call }, 30_000_000n),
  'access list': (site, call) => createAccessList({ site, call }),
}

it.each(['london', 'cancun', 'osaka'] as const)(
  'execution over an asynchronous state equals that over a synchronous one (%s)',
  async (hardfork) => {
    const rules = createRules({ chainId: 31337n, hardfork })
    for (let seed = 1; seed <= 60; seed++) {
      const random = seededRandom(seed)
      const view = await fillState(random)
      const call = randomCall(random)
      for (const [way, run] of Object.entries(operations)) {
        const over = async (base: StateView): Promise<unknown> => {
          const state = new WorkingState({ base })
          const site = {
            header: testHeader,
            rules,
            state,
            rulesAt: () => rules,
            blockHash: async () => new Uint8Array(32).fill(3),
          }
          try {
            return await run(site, call)
          } catch (error) {
            return error
          }
        }
        expect({ seed, way, outcome: await over(slow(view)) }).toEqual({
          seed,
          way,
          outcome: await over(view),
        })
      }
    }
  },
)
