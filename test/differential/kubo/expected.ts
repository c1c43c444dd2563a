import type { ExpectedDifference } from '../support/classes.js'
import { emptyDirectories } from './emptyDirectories.js'
import {
  hasText,
  isSet,
  lengthOf,
  rounded,
  sortedEntries,
  startsAlike,
  withoutColumns,
  withoutLength,
  withoutProgress,
  withoutRepeats,
} from './shown.js'

/** All intended differences from Kubo, by class name. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason: 'the gateway serves untrusted content, so browsers must not sniff its type',
    matches: ({ name }) => /^(\w+ )?gateway \| x-content-type-options \| nosniff/.test(name),
  },
  {
    reason: 'directory listings, data previews and error pages are those of this project',
    matches: ({ name, ours, theirs }) =>
      /gateway \| (body|etag) /.test(name) && /DOCTYPE|DirIndex|DagIndex/.test(theirs + ours),
  },
  {
    reason: 'an invalid timeout is refused with a message; go-ipfs-cmds ends the answer without one',
    matches: ({ ours }) => /^400 \(\d+\) time: /.test(ours),
  },
  {
    reason: 'with an expired timeout, the error of Kubo depends on which part checks the clock first',
    matches: ({ request }) => /[?&]timeout=(-|0( |&))/.test(request),
  },
  {
    reason: 'a request waits for a missing block until its timeout; an offline Kubo does not wait',
    matches: ({ request, name, ours }) =>
      /[?&]timeout=(1m|5s|1h1m1s|1\.5m|100m0\.5s)/.test(request) &&
      (/ \| status \| /.test(name) || ours.includes('context deadline exceeded')),
  },
  {
    reason:
      'a long upload is read to its end; Kubo sometimes loses the rest of one that still arrives when its answer begins',
    matches: ({ request, name, ours, theirs }) =>
      name.startsWith('add | ') &&
      request.length > 262_144 &&
      (theirs.includes('multipart: NextPart: EOF') ||
        (name.startsWith('add | body') && withoutLength(ours).startsWith(withoutLength(theirs).trimEnd()))),
  },
  {
    reason: 'a truncated upload is never accepted as complete, and every operation reports it',
    matches: ({ request, ours }) =>
      /^(\d+ )?\(\d+\) multipart: NextPart: EOF|"Message":"multipart: NextPart: EOF"/.test(ours) ||
      (request.includes('filename=') && !request.includes('differential-boundary--')),
  },
  {
    reason:
      'the CID of a block is sent only once the block is stored; a block that cannot be stored has its own error',
    matches: ({ name, ours }) =>
      name.startsWith('dag/put | status') &&
      /potentially insecure hash functions|digest too large/.test(ours),
  },
  {
    reason: 'where Kubo panics, it reports only that an error occurred, or nothing',
    matches: ({ name, theirs }) =>
      /("Message":"|^500 (\(\d+\) )?|^)an error occurred/.test(theirs) ||
      (/^(key\/sign|pin\/verify) \| status/.test(name) && theirs.startsWith('0 ')),
  },
  {
    reason: 'of two errors in a request, a different one is reported first',
    matches: ({ name }) => /^pin\/remote\/add \| body .*unsupported multibase encoding/s.test(name),
  },
  {
    reason: 'the hosted provider refuses `cat` with the CID in the path',
    matches: ({ name, ours }) => name.startsWith('cat | ') && ours.includes('is an undocumented behavior'),
  },
  {
    reason:
      'a directory stays usable after its new hash function is refused; in Kubo it and its ancestors fail from then on',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('files/') &&
      ours.startsWith('200') &&
      theirs.includes('potentially insecure hash functions not allowed'),
  },
  {
    reason:
      'a directory with an identity CID refuses what would make it too long; Kubo accepts it in memory, where the directory ' +
      'and its ancestors fail from then on',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('files/') && /identity digest got \d+ bytes/.test(ours + theirs),
  },
  {
    reason: 'sizes in links are inexact from 2^53 on; no stored data is that large',
    matches: ({ ours, theirs }) => ours !== theirs && rounded(ours) === rounded(theirs),
  },
  {
    reason:
      'Kubo lists an MFS directory in memory in insertion order and with repeated names, and sorted by name and without them ' +
      'once it has read it again',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('files/ls | body') &&
      ((lengthOf(ours) === lengthOf(theirs) && ours.endsWith('…')) ||
        sortedEntries(ours) === sortedEntries(theirs)),
  },
  {
    reason: 'a request cannot choose the files of the node; Kubo opens the configuration that one names',
    matches: ({ name, request, theirs }) =>
      name.startsWith('config/') && /[?&]config-file=/.test(request) && /open .*: no such file/.test(theirs),
  },
  {
    reason:
      'of several keys that are no fields of a node, the first is reported; objects have keys that are integers first',
    matches: ({ ours, theirs }) =>
      ours.includes('invalid key for map dagpb.') && theirs.includes('invalid key for map dagpb.'),
  },
  {
    reason: 'of several pins with unreadable data, Kubo reports any',
    matches: ({ name, ours, theirs }) =>
      (name.startsWith('pin/ls | body') && ours.includes('"Message"') && theirs.includes('"Message"')) ||
      (name.startsWith('pin/ls | x-stream-error') && ours !== '' && theirs !== ''),
  },
  {
    reason: 'of several repeated options, Kubo names a random one',
    matches: ({ ours, theirs }) =>
      ours.includes('to have only a single value') && theirs.includes('to have only a single value'),
  },
  {
    reason: 'a directory cannot be moved into itself; in Kubo it is then lost',
    matches: ({ name, ours }) =>
      name.startsWith('files/mv | ') && ours.includes('cannot move a directory into itself'),
  },
  {
    reason: 'a listing of a missing path has the usual headers; Kubo answers HEAD with none',
    matches: ({ name, theirs }) => /^HEAD gateway \| x-ipfs-(path|roots) /.test(name) && theirs === '',
  },
  {
    reason: 'blocks below pins are not read when pins are searched by name, which only pins have',
    matches: ({ name, request }) =>
      /^pin\/ls \| (x-stream-error|x-chunked-output|body) \|/.test(name) && /[?&]n(ame)?=/.test(request),
  },
  {
    reason: 'a host with an empty label before the domain of the gateway does not belong to the gateway',
    matches: ({ name, request }) => name.startsWith('gateway ') && /"x-forwarded-host":"\./.test(request),
  },
  {
    reason: 'a directory that cannot be compressed without an archive is refused without X-Content-Length',
    matches: ({ name, request }) =>
      name.startsWith('get | x-content-length |  | ') && isSet(request, 'C', 'compress'),
  },
  {
    reason: 'the Last-Modified of content under a name is the time of the request',
    matches: ({ request, name, ours, theirs }) =>
      /^(HEAD )?gateway \| last-modified /.test(name) &&
      /[/.]ipns[/.]/.test(request) &&
      /GMT/.test(ours) &&
      /GMT/.test(theirs),
  },
  {
    reason:
      'the answer to HEAD of an invalid path has no body; Go sends one, which clients mistake for the next answer',
    matches: ({ request, theirs }) => /^HEAD \S*%(z|[? ])/.test(request) && theirs.startsWith('0 '),
  },
  {
    reason:
      'below `localhost` without a port, Kubo serves only blocks and CARs, because it has no setting for that host',
    matches: ({ request, name, theirs }) =>
      theirs.includes('only trustless requests are accepted on this gateway') ||
      (/localhost"/.test(request) && theirs.startsWith('406 ')) ||
      (/("accept":"[^"]*vnd\.ipld\.|[?&]format=)dag-/.test(request) &&
        /localhost"/.test(request) &&
        /gateway \| (content-length|content-location|content-disposition|etag|cache-control|x-ipfs-roots) /.test(
          name,
        )),
  },
  {
    reason: 'a host that begins with a dot names no content',
    matches: ({ request, name }) => /"host":"\.ip[fn]s\./.test(request) && / \| status \| /.test(name),
  },
  {
    reason:
      'the forwarded host counts as the host; before a redirect, boxo checks the Host header of the proxy, and would ' +
      'redirect forever',
    matches: ({ request, name, theirs }) =>
      /"x-forwarded-host":"[^"]*\.ip[fn]s\./.test(request) &&
      ((/ \| status \| /.test(name) && theirs.startsWith('301')) ||
        (/gateway \| (location|body) /.test(name) && /^(\(\d+\) <a href=")?http:/.test(theirs)) ||
        (/gateway \| x-ipfs-path /.test(name) && theirs === '')),
  },
  {
    reason:
      'only-hash works for directories with modes and times; Kubo looks for a block that it has not stored',
    matches: ({ request, name, theirs }) =>
      /^add \| (x-stream-error|body|status) /.test(name) &&
      isSet(request, 'only-hash', 'n') &&
      /[?&](mode|mtime|preserve-m\w+)=/.test(request) &&
      (theirs.includes('ipld: could not find') || !theirs.includes('Message')),
  },
  {
    reason: 'Kubo reports an unresolvable path twice for conditional requests',
    matches: ({ request, name, ours, theirs }) =>
      /"if-(none-match|modified-since)"/.test(request) &&
      ((name.startsWith('gateway | body | ') &&
        /^[^\n]*(failed to resolve|Moved Permanently|trouble processing _redirects)[^]*\n[^]*failed to resolve /.test(
          theirs,
        )) ||
        (/^(HEAD )?gateway \| content-length/.test(name) && Number(theirs) > 1.6 * Number(ours)) ||
        (name.startsWith('gateway | body | ') &&
          lengthOf(theirs) > 1.6 * lengthOf(ours) &&
          lengthOf(ours) > 200)),
  },
  {
    reason:
      'git objects are stored and served as raw blocks, but not decoded or encoded (git-raw is a plugin of Kubo)',
    matches: ({ request, ours }) =>
      /git-raw|(\/|=|%2F|")baf4/.test(request) || /baf4|multicodec code 120 \(0x78\)/.test(ours),
  },
  {
    reason: 'an invalid JOSE object is refused with the message of the library',
    matches: ({ request, ours }) =>
      (/dag-jose/.test(request) && /Message|invalid JOSE object/.test(ours)) ||
      ours.includes('DAG-JOSE object'),
  },
  {
    reason: 'data that a codec cannot encode is refused before the first byte is sent',
    matches: ({ request, name, ours }) =>
      /output-codec=/.test(request) && name.startsWith('dag/get | body') && ours.startsWith('(0)'),
  },
  {
    reason: 'of several invalid values, Kubo reports a random one',
    matches: ({ ours, theirs }) =>
      /could not convert (empty )?value/.test(ours) && /could not convert (empty )?value/.test(theirs),
  },
  {
    reason: 'browsers, too, get data instead of a preview page',
    matches: ({ request, theirs, name }) =>
      /"accept":"text\/html/.test(request) &&
      (/^301 \(0\)/.test(theirs) ||
        (/^GET \/ipfs\/(?!Qm|bafyb|bafk)/.test(request) &&
          /gateway \| (content-type|accept-ranges|cache-control|content-disposition) /.test(name))),
  },
  {
    reason: 'a pin with unreadable data fails only operations that must read below it',
    matches: ({ name, request, ours, theirs }) =>
      /pin check failed/.test(theirs) ||
      (name.startsWith('pin/ls | x-stream-error |  | ') &&
        /no decoder registered|proto: |invalid char/.test(theirs)) ||
      (name.startsWith('pin/ls | body') &&
        /[?&](s|stream)=/.test(request) &&
        (ours.startsWith('(0)') || theirs.startsWith('(0)'))) ||
      (name.startsWith('pin/ls') && ours.startsWith('200') && theirs.startsWith('500')),
  },
  {
    reason:
      'unreferenced blocks differ: an add in Kubo leaves intermediate directories behind, and MFS is written when it is ' +
      'flushed, not with every change',
    matches: ({ name }) => /^(refs\/local|repo\/(ls|gc|verify)) \| body /.test(name),
  },
  {
    reason: 'an add in Kubo stores the empty directory before anything else, and leaves it behind',
    matches: ({ ours, theirs }) =>
      emptyDirectories.has(/could not find (\w+)/.exec(ours)?.[1] ?? '') &&
      !theirs.includes('could not find'),
  },
  {
    reason: 'keys, records and configurations have a size limit far above real ones',
    matches: ({ name, ours }) =>
      /^(config\/replace|key\/import|name\/(put|inspect)|routing\/put) \| (body|status) /.test(name) &&
      /input is larger than (65536|262144|1048576) bytes/.test(ours),
  },
  {
    reason: 'symlinks can be copied in MFS',
    matches: ({ theirs }) => theirs.includes('symlinks not yet supported'),
  },
  {
    reason: 'a suffix range longer than the file selects the whole file (RFC 9110, 14.1.2); boxo fails',
    matches: ({ request, theirs }) =>
      /"range":"bytes=-/.test(request) &&
      (/negative start bigger than the file size/.test(theirs) ||
        (/bytes=-9{3}/.test(request) && /^[45]00 .*<!DOCTYPE/.test(theirs)) ||
        /^206|bytes 0--1/.test(theirs) ||
        (/^HEAD /.test(request) && /^[45]00 \(0\) $/.test(theirs))),
  },
  {
    reason:
      'HEAD has the status and headers of GET (RFC 9110, 9.3.2), also for listings and for ranges of data',
    matches: ({ request, name, ours, theirs }) =>
      (/"range"/.test(request) &&
        /^HEAD gateway \| status /.test(name) &&
        ours.startsWith('206') &&
        theirs.startsWith('500')) ||
      (/^HEAD gateway \| (content-type|content-length|content-location|etag|cache-control) /.test(name) &&
        theirs === ''),
  },
  {
    reason: 'an unclean path is redirected to the clean one, escaped once; boxo escapes it twice',
    matches: ({ name, theirs }) => /gateway \| (location|body)/.test(name) && /%25/.test(theirs),
  },
  {
    reason: 'malformed keys and IPNS records are refused with the messages of the JavaScript libraries',
    matches: ({ name, ours, theirs }) =>
      (name.startsWith('key/import | body') &&
        /unable to unmarshall/.test(ours) &&
        /unable to unmarshall/.test(theirs)) ||
      (/^name\/(inspect|put) \| body/.test(name) &&
        /record is malformed/.test(ours) &&
        /malformed/.test(theirs)),
  },
  {
    reason: 'a secp256k1 key of 0 is refused: it has no public key, and Kubo cannot publish with it',
    matches: ({ ours }) => ours.includes('a secp256k1 key must not be 0'),
  },
  {
    reason:
      'of several objects, each is reported with its own pin; Kubo finds those pinned by themselves first, and reports ' +
      'what it finds in the order of the arguments',
    matches: ({ request, name, ours, theirs }) =>
      name.startsWith('pin/ls | ') &&
      /[?&]arg=[^ ]*&arg=/.test(request) &&
      !/type=(recursive|direct)/.test(request) &&
      /indirect through|is not pinned/.test(ours + theirs),
  },
  {
    reason:
      'a record with a negative TTL or a sequence number from 2^63 is refused, because others could not read it',
    matches: ({ ours }) => /the TTL of a record must not be negative|sequence numbers end at/.test(ours),
  },
  {
    reason:
      'unsigned 64-bit integers are part of the IPLD data model; Kubo stores them, but cannot encode them again',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('dag/') &&
      (theirs.includes('unsigned integer out of range of int64 type') ||
        (/(9223372036854775808|18446744073709551615)/.test(ours) && lengthOf(theirs) < lengthOf(ours))),
  },
  {
    reason: 'no pinning service is contacted',
    matches: ({ name, theirs }) =>
      name.startsWith('pin/remote/') && /remote pinning service: |Stat/.test(theirs),
  },
  {
    reason:
      'columns stay aligned after a name with the byte FF, which Go takes for the start of text without columns',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('ls | body') &&
      /\ufffd/.test(theirs) &&
      withoutColumns(ours) === withoutColumns(theirs),
  },
  {
    reason: 'values without a text encoding are JSON; Kubo sends the struct as Go prints it',
    matches: ({ request, name }) =>
      /[?&]enc(oding)?=text(&| )/.test(request) && / \| body /.test(name) && !hasText(request),
  },
  {
    reason: 'the text encoding of diag/cmds is broken in Kubo: its types do not match',
    matches: ({ name, theirs }) =>
      name.startsWith('diag/cmds | x-stream-error |  | ') && theirs.startsWith('unexpected type'),
  },
  {
    reason: 'the only encodings are JSON and text',
    matches: ({ request }) => /[?&]enc(oding)?=(xml|textnl|octet-stream)/.test(request),
  },
  {
    reason: 'the charset of text other than UTF-8 is guessed from its first bytes, here and in boxo',
    matches: ({ name, theirs }) =>
      /gateway \| content-type \| text\/plain/.test(name) && /^text\/plain|^$/.test(theirs),
  },
  {
    reason:
      'progress is reported every 256 KiB and once at the end; in Kubo after each read, and the end repeatedly',
    matches: ({ name, request, ours, theirs }) =>
      name.startsWith('add | body') &&
      isSet(request, 'p', 'progress') &&
      startsAlike(withoutProgress(ours), withoutProgress(theirs)) &&
      (/[?&](s|chunker)=(rabin|buzhash|size-)/.test(request) ||
        startsAlike(withoutRepeats(ours), withoutRepeats(theirs))),
  },
  {
    reason:
      'with the identity hash, Kubo stores a file and then fails on the intermediate directory, which is too long for an ' +
      'identity CID',
    matches: ({ name, request, ours, theirs }) =>
      name.startsWith('add | ') &&
      (/[?&]hash=identity/.test(request) || /digest too large: identity|"Hash":"baf(kq|yaa)/.test(theirs)) &&
      (/digest too large: identity digest got \d+ bytes/.test(theirs) ||
        (name.startsWith('add | body') && withoutLength(ours).startsWith(withoutLength(theirs).trimEnd()))),
  },
  {
    reason:
      'with inlined blocks and an unusable hash function, Kubo fails on the intermediate directory, with or without a report ' +
      'of the file',
    matches: ({ name, request, theirs }) =>
      name.startsWith('add | ') &&
      isSet(request, 'inline') &&
      /unknown multihash code \d+ \(0x\w+\): no such hash registered|potentially insecure hash/.test(theirs),
  },
  {
    reason:
      'an inapplicable range is ignored; boxo starts the whole file at the first byte of the range, and is cut off at the end',
    matches: ({ name, request, ours, theirs }) =>
      /"range":"bytes=/.test(request) &&
      (/^gateway \| end \| complete \| aborted/.test(name) ||
        // The type then depends on the bytes after it.
        (/^gateway \| content-type /.test(name) && /"if-range"|"range":"[^"]*,/.test(request)) ||
        (/^gateway \| body /.test(name) && lengthOf(theirs) < lengthOf(ours))),
  },
  {
    reason: 'a node is healthy whether or not the empty directory is stored',
    matches: ({ name, theirs }) => name.startsWith('diag/healthy | ') && theirs.includes('probe fetch: '),
  },
  {
    reason: 'base36 and base58 have a length limit, because conversion takes quadratic time',
    matches: ({ ours }) => ours.includes('too long for base'),
  },
  {
    reason: 'CARs with an invalid header are refused with the message of the library',
    matches: ({ ours, theirs }) => ours.includes('invalid header') && theirs.includes('invalid header'),
  },
  {
    reason:
      'a host of content holds nothing else, even if a header names another host: a page of that content can send it',
    matches: ({ request, theirs }) =>
      /^\w+ \/version .*"host":"[^"]+\.ip[fn]s\./.test(request) && theirs.includes('Client Version: kubo/'),
  },
  {
    reason: "paths outside the gateway's namespaces belong to the node itself",
    matches: ({ request, name, theirs }) =>
      (/^\w+ \/version /.test(request) && /localhost(:\d+)?"/.test(request) && theirs.startsWith('404')) ||
      (/^\w+ \/ipld\//.test(request) && / \| status \| /.test(name) && /^30[17]/.test(theirs)) ||
      (/^\w+ \/(?!ip[fn]s\/)/.test(request) &&
        /^(\w+ )?gateway \| access-control-allow-origin \| {2}\| \*/.test(name)),
  },
  {
    reason: 'entity-bytes implies the scope `entity`, as the specification says; boxo sends the whole DAG',
    matches: ({ request, name }) =>
      /entity-bytes/.test(request) && !/dag-scope/.test(request) && / (body|content-length|etag) /.test(name),
  },
  {
    reason: 'a broken node is reported once per pin; in Kubo once for every link to it',
    matches: ({ name, ours, theirs }) =>
      name.startsWith('pin/verify | body') &&
      /"BadNodes"/.test(theirs) &&
      [...theirs.matchAll(/"Cid":"(\w+)"/g)].every(([cid]) => ours.includes(cid)),
  },
  {
    reason: 'a record is signed with its time of publication',
    matches: ({ request, name }) => /ipns-record/.test(request) && /gateway \| (etag|body) /.test(name),
  },
  {
    reason: "the node's identity and machine differ between nodes",
    matches: ({ name }) =>
      /^(id|version|version\/deps|repo\/stat|stats\/repo|key\/(list|ls|gen|rename|rm|sign|verify)|name\/publish|config\/show|config\/profile\/apply|commands|diag\/cmds|diag\/sys|log\/ls|log\/level) /.test(
        name,
      ) && / (body) /.test(name),
  },
  {
    reason: 'clients ask for peers first, so the answer is that of Kubo without peers, not with --offline',
    matches: ({ name }) =>
      /^(swarm\/(peers|addrs.*)|stats\/(bw|bitswap)|bitswap\/(stat|wantlist))\/? /.test(name),
  },
]
