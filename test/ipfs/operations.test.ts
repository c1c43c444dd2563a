import { afterAll, beforeAll, expect, it } from 'vitest'
import answers from './kuboAnswers.json' with { type: 'json' }
import listed from './kuboCommands.json' with { type: 'json' }
import { commands } from '../../src/ipfs/commands/registry.js'
import { refusedOperations } from '../../src/ipfs/commands/offline.js'
import { type TestNetwork, form, startNetwork } from './support.js'

let node: TestNetwork
beforeAll(async () => {
  node = await startNetwork()
})
afterAll(() => node.stop())

interface ListedCommand {
  Name: string
  Subcommands: ListedCommand[]
  Options: { Names: string[] }[]
}

/** Returns sorted option names by operation. */
function flatten({ Subcommands }: ListedCommand, above = ''): [string, string[][]][] {
  return Subcommands.flatMap((command) => {
    const path = `${above}${command.Name}`
    const options = command.Options.map(({ Names }) => Names.filter((name) => name !== '').sort())
    return [[path, options.sort()], ...flatten(command, `${path}/`)] satisfies [string, string[][]][]
  })
}

it('lists exactly the operations and options of Kubo 0.42.0', async () => {
  const response = await node.post('commands?flags=true')
  const own = Object.fromEntries(flatten((await response.json()) as ListedCommand))
  const kubo = Object.entries(listed).map(([path, options]) => [
    path,
    options.map((names) => names.filter((name) => name !== '')).sort(),
  ])
  expect(own).toEqual(Object.fromEntries(kubo))
})

// Target, content of the uploaded file, status and body of `ipfs daemon --offline`, in the order in which they were
// asked for.
it('answers operations that need peers or an experiment like Kubo 0.42.0', async () => {
  for (const [target, content, status, body] of answers as [string, string | null, number, string][]) {
    const upload = content === null ? undefined : form([{ content }])
    const response = await node.post(target, upload?.body, upload?.headers)
    expect([target, response.status, await response.text()]).toEqual([target, status, body])
  }
})

it.each(refusedOperations.map(([path]) => path))('%s was asked of Kubo', (path) => {
  expect(commands.has(path)).toBe(true)
  expect((answers as [string][]).some(([target]) => target.replace(/\?.*/, '') === path)).toBe(true)
})

// Node fires a timer of more than 2^31 - 1 milliseconds at once.
it('waits for a missing block as long as a timeout of a year says', async () => {
  const missing = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const client = new AbortController()
  const url = `${node.url}/api/v0/block/get?arg=${missing}&timeout=8760h`
  const asking = fetch(url, { method: 'POST', signal: client.signal }).then(
    () => 'answered',
    () => 'waited',
  )
  expect((await node.post(`block/get?arg=${missing}&timeout=100ms`)).status).toBe(500)
  client.abort()
  expect(await asking).toBe('waited')
})

