import { commands } from '../../../src/ipfs/commands/registry.js'
import type { ExpectedDifference } from '../support/classes.js'

/** Length at the start of a shown body. */
function lengthOf(shown: string): number {
  return Number(/\((\d+)\)/.exec(shown)?.[1])
}

/** Content that Kubo publishes under a node's name when it creates its repository. */
const emptyDirectory = '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** Whether a request's operation has a text format. */
function hasText(request: string): boolean {
  const [, operation = ''] = /^\w+ \/api\/v0\/([^? ]*)/.exec(request) ?? []
  return commands.get(operation)?.text !== undefined
}

/** Output of `add` without progress, up to the truncated last line. */
function withoutProgress(shown: string): string {
  const lines = shown.replace(/^\(\d+\) /, '').split('\n')
  return lines
    .slice(0, -1)
    .filter((line) => !/"Bytes":|^\{"Name":"[^"]*"\}$/.test(line))
    .join('\n')
}

/** Lines without consecutive duplicates. */
function withoutRepeats(shown: string): string {
  return shown.replace(/^(?:\(\d+\) )?(.*\n)\1+/gm, '$1').replace(/^\(\d+\) /, '')
}

/** Entries of a listing as texts. */
function sortedEntries(shown: string): string {
  return (shown.match(/\{"Name":[^}]*\}/g) ?? []).sort().join()
}

function withoutLength(shown: string): string {
  return shown.replace(/^\(\d+\) /, '')
}

function startsAlike(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a)
}

