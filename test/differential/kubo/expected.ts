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
    reason: 'A timeout that is no duration is refused in words: go-ipfs-cmds ends the answer without one',
    matches: ({ request }) => /[?&]timeout=(x|&|$| )/.test(request),
  },
  {
    reason: 'With a timeout that is over, Kubo says whatever of its parts looks at the clock first',
    matches: ({ request, theirs }) => /[?&]timeout=-/.test(request) && theirs.startsWith('500'),
  },
  {
    reason:
      'A block that is missing is waited for as long as the request allows; an offline Kubo does not wait',
    matches: ({ request, name }) => /[?&]timeout=(1m|5s)/.test(request) && / \| status \| /.test(name),
  },
  {
    reason: 'An upload that is cut short is not taken for a whole one, and is told of by every operation',
    matches: ({ ours }) => /"Message":"(unexpected EOF|multipart: NextPart: EOF)"/.test(ours),
  },
  {
    reason: 'A block is named once it is stored, and one that cannot be stored has an error of its own',
    matches: ({ name, ours }) =>
      name.startsWith('dag/put | status') && /potentially insecure hash functions/.test(ours),
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