// Answers of `ipfs daemon --offline` 0.42.0.
it.each([
  ['repo/stat?size-only=true', '"StorageMax":10000000000,'],
  ['config?arg=Datastore.StorageMax&arg=5GiB', '"Value":"5GiB"'],
  ['repo/stat?size-only=true', '"StorageMax":5368709120,'],
  ['config?arg=Datastore.StorageMax&arg=1.5', '"Value":"1.5"'],
  ['repo/stat', '"StorageMax":1,'],
  ['config?arg=Datastore.StorageMax&arg=GB', '"Value":"GB"'],
  ['stats/repo', '{"Message":"strconv.ParseFloat: parsing \\"\\": invalid syntax","Code":0,"Type":"error"}'],
  ['config?arg=Datastore.StorageMax&arg=null&json=true', '"Value":null'],
  // Kubo has no limit then: 2^64 - 1 bytes.
  ['repo/stat?size-only=true', '"StorageMax":184467440737095'],
  ['config?arg=Datastore.StorageMax&arg=10GB', '"Value":"10GB"'],
  [
    'bootstrap/add?arg=/ip4/1.2.3.4/tcp/1/ipfs/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U&arg=/ip4/1.2.3.4/tcp/2/p2p/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U',
    '/ip4/1.2.3.4/tcp/1/ipfs/',
  ],
  [
    'bootstrap/rm?arg=/ip4/1.2.3.4/tcp/1/p2p/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U',
    '{"Peers":["/ip4/1.2.3.4/tcp/1/p2p/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U"]}',
  ],
  ['bootstrap/rm?arg=/ip4/9.9.9.9/tcp/1/p2p/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U', '{"Peers":[]}'],
  [
    'bootstrap/rm?arg=/p2p/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U',
    '{"Peers":["/ip4/1.2.3.4/tcp/2/p2p/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U"]}',
  ],
  ['config?arg=Bootstrap&arg=["a"]&json=true', '"Value":["a"]'],
  ['bootstrap/rm/all', '"failed to parse multiaddr \\"a\\": must begin with /"'],
  ['config?arg=Bootstrap&arg=[]&json=true', '"Value":[]'],
  ['files/flush?arg=//d//x', '{"Message":"file does not exist","Code":0,"Type":"error"}'],
  ['swarm/disconnect?arg=//a', '"failed to parse multiaddr \\"//a\\": unknown protocol "'],
  ['swarm/peering/add?arg=/ipfs/', '"failed to parse multiaddr \\"/ipfs\\": unexpected end of multiaddr"'],
  ['swarm/peering/add?arg=/ip4/1.2.3.4', '"invalid p2p multiaddr"'],
  [
    'swarm/connect?arg=/ip4/1.2.3.4/tcp/65536',
    'invalid value \\"65536\\" for protocol tcp: failed to parse port addr: strconv.ParseUint: parsing \\"65536\\": value out of range"',
  ],
  [
    'bootstrap/rm?arg=/ip4/1.2.3/tcp/1',
    'invalid value \\"1.2.3\\" for protocol ip4: failed to parse ip4 addr: 1.2.3"',
  ],
  ['bootstrap/add?arg=/onion/timaq4ygg2iegci7', 'timaq4ygg2iegci7 does not contain a port number"'],
  ['bootstrap/add?arg=/onion/timaq4ygg2iegci7:0', 'failed to parse onion addr: non-zero port"'],
  ['bootstrap/add?arg=/onion/aaaaaaaa:80', 'aaaaaaaa:80 not a Tor onion address"'],
  ['bootstrap/add?arg=/onion/timaq4ygg2iegci:80', 'illegal base32 data at input byte 8"'],
  ['bootstrap/add?arg=/onion3/x:80', 'x:80 not a Tor onionv3 address. len == 1"'],
  ['bootstrap/add?arg=/garlic32/A66ni', 'A66ni===, err: illegal base32 data at input byte 0 len: 8"'],
  ['bootstrap/add?arg=/garlic64/AAAA', 'not an i2p base64 address. len: 3"'],
  ['bootstrap/add?arg=/certhash/x', 'for protocol certhash: selected encoding not supported"'],
  ['bootstrap/add?arg=/certhash/uEiD', 'length greater than remaining number of bytes in buffer"'],
  ['bootstrap/add?arg=/http-path/a%25zz', 'for protocol http-path: invalid URL escape \\"%zz\\""'],
  [
    'swarm/peering/add?arg=/ipfs/bafzjjzaccrvrexgfkt4sdopudro4cknu6bhsyvtdma/..',
    'for protocol p2p: invalid multihash code 45588 expected sha-256 or identity',
  ],
  [
    'bootstrap/add?arg=/p2p/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nnx',
    'multihash length inconsistent: expected 27; got 29"',
  ],
  ['bootstrap/add?arg=/ip6/::1/foo', '"failed to parse multiaddr \\"/ip6/::1/foo\\": unknown protocol foo"'],
  ['swarm/connect?arg=/unix/a/b/', '"found no ipfs peers at /unix/a/b"'],
  [
    'config?arg=Ipns.RecordLifetime&arg=%7B%22a%22%3A&json=true',
    '"failed to unmarshal json. unexpected end of JSON input"',
  ],
  ['config?arg=Experimental&arg=x', 'Go struct field Config.Experimental of type config.Experiments'],
  ['config?arg=API.HTTPHeaders.Foo&arg=x', 'Go struct field API.API.HTTPHeaders of type []string'],
  ['config?arg=Swarm.ConnMgr&arg=x', 'Go struct field SwarmConfig.Swarm.ConnMgr of type config.ConnMgr'],
  [
    'config?arg=Gateway.PublicGateways&arg=x',
    'Gateway.PublicGateways of type map[string]*config.GatewaySpec',
  ],
  ['config?arg=Gateway.PublicGateways.a&arg=x', 'Gateway.Gateway.PublicGateways of type config.GatewaySpec'],
  [
    'config?arg=Gateway.PublicGateways.a.Paths&arg=x',
    'GatewaySpec.Gateway.PublicGateways.Paths of type []string',
  ],
  ['config?arg=DNS.Resolvers&arg=x', 'DNS.DNS.Resolvers of type map[string]string'],
  ['config?arg=Datastore.Spec&arg=x', 'Datastore.Datastore.Spec of type map[string]interface {}'],
  [
    'config?arg=Pinning.RemoteServices.a.Policies&arg=x',
    'RemotePinningService.Pinning.RemoteServices.Policies of type config.RemotePinningServicePolicies',
  ],
  ['config?arg=Routing.Routers.a&arg=x', 'Routing.Routing.Routers of type config.Router'],
  ['config?arg=Routing.Routers.a.Type&arg=x', 'Routing.Routers.a.Type not found'],
  ['config?arg=Routing.Routers.a&arg=%7B%7D&json=true', 'decode config: unexpected end of JSON input'],
  [
    'config?arg=Swarm.Transports.Security&arg=x',
    String.raw`of type struct { TLS config.Priority \"json:\\\",omitempty\\\"\"; Noise config.Priority \"json:`,
  ],
  ['config?arg=Swarm.Transports.Security.TLS&arg=x', 'field .Swarm.Transports.Security.TLS of type int64'],
  ['config?arg=Swarm.Transports.Security.TLS&arg=0&json=true', 'priority must be positive: 0 \\u003c= 0'],
  ['config?arg=Addresses.API&arg=1&json=true', 'field Addresses.Addresses.API of type string'],
  ['config?arg=AutoNAT.ServiceMode&arg=x', 'unknown autonat mode: x'],
  ['config?arg=Experimental.GraphsyncEnabled&arg=x', 'GraphsyncEnabled has been removed in Kubo 0.25.0'],
  ['config?arg=Peering.Peers&arg=[1]&json=true', 'field Peering.Peering.Peers of type peer.addrInfoJson'],
  [
    'config?arg=Peering.Peers&arg=[{"ID":"QmFoo"}]&json=true',
    'failed to parse peer ID: length greater than remaining',
  ],
  [
    'config?arg=Peering.Peers&arg=[{"ID":"QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn","Addrs":["/ip4/1.2.3.4/tcp/1"]}]&json=true',
    '[{"Addrs":["/ip4/1.2.3.4/tcp/1"],"ID":"QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"}]',
  ],
  ['dag/get?arg=/ipld/bafyaaaa/Data', 'null'],
  ['dag/resolve?arg=/ipld/bafyaaaa/Data', '"RemPath":"/Data"'],
  ['dag/get?arg=/ipld/bafyaaaa/Data/x', '"LookupBySegment\\" called on a absent node (kind: null)'],
  [
    'dag/get?arg=/ipld/bafyaaaa/Links/x',
    'invalid segment for lookup on a list of type dagpb.PBLinks: \\"x\\"',
  ],
  // A link without a name or a size.
  ['dag/get?arg=/ipld/bafyaadasa4fakakvaaawccqbme/Links/0/Name', 'null'],
  ['dag/get?arg=/ipld/bafyaadasa4fakakvaaawccqbme/Links/0/X', 'no link named \\"X\\" under bafyaadasa4f'],
  ['dag/get?arg=bafyaadasa4fakakvaaawccqbme&output-codec=dag-pb', '\x12\x07\n\x05\x01U\0\x01a\n\x01a'],
  ['swarm/connect?arg=/ip6/1.2.3.4', '"found no ipfs peers at /ip6/::ffff:1.2.3.4"'],
  ['swarm/connect?arg=/ip6/0:0::1/tcp/080', '"found no ipfs peers at /ip6/::1/tcp/80"'],
  [
    `bootstrap/add?arg=/garlic64/${'a'.repeat(512)}`,
    String.raw`failed to validate garlic addr: i\ufffd\ufffdi\ufffd`,
  ],
  ['object/patch/add-link?arg=bafyaaaa&arg=n&arg=bafyqaaa', '"unexpected EOF"'],
  ['block/stat?arg=/bafkqaaa', '{"Key":"bafkqaaa","Size":0}'],
  ['cat?arg=/bafkqabtimvwgy3yk', 'hello'],
  ['name/resolve?arg=/ipfs/bafkqaaa', 'DNSLink lookup for \\"ipfs.\\" failed'],
  ['name/resolve?arg=/', '"invalid path \\"/ipns//\\": path does not have enough components"'],
  [
    'resolve?arg=//ipns/k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
    '"could not resolve name"',
  ],
  [`resolve?arg=/ipns/${'x'.repeat(64)}`, `cannot resolve: \\"/ipns/${'x'.repeat(64)}\\"`],
  [
    'dag/export?arg=ipfs://bafyqaaa&offline=false&local-only=true',
    '"invalid path \\"ipfs://bafyqaaa\\": path does not have enough components"',
  ],
  [
    'cid/inspect?arg=bafzaajaiaejcbzdibmxyzdjbbehgvizh6g5tikvy47mshdy6gwbruvgwvd24seje',
    '"cidV1":"k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8"',
  ],
  ['pin/add?arg=bafyaabakaieac', '{"Pins":["bafyaabakaieac"]}'],
  [
    'pin/update?arg=bafyaabakaieac&arg=k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
    '"get bafzaajaiaejcbzdibmxyzdjbbehgvizh6g5tikvy47mshdy6gwbruvgwvd24seje: could not choose a decoder: ',
  ],
  ['files/mkdir?arg=/chosen', ''],
  ['files/cp?arg=/ipfs/bafkqabtimvwgy3yk&arg=/chosen/file', ''],
  ['files/cp?arg=/ipfs/bafkqaaa&arg=/chosen/file/x&parents=true', '{"Message":"file already exists"'],
  ['files/cp?arg=/ipfs/bafkqaaa&arg=/chosen/file/x', 'cp: cannot put node in path /chosen/file/x: '],
  ['files/rm?arg=/chosen/file', ''],
  ['files/chcid?arg=/chosen&hash=blake2s-160', ''],
  ['files/stat?arg=/chosen', '"QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"'],
  ['files/chcid?arg=/chosen&hash=md5', 'potentially insecure hash functions not allowed'],
  ['files/chcid?arg=/chosen&hash=md5&flush=false', ''],
  // An unknown base is refused when CIDs are first needed.
  ['files/ls?cid-base=foo&arg=/missing', '"file does not exist"'],
  ['files/ls?cid-base=foo&arg=/chosen', '"unsupported multibase encoding: foo"'],
  ['files/stat?cid-base=foo&arg=chosen', '"paths must start with a leading slash"'],
  ['files/stat?cid-base=foo&arg=/missing', '"unsupported multibase encoding: foo"'],
  ['pin/ls?cid-base=foo&type=bar', "invalid type 'bar'"],
  ['pin/verify?cid-base=foo&verbose=true&quiet=true', 'can not be used at the same time'],
  ['id?arg=foo', '"invalid peer id"'],
  [
    'id?arg=12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X&offline=true&peerid-base=base36',
    '"PublicKey":"CAESIM7MFQfcHd1ylZUcKQiI8JWtuQRNG3PWlubfBl1oO9T8","Addresses":["/p2p/12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X"],"AgentVersion":"","Protocols":null}',
  ],
  ['key/list?ipns-base=foo', '"cannot get key encoder: unsupported multibase encoding: foo"'],
  [
    'bootstrap/add?arg=/ipfs/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U/',
    'bootstrap address without a transport: /ipfs/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U/"',
  ],
])('%s returns %s', async (target, part) => {
  expect(await (await node.post(target)).text()).toContain(part)
})