/** All intended differences from Kubo, by class name. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason: "Content of the gateway is anybody's, so that no type is guessed by the browser",
    matches: ({ name }) => /^(\w+ )?gateway \| x-content-type-options \| nosniff/.test(name),
  },
  {
    reason: 'Pages that list a directory, show data or say what went wrong are of this project',
    matches: ({ name, ours, theirs }) =>
      /gateway \| (body|etag) /.test(name) && /DOCTYPE|DirIndex|DagIndex/.test(theirs + ours),
  },
  {
    reason: 'A timeout that is no duration is refused in words: go-ipfs-cmds ends the answer without one',
    matches: ({ request }) => /[?&]timeout=(x|5?(&|$| )|10(%20|\+)s)/.test(request),
  },
  {
    reason: 'With a timeout that is over, Kubo says whatever of its parts looks at the clock first',
    matches: ({ request }) => /[?&]timeout=(-|0( |&))/.test(request),
  },
  {
    reason:
      'A block that is missing is waited for as long as the request allows; an offline Kubo does not wait',
    matches: ({ request, name, ours }) =>
      /[?&]timeout=(1m|5s|1h1m1s|1\.5m|100m0\.5s)/.test(request) &&
      (/ \| status \| /.test(name) || ours.includes('context deadline exceeded')),
  },
  {
    reason: 'An upload that is cut short is not taken for a whole one, and is told of by every operation',
    matches: ({ request, ours }) =>
      ours.includes('"Message":"multipart: NextPart: EOF"') ||
      (request.includes('filename=') && !request.includes('differential-boundary--')),
  },
  {
    reason: 'A block is named once it is stored, and one that cannot be stored has an error of its own',
    matches: ({ name, ours }) =>
      name.startsWith('dag/put | status') && /potentially insecure hash functions/.test(ours),
  },
  {
    reason: 'Where Kubo panics it says only that there was an error, or nothing',
    matches: ({ name, theirs }) =>
      theirs.includes('"Message":"an error occurred"') ||
      (name.startsWith('key/sign | status') && theirs.startsWith('0 ')),
  },
  {
    reason: 'Of two mistakes of a request, another is told first',
    matches: ({ name }) => /^pin\/remote\/add \| body .*unsupported multibase encoding/s.test(name),
  },
  {
    reason: 'The hosted provider refuses `cat` with the CID in the path',
    matches: ({ name, ours }) => name.startsWith('cat | ') && ours.includes('is an undocumented behavior'),
  },
  {
    reason:
      'A directory whose new hash function is refused stays usable: Kubo fails over it, and over all above it, from then on',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('files/') &&
      ours.startsWith('200') &&
      theirs.includes('potentially insecure hash functions not allowed'),
  },
  {
    reason:
      'Kubo lists a mutable directory that it has in memory in the order in which entries came to it, and by their names once ' +
      'it reads it again',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('files/ls | body') &&
      lengthOf(ours) === lengthOf(theirs) &&
      (ours.endsWith('…') || sortedEntries(ours) === sortedEntries(theirs)),
  },
  {
    reason: 'A directory is not moved into itself, which is how Kubo loses it',
    matches: ({ name, ours }) =>
      name.startsWith('files/mv | ') && ours.includes('cannot move a directory into itself'),
  },
  {
    reason: 'Of a hash function that cannot be computed, a directory says so too',
    matches: ({ name }) =>
      /^add \| body .*invalid cid: unknown multihash code .*"unknown multihash code/s.test(name),
  },
  {
    reason: 'A listing of what is not there has its headers: Kubo answers HEAD with none',
    matches: ({ name, theirs }) => /^HEAD gateway \| x-ipfs-(path|roots) /.test(name) && theirs === '',
  },
  {
    reason: 'What lies below pins is not read where a name is sought that only pins have',
    matches: ({ name, request }) =>
      name.startsWith('pin/ls | x-stream-error |  | ') && /[?&]n(ame)?=/.test(request),
  },
  {
    reason: 'A host without a name before that of the gateway is none of the gateway',
    matches: ({ name, request }) => name.startsWith('gateway ') && /"x-forwarded-host":"\./.test(request),
  },
  {
    reason: 'What is refused has no length',
    matches: ({ name }) => name.startsWith('get | x-content-length |  | '),
  },
  {
    reason: 'Content behind a name counts as changed in the second of the request',
    matches: ({ request, name, ours, theirs }) =>
      name.startsWith('gateway | last-modified ') &&
      /\/ipns\//.test(request) &&
      /GMT/.test(ours) &&
      /GMT/.test(theirs),
  },
  {
    reason: 'HEAD of a path that is none has no body, which Go sends and clients take for the next answer',
    matches: ({ request, theirs }) => /^HEAD \S*%(z|[? ])/.test(request) && theirs.startsWith('0 '),
  },
  {
    reason:
      'Below `localhost` without a port Kubo serves blocks and CARs only, for want of a setting of its own',
    matches: ({ request, theirs }) =>
      theirs.includes('only trustless requests are accepted on this gateway') ||
      (/localhost"/.test(request) && theirs.startsWith('406 ')),
  },
  {
    reason: 'A host that begins with a point names no content',
    matches: ({ request, name }) => /"host":"\.ip[fn]s\./.test(request) && / \| status \| /.test(name),
  },
  {
    reason:
      'The host that a proxy was asked for is the host; boxo looks at the one of the proxy before it redirects, and would ' +
      'redirect forever',
    matches: ({ request, name, theirs }) =>
      /"x-forwarded-host":"[^"]*\.ipfs\./.test(request) &&
      / \| status \| /.test(name) &&
      theirs.startsWith('301'),
  },
  {
    reason:
      'Hashes can be computed of directories with modes and times; Kubo looks for a block that it has not stored',
    matches: ({ request, name, theirs }) =>
      /^add \| (x-stream-error|body|status) /.test(name) &&
      /[?&](only-hash|n)=(true|1|T|t|&| )/.test(request) &&
      /[?&](mode|mtime|preserve-m\w+)=/.test(request) &&
      (theirs.includes('ipld: could not find') || !theirs.includes('Message')),
  },
  {
    reason: 'Kubo says twice that a path leads nowhere where a condition was asked for',
    matches: ({ request, name, ours, theirs }) =>
      /"if-(none-match|modified-since)"/.test(request) &&
      ((name.startsWith('gateway | body | ') &&
        /^[^\n]*failed to resolve [^]*\n[^]*failed to resolve /.test(theirs)) ||
        (/^(HEAD )?gateway \| content-length/.test(name) && Number(theirs) > 1.6 * Number(ours)) ||
        (name.startsWith('gateway | body | ') &&
          lengthOf(theirs) > 1.6 * lengthOf(ours) &&
          lengthOf(ours) > 200)),
  },
  {
    reason:
      'Objects of git are stored and served as they are, and neither read nor written (git-raw, a plugin of Kubo)',
    matches: ({ request, ours }) =>
      /git-raw|(\/|=|%2F|")baf4/.test(request) || /baf4|multicodec code 120 \(0x78\)/.test(ours),
  },
  {
    reason: 'What is no JOSE object is refused in the words of the library',
    matches: ({ request, ours, theirs }) =>
      (/dag-jose/.test(request) && /Message|invalid JOSE object/.test(ours)) ||
      (ours.includes('DAG-JOSE object') && theirs.includes('dagjose.')),
  },
  {
    reason: 'Data that a codec cannot write is refused before the first byte of it is sent',
    matches: ({ request, name, ours }) =>
      /output-codec=/.test(request) && name.startsWith('dag/get | body') && ours.startsWith('(0)'),
  },
  {
    reason: 'Of several values that are none, Kubo names one at random',
    matches: ({ ours, theirs }) =>
      /could not convert (empty )?value/.test(ours) && /could not convert (empty )?value/.test(theirs),
  },
  {
    reason: 'Data is sent as data also to browsers, and not as a page that shows it',
    matches: ({ request, theirs, name }) =>
      /"accept":"text\/html/.test(request) &&
      (/^301 \(0\)/.test(theirs) ||
        (/^GET \/ipfs\/(?!Qm|bafyb|bafk)/.test(request) &&
          /gateway \| (content-type|accept-ranges|cache-control|content-disposition) /.test(name))),
  },
  {
    reason: 'A pin whose data cannot be read spoils only what has to know what lies below it',
    matches: ({ name, request, ours, theirs }) =>
      /pin check failed|garbage collection aborted|could not retrieve links/.test(theirs) ||
      (name.startsWith('pin/ls | x-stream-error |  | ') && /no decoder registered|proto: /.test(theirs)) ||
      (name.startsWith('pin/ls | body') &&
        /[?&](s|stream)=/.test(request) &&
        (ours.startsWith('(0)') || theirs.startsWith('(0)'))) ||
      (name.startsWith('pin/ls') && ours.startsWith('200') && theirs.startsWith('500')),
  },
  {
    reason:
      'An add of Kubo leaves the directories in which it gathered files, and its mutable files are written when they are ' +
      'flushed, not with every change: blocks that nothing refers to',
    matches: ({ name }) => /^(refs\/local|repo\/(ls|gc|verify)) \| body /.test(name),
  },
  {
    reason: 'A key, a record and a configuration have a limit: none is as long',
    matches: ({ name, ours }) =>
      /^(config\/replace|key\/import|name\/(put|inspect)|routing\/put) \| (body|status) /.test(name) &&
      /input is larger than (262144|1048576) bytes/.test(ours),
  },
  {
    reason: 'Symlinks can be copied among the mutable files',
    matches: ({ theirs }) => theirs.includes('symlinks not yet supported'),
  },
  {
    reason: 'Nothing stands under the name of the node until something is published there',
    matches: ({ name, ours, theirs }) =>
      (name.startsWith('name/resolve') &&
        (ours.includes('could not resolve name') || theirs.includes(emptyDirectory))) ||
      (name.startsWith('name/publish | status') &&
        ours.startsWith('200') &&
        theirs.includes('sequence number must be greater than the current record sequence')),
  },
  {
    reason: 'A range of the last bytes is all of a shorter file (RFC 9110, 14.1.2), at which boxo fails',
    matches: ({ request, theirs }) =>
      /"range":"bytes=-/.test(request) &&
      (/negative start bigger than the file size/.test(theirs) ||
        /^206|bytes 0--1/.test(theirs) ||
        (/^HEAD /.test(request) && theirs === '400 (0) ')),
  },
  {
    reason: 'HEAD of a page that lists a directory has the headers of GET (RFC 9110, 9.3.2)',
    matches: ({ name, theirs }) =>
      /^HEAD gateway \| (content-type|content-length|content-location|etag|cache-control) /.test(name) &&
      theirs === '',
  },
  {
    reason: 'A path that is not clean is sent to the clean one, escaped once; boxo escapes it twice',
    matches: ({ name, theirs }) => /gateway \| (location|body)/.test(name) && /%25/.test(theirs),
  },
  {
    reason: 'Keys and IPNS records that cannot be read are refused in the words of the libraries here',
    matches: ({ name, ours, theirs }) =>
      (name.startsWith('key/import | body') &&
        /unable to unmarshall/.test(ours) &&
        /unable to unmarshall/.test(theirs)) ||
      (/^name\/(inspect|put) \| body/.test(name) &&
        /record is malformed/.test(ours) &&
        /malformed/.test(theirs)),
  },
  {
    reason: 'Of several objects each is told of as it is pinned; Kubo tells of it in the place of another',
    matches: ({ request, name }) =>
      name.startsWith('pin/ls | ') &&
      /[?&]arg=[^ ]*&arg=/.test(request) &&
      !/type=(recursive|direct)/.test(request),
  },
  {
    reason:
      'A record whose TTL is negative, or whose sequence number has the 64th bit, is refused: others could not read it',
    matches: ({ ours }) => /the TTL of a record must not be negative|sequence numbers end at/.test(ours),
  },
  {
    reason: "Integers of 64 bits without a sign are IPLD's too: Kubo stores them and cannot write them",
    matches: ({ name, ours, theirs }) =>
      name.startsWith('dag/') &&
      (theirs.includes('unsigned integer out of range of int64 type') ||
        (/(9223372036854775808|18446744073709551615)/.test(ours) && lengthOf(theirs) < lengthOf(ours))),
  },
  {
    reason: 'No pinning service is asked',
    matches: ({ name, theirs }) =>
      name.startsWith('pin/remote/') && /remote pinning service: |Stat/.test(theirs),
  },
  {
    reason:
      'Where Kubo has no text for a value it sends what Go prints of a structure, which stands here in JSON',
    matches: ({ request, name }) =>
      /[?&]enc(oding)?=text(&| )/.test(request) && / \| body /.test(name) && !hasText(request),
  },
  {
    reason: 'Kubo means to list requests as text, and cannot: its types do not fit',
    matches: ({ name, theirs }) =>
      name.startsWith('diag/cmds | x-stream-error |  | ') && theirs.startsWith('unexpected type'),
  },
  {
    reason: 'The encodings are JSON and text',
    matches: ({ request }) => /[?&]enc(oding)?=(xml|textnl|octet-stream)/.test(request),
  },
  {
    reason: 'The charset of text that is not UTF-8 is a guess from its first bytes, here and in boxo',
    matches: ({ name, theirs }) =>
      /gateway \| content-type \| text\/plain/.test(name) && /^text\/plain|^$/.test(theirs),
  },
  {
    reason:
      'Progress is told every 256 KiB and once at the end; Kubo tells it where its reads end, and the end again with each ' +
      'read behind it',
    matches: ({ name, request, ours, theirs }) =>
      name.startsWith('add | body') &&
      /[?&]p(rogress)?=(true|1|T|&| )/.test(request) &&
      startsAlike(withoutProgress(ours), withoutProgress(theirs)) &&
      (/[?&](s|chunker)=(rabin|buzhash|size-)/.test(request) ||
        startsAlike(withoutRepeats(ours), withoutRepeats(theirs))),
  },
  {
    reason:
      'With the identity function Kubo stores a file, and then fails over the directory in which it gathered it, which is ' +
      'longer than a CID may have inside',
    matches: ({ name, request, ours, theirs }) =>
      name.startsWith('add | ') &&
      /[?&]hash=identity/.test(request) &&
      (/digest too large: identity digest got \d+ bytes/.test(theirs) ||
        (name.startsWith('add | body') && withoutLength(ours).startsWith(withoutLength(theirs).trimEnd()))),
  },
  {
    reason:
      'With blocks in their CIDs, and a hash function for the others that nothing computes, Kubo fails over the directory in ' +
      'which it gathered a file before it tells of the file',
    matches: ({ name, request, theirs }) =>
      name.startsWith('add | ') &&
      /[?&]inline=(true|1|T|t)/i.test(request) &&
      /unknown multihash code \d+ \(0x\w+\): no such hash registered/.test(theirs),
  },
  {
    reason:
      'A range that does not count is not looked at: boxo begins the whole file at its first byte, and breaks off at the end',
    matches: ({ name, request, ours, theirs }) =>
      /"range":"bytes=/.test(request) &&
      (/^gateway \| end \| complete \| aborted/.test(name) ||
        // The type then depends on the bytes after it.
        (/^gateway \| content-type /.test(name) && /"if-range"/.test(request)) ||
        (/^gateway \| body /.test(name) && lengthOf(theirs) < lengthOf(ours))),
  },
  {
    reason: 'Of a rabin chunker whose smallest chunk is below 16 bytes Kubo makes one chunk of everything',
    matches: ({ request, ours, theirs }) =>
      /[?&](s|chunker)=rabin-\d+( |&)/.test(request) &&
      ours.includes('rabin min must be greater than 16') &&
      theirs.startsWith('200'),
  },
  {
    reason: 'A node is healthy whether or not the empty directory is stored',
    matches: ({ name, theirs }) => name.startsWith('diag/healthy | ') && theirs.includes('probe fetch: '),
  },
  {
    reason: 'A DAG of no bytes can be measured',
    matches: ({ theirs, name, ours }) =>
      theirs.includes('unsupported value: NaN') ||
      (name.startsWith('dag/stat') && /"DagStats":\[\{"Cid":"[^"]*","NumBlocks":1\}\]/.test(ours)),
  },
  {
    reason: 'Base36 and base58 have a limit: the time to convert grows by the square of the length',
    matches: ({ ours }) => ours.includes('too long for base'),
  },
  {
    reason: 'What a request says of chunks is checked before anything is stored',
    matches: ({ request, ours, theirs }) =>
      (/chunk|incorrect format/.test(ours) ||
        (/chunker=(size|rabin)-/.test(request) && /strconv/.test(ours))) &&
      (theirs.startsWith('200') || theirs.includes('multipart: NextPart: EOF')),
  },
  {
    reason: 'CARs that have no good header are refused in the words of the library',
    matches: ({ ours, theirs }) => (ours + theirs).includes('invalid header'),
  },
  {
    reason: "Paths that are not the gateway's are the node's own",
    matches: ({ request, name, theirs }) =>
      /^\w+ \/foo\//.test(request) ||
      (/^\w+ \/ipld\//.test(request) && / \| status \| /.test(name) && /^30[17]/.test(theirs)),
  },
  {
    reason: 'Bytes of a file imply its scope, as the specification has it; boxo sends the whole DAG',
    matches: ({ request, name }) =>
      /entity-bytes/.test(request) && !/dag-scope/.test(request) && / body /.test(name),
  },
  {
    reason: 'A node that is broken is named once for a pin; Kubo names it for every link that leads to it',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('pin/verify | body') &&
      [...theirs.matchAll(/"Cid":"(\w+)"/g)].every(([cid]) => ours.includes(cid)),
  },
  {
    reason: 'A record is signed with the time of its publication',
    matches: ({ request, name }) => /ipns-record/.test(request) && /gateway \| (etag|body) /.test(name),
  },
  {
    reason: 'Who the node is, and what it runs on, differs from node to node',
    matches: ({ name }) =>
      /^(id|version|version\/deps|repo\/stat|stats\/repo|key\/(list|ls|gen|rename|rm|sign|verify)|name\/publish|config\/show|config\/profile\/apply|commands|diag\/cmds|diag\/sys|log\/ls|log\/level) /.test(
        name,
      ) && / (body) /.test(name),
  },
  {
    reason:
      'Clients ask for peers first, so the answer is that of a Kubo without peers and not of one with --offline',
    matches: ({ name }) =>
      /^(swarm\/(peers|addrs.*)|stats\/(bw|bitswap)|bitswap\/(stat|wantlist))\/? /.test(name),
  },
]
