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
      summary: 'Describe the node',
      answer: 'Version, mode, addresses and networks, without usable keys or secrets',
      handle: (context) => context.json({ version, mode: provider.mode, ...describeNode() }),
    },
    {
      method: 'get',
      path: '/reorganisations/:network',
      summary: 'List the latest reorganisations of a network, oldest first',
      answer: 'Time of each, and the blocks that it removed from the canonical chain',
      handle: (context) => context.json(chains.reorganisations(context.req.param('network') ?? '')),
    },
    {
      method: 'get',
      path: '/files/garbage',
      summary: 'Show what a garbage collection of the file network would free',
      answer: 'Numbers of blocks and bytes',
      handle: async (context) => context.json(await garbage()),
    },
  ]
}
