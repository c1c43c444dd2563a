import type { ControlSetup } from '../app.js'
import type { ControlRoute } from '../route.js'

/** Routes that describe the node and its chains' reorganisations. */
export function nodeRoutes({
  provider,
  version,
  describeNode,
  chains,
  garbage,
}: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/node',
      summary: 'Version, mode, addresses and networks of the node',
      answer: 'A description; no key or secret is in it that opens something',
      handle: (context) => context.json({ version, mode: provider.mode, ...describeNode() }),
    },
    {
      method: 'get',
      path: '/reorganisations/:network',
      summary: 'The last reorganisations of a network, oldest first',
      answer: 'The time of each and the blocks that it took off the canonical chain',
      handle: (context) => context.json(chains.reorganisations(context.req.param('network') ?? '')),
    },
    {
      method: 'get',
      path: '/files/garbage',
      summary: 'What a garbage collection of the file network would free',
      answer: 'Number of blocks and bytes',
      handle: async (context) => context.json(await garbage()),
    },
  ]
}
