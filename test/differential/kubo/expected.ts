import type { ExpectedDifference } from '../support/classes.js'

/** Everything in which this node is not meant to answer as Kubo does, by the names of classes. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason: "Content of the gateway is anybody's, so that no type is guessed by the browser",
    matches: ({ name }) => name.startsWith('gateway | x-content-type-options | nosniff'),
  },
  {
    reason: 'Pages that list a directory, show data or say what went wrong are of this project',
    matches: ({ name, ours, theirs }) =>
      /gateway \| (body|content-length|etag) /.test(name) &&
      /DOCTYPE|DirIndex|DagIndex|^\d*$/.test(theirs + ours),
  },
  {
    reason: 'Who the node is, and what it runs on, differs from node to node',
    matches: ({ name }) =>
      /^(id|version|version\/deps|repo\/stat|stats\/repo|key\/(list|ls|gen|rename|rm)|name\/publish|config|config\/show|config\/profile\/apply|commands) /.test(
        name,
      ) && / (body) /.test(name),
  },
  {
    reason:
      'Clients ask for peers first, so the answer is that of a Kubo without peers and not of one with --offline',
    matches: ({ name }) =>
      /^(swarm\/(peers|addrs.*)|stats\/(bw|bitswap)|bitswap\/(stat|wantlist)) /.test(name),
  },
]