// The same with an upload.
it.each([
  ['dag/import', 'L', undefined, ''],
  ['block/put?mhlen=33', 'aa', undefined, 'invalid cid: requested length was too large for digest'],
  ['block/put?mhlen=33', undefined, undefined, ''],
  [
    'block/put?pin=true&cid-codec=dag-cbor',
    '\n\0',
    undefined,
    'bafyreiaqfni3s5s2k2r6rgpxz4hohdsskh44ka5tk6ztbjerqpvxwfkwaq',
  ],
  [
    'block/rm?arg=bafkqaalb',
    undefined,
    undefined,
    '{"Hash":"bafkqaalb","Error":"pin check failed: unexpected content after end of cbor object"}',
  ],
  ['pin/rm?arg=bafyreiaqfni3s5s2k2r6rgpxz4hohdsskh44ka5tk6ztbjerqpvxwfkwaq', undefined, undefined, 'Pins'],
  ['config?arg=Import.HashFunction&arg=x', undefined, undefined, '"Value":"x"'],
  ['files/mkdir?arg=/unset', undefined, undefined, 'Import.HashFunction unrecognized: \\"x\\"'],
  ['files/cp?arg=x&arg=y', undefined, undefined, 'Import.HashFunction unrecognized: \\"x\\"'],
  ['files/mkdir?arg=/set&cid-version=0', undefined, undefined, ''],
  ['config?arg=Import.HashFunction&arg=null&json=true', undefined, undefined, '"Value":null'],
  [
    'name/publish?arg=/ipns/bafkreiedpcc4r6ajdlvoxhwdyp4fu37uocsblzqqxc5d4spzwm6jz6owde&resolve=false&allow-offline=true',
    undefined,
    undefined,
    '"Value":"/ipns/bafkreiedpcc4r6ajdlvoxhwdyp4fu37uocsblzqqxc5d4spzwm6jz6owde"',
  ],
  // Names are in the order of their bytes.
  [
    'dag/put?store-codec=dag-json',
    '{"\u{1f389}":1,"\uffff":2}',
    undefined,
    'baguqeera2k47kcn5wxyyztu62h6qtvs62gyyyrzglibpjstzqt6lhsg6av4q',
  ],
  // Lines of the body are arguments of only some operations, and an empty one is one too.
  ['files/stat', '/\n', undefined, 'argument "path" is required'],
  ['block/rm', 'bafkqaaa\n', undefined, 'argument "cid" is required'],
  ['block/stat', 'bafkqaaa\nfoo\n', undefined, '{"Key":"bafkqaaa","Size":0}'],
  ['cat', 'bafkqabtimvwgy3yk\r\nbafkqaalb', undefined, 'hello\na'],
  ['cat?arg=bafkqaaa', '\n', undefined, 'invalid path \\"\\": path does not have enough components'],
  ['pin/ls?type=direct', 'foo\n', undefined, '{}'],
  ['block/put?mhtype=md5&mhlen=10', 'x', undefined, 'potentially insecure hash functions not allowed'],
  ['block/put?mhtype=md5&mhlen=17', 'x', undefined, 'requested length was too large for digest'],
  ['block/put?format=v0&mhlen=-2', 'x', undefined, 'only sha2-255-32 is allowed with CIDv0'],
  ['block/put?mhlen=10', 'x', undefined, 'digest too small: sha2-256 digest got 10 bytes, minimum 20'],
  ['multibase/decode', 'bnbswy3dp\n', undefined, 'hello'],
  ['multibase/decode', 'maGVs\r\nbG8', undefined, 'hello'],
  ['multibase/decode', 'f68\n', undefined, 'encoding/hex: invalid byte: U+000A"'],
  ['multibase/decode', 'zCT5\n', undefined, String.raw`invalid base58 digit ('\\n')"`],
  ['multibase/decode', 'uEiD', undefined, '\x12 '],
  ['multibase/decode', 'MEiD=', undefined, '\x12 '],
  ['multibase/decode', 'mEiD=', undefined, 'illegal base64 data at input byte 3'],
  ['multibase/decode', 'mE', undefined, 'illegal base64 data at input byte 0'],
  ['multibase/decode', '01', undefined, '\x01'],
  [
    'block/put?mhtype=blake3&mhlen=64',
    'hello',
    undefined,
    'bafkr4qhkr4ld3m4gqkjf4reryxsy2s5tkbxprqkow6fin2iiyvreuzzab7uzeqc7bv4fwwm2fyzyp5wtjua7vth6wix3nf7ph7ktkqjedizyy',
  ],
  [
    'dag/put?store-codec=dag-pb',
    '{"Data":null,"Links":[]}',
    undefined,
    'AssignNull\\" called on a dagpb.Bytes node (kind: bytes)',
  ],
  [
    'dag/put?store-codec=dag-pb',
    '{"Links":null}',
    undefined,
    'AssignNull\\" called on a dagpb.PBLinks node (kind: list)',
  ],
  [
    'dag/put?store-codec=dag-pb',
    '{"Links":[null]}',
    undefined,
    'AssignNull\\" called on a dagpb.PBLink node (kind: map)',
  ],
  [
    'dag/put?store-codec=dag-pb',
    '{"Links":[{"Hash":null}]}',
    undefined,
    'AssignNull\\" called on a dagpb.Link node (kind: link)',
  ],
  [
    'dag/put?store-codec=dag-pb',
    '{"Links":[{"Hash":{"/":"bafkqaaa"},"Name":null}]}',
    undefined,
    'AssignNull\\" called on a dagpb.String node (kind: string)',
  ],
  [
    'dag/put?store-codec=dag-pb',
    '{"Links":[{"Hash":{"/":"bafkqaaa"},"Tsize":null}]}',
    undefined,
    'AssignNull\\" called on a dagpb.Int node (kind: int)',
  ],
  [
    'dag/put?store-codec=dag-pb',
    'null',
    undefined,
    'AssignNull\\" called on a dagpb.PBNode node (kind: map)',
  ],
  ['block/put?mhtype=blake3&mhlen=129', 'hello', undefined, 'requested length was too large for digest'],
  ['block/put?mhtype=blake3&mhlen=0', 'hello', undefined, 'requested length was too large for digest'],
  ['add?chunker=size-99999999999999999999', 'hello', undefined, '999\\": value out of range"'],
  ['add?cid-version=-5&hash=sha1', 'hello', undefined, '"unknown CID version: -5"'],
  ['add?cid-version=-5', 'hello', undefined, 'QmWfVY9y3xjsixTgbd9AorQxH7VtMpzfx2HaWtsoUYecaX'],
  ['config?arg=Import.CidVersion&arg=2&json=true', undefined, undefined, '"Value":2'],
  ['add', 'hello', undefined, '"unknown CID version: 2"'],
  ['add?mtime-nsecs=5', 'hello', undefined, 'requires \\"mtime\\" to be provided as well"'],
  ['add?nocopy=true&raw-leaves=false', 'hello', undefined, "nocopy option requires '--raw-leaves'"],
  ['add?cid-version=1', 'hello', undefined, 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'],
  ['config?arg=Import.CidVersion&arg=null&json=true', undefined, undefined, '"Value":null'],
  ['config?arg=Import.UnixFSHAMTDirectoryMaxFanout&arg=2048&json=true', undefined, undefined, ':2048'],
  ['add?max-hamt-fanout=256', 'hello', undefined, 'QmWfVY9y3xjsixTgbd9AorQxH7VtMpzfx2HaWtsoUYecaX'],
  ['add', 'hello', undefined, 'HAMT fanout must be a power of 2, between 8 and 1024 (got 2048)'],
  ['config?arg=Import.UnixFSHAMTDirectoryMaxFanout&arg=null&json=true', undefined, undefined, '"Value":null'],
  ['config?arg=Import.UnixFSRawLeaves&arg=true&json=true', undefined, undefined, '"Value":true'],
  ['add?mtime=5', 'hello', undefined, "raw-leaves can't be used with UnixFS metadata"],
  ['config?arg=Import.UnixFSRawLeaves&arg=null&json=true', undefined, undefined, '"Value":null'],
  ['add?hash=x11&inline=true', 'hello', undefined, '"invalid cid: unknown multihash code 4352 (0x1100): '],
  ['add?hash=x11&inline=true', '', 'application/x-directory', '"invalid cid: unknown multihash code 4352 '],
  ['add?hash=murmur3-x64-64&inline=true', 'hello', undefined, '"bafkqablimvwgy3y"'],
  [
    'add?hash=x11&max-file-links=1&chunker=size-2',
    'hello',
    undefined,
    '"invalid cid: unknown multihash code 4352 (0x1100): ',
  ],
  ['add?hash=blake2s-160', '../b', 'application/symlink', '"unknown multihash code 45652 (0xb254): '],
  ['add?wrap-with-directory=true', '', 'application/x-directory', '"no path given to Mkdir"'],
  [
    'block/put?cid-codec=dag-pb',
    '\f\f',
    undefined,
    'bafybeidqmbmeypsz6czpclzuvifub6vn6svfpefaiwptggmffpgwgjrmxm',
  ],
])('%s of %j has the expected answer', async (target, content, type, part) => {
  const files = content === undefined ? [] : [{ content, ...(type !== undefined && { type }) }]
  const { body, headers } = form(files)
  const answer = await (await node.post(target, body as Uint8Array<ArrayBuffer>, headers)).text()
  if (part === '') expect(answer).toBe('')
  else expect(answer).toContain(part)
})

it('publishes a path with its trailing slash, and none that leads to unreadable data', async () => {
  const publish = 'name/publish?allow-offline=true&arg='
  const added = form([{ content: 'hi\n' }])
  await node.post('add', added.body as Uint8Array<ArrayBuffer>, added.headers)
  const file = 'QmZLRFWaz9Kypt2ACNMDzA5uzACDRiCqwdkNSP1UZsu56D'
  expect(await (await node.post(`${publish}${file}/`)).json()).toMatchObject({ Value: `/ipfs/${file}/` })
  expect(await (await node.post('name/resolve')).json()).toEqual({ Path: `/ipfs/${file}/` })
  const broken = 'bafybeidqmbmeypsz6czpclzuvifub6vn6svfpefaiwptggmffpgwgjrmxm'
  expect(await (await node.post(`${publish}${broken}`)).json()).toMatchObject({
    Message: 'protobuf: (PBNode) invalid wireType, expected 2, got 4',
  })
  expect(await (await node.post(`${publish}${broken}&resolve=false`)).json()).toMatchObject({
    Value: `/ipfs/${broken}`,
  })
})
