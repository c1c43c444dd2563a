/** Names and hexadecimal codes of multicodecs (go-multicodec 0.10.0), without families of hash functions. */
const table = `
  identity 0, cidv1 1, cidv2 2, cidv3 3, ip4 4, tcp 6, sha1 11, sha2-256 12, sha2-512 13, sha3-512 14,
  sha3-384 15, sha3-256 16, sha3-224 17, shake-128 18, shake-256 19, keccak-224 1a, keccak-256 1b,
  keccak-384 1c, keccak-512 1d, blake3 1e, sha2-384 20, dccp 21, murmur3-x64-64 22, murmur3-32 23, ip6 29,
  ip6zone 2a, ipcidr 2b, path 2f, multicodec 30, multihash 31, multiaddr 32, multibase 33, varsig 34, dns 35,
  dns4 36, dns6 37, dnsaddr 38, protobuf 50, cbor 51, raw 55, dbl-sha2-256 56, rlp 60, bencode 63, dag-pb 70,
  dag-cbor 71, libp2p-key 72, git-raw 78, torrent-info 7b, torrent-file 7c, blake3-hashseq 80,
  leofcoin-block 81, leofcoin-tx 82, leofcoin-pr 83, sctp 84, dag-jose 85, dag-cose 86, lbry 8c, eth-block 90,
  eth-block-list 91, eth-tx-trie 92, eth-tx 93, eth-tx-receipt-trie 94, eth-tx-receipt 95, eth-state-trie 96,
  eth-account-snapshot 97, eth-storage-trie 98, eth-receipt-log-trie 99, eth-receipt-log 9a, aes-128 a0,
  aes-192 a1, aes-256 a2, chacha-128 a3, chacha-256 a4, bitcoin-block b0, bitcoin-tx b1,
  bitcoin-witness-commitment b2, zcash-block c0, zcash-tx c1, caip-50 ca, streamid ce, stellar-block d0,
  stellar-tx d1, md4 d4, md5 d5, decred-block e0, decred-tx e1, ipld e2, ipfs e3, swarm e4, ipns e5,
  zeronet e6, secp256k1-pub e7, dnslink e8, bls12_381-g1-pub ea, bls12_381-g2-pub eb, x25519-pub ec,
  ed25519-pub ed, bls12_381-g1g2-pub ee, sr25519-pub ef, dash-block f0, dash-tx f1, swarm-manifest fa,
  swarm-feed fb, beeson fc, udp 111, p2p-webrtc-star 113, p2p-webrtc-direct 114, p2p-stardust 115,
  webrtc-direct 118, webrtc 119, p2p-circuit 122, dag-json 129, udt 12d, utp 12e, crc32 132, crc64-ecma 164,
  crc64-nvme 165, unix 190, thread 196, p2p 1a5, https 1bb, onion 1bc, onion3 1bd, garlic64 1be, garlic32 1bf,
  tls 1c0, sni 1c1, noise 1c6, shs 1c8, quic 1cc, quic-v1 1cd, webtransport 1d1, certhash 1d2, ws 1dd, wss 1de,
  p2p-websocket-star 1df, http 1e0, http-path 1e1, swhid-1-snp 1f0, json 200, messagepack 201, car 202,
  x509-certificate 210, ipns-record 300, libp2p-peer-record 301, libp2p-relay-rsvp 302, memorytransport 309,
  car-index-sorted 400, car-multihash-index-sorted 401, transport-bitswap 900,
  transport-graphsync-filecoinv1 910, transport-ipfs-gateway-http 920, transport-filecoin-piece-http 930,
  multidid d1d, fr32-sha256-trunc254-padbintree 1011, sha2-256-trunc254-padded 1012, sha2-224 1013,
  sha2-512-224 1014, sha2-512-256 1015, murmur3-x64-128 1022, ripemd-128 1052, ripemd-160 1053,
  ripemd-256 1054, ripemd-320 1055, x11 1100, p256-pub 1200, p384-pub 1201, p521-pub 1202, ed448-pub 1203,
  x448-pub 1204, rsa-pub 1205, sm2-pub 1206, vlad 1207, provenance-log 1208, provenance-log-entry 1209,
  provenance-log-script 120a, mlkem-512-pub 120b, mlkem-768-pub 120c, mlkem-1024-pub 120d, multisig 1239,
  multikey 123a, nonce 123b, ed25519-priv 1300, secp256k1-priv 1301, x25519-priv 1302, sr25519-priv 1303,
  rsa-priv 1305, p256-priv 1306, p384-priv 1307, p521-priv 1308, bls12_381-g1-priv 1309,
  bls12_381-g2-priv 130a, bls12_381-g1g2-priv 130b, bls12_381-g1-pub-share 130c, bls12_381-g2-pub-share 130d,
  bls12_381-g1-priv-share 130e, bls12_381-g2-priv-share 130f, sm2-priv 1310, ed448-priv 1311, x448-priv 1312,
  mlkem-512-priv 1313, mlkem-768-priv 1314, mlkem-1024-priv 1315, jwk_jcs-priv 1316, lamport-sha3-512-pub 1a14,
  lamport-sha3-384-pub 1a15, lamport-sha3-256-pub 1a16, lamport-sha3-512-priv 1a24, lamport-sha3-384-priv 1a25,
  lamport-sha3-256-priv 1a26, lamport-sha3-512-priv-share 1a34, lamport-sha3-384-priv-share 1a35,
  lamport-sha3-256-priv-share 1a36, lamport-sha3-512-sig 1a44, lamport-sha3-384-sig 1a45,
  lamport-sha3-256-sig 1a46, lamport-sha3-512-sig-share 1a54, lamport-sha3-384-sig-share 1a55,
  lamport-sha3-256-sig-share 1a56, kangarootwelve 1d01, aes-gcm-256 2000, silverpine 3f42, sm3-256 534d,
  sha256a 7012, chacha20-poly1305 a000, xxh-32 b3e1, xxh-64 b3e2, xxh3-64 b3e3, xxh3-128 b3e4,
  poseidon-bls12_381-a2-fc1 b401, poseidon-bls12_381-a2-fc1-sc b402, rdfc-1 b403, ssz b501,
  ssz-sha2-256-bmt b502, sha2-256-chunked b510, json-jcs b601, bittorrent-pieces-root b702, iscc cc01,
  zeroxcert-imprint-256 ce11, nonstandard-sig d000, bcrypt-pbkdf d00d, es256k d0e7, bls12_381-g1-sig d0ea,
  bls12_381-g2-sig d0eb, eddsa d0ed, eip-191 d191, jwk_jcs-pub eb51, ed2k ed20, fil-commitment-unsealed f101,
  fil-commitment-sealed f102, shelter-contract-manifest 511e00, shelter-contract-text 511e01,
  shelter-contract-data 511e02, shelter-file-manifest 511e03, shelter-file-chunk 511e04, plaintextv2 706c61,
  holochain-adr-v0 807124, holochain-adr-v1 817124, holochain-key-v0 947124, holochain-key-v1 957124,
  holochain-sig-v0 a27124, holochain-sig-v1 a37124, skynet-ns b19910, arweave-ns b29910, subspace-ns b39910,
  kumandra-ns b49910, es256 d01200, es384 d01201, es512 d01202, rs256 d01205, es256k-msig d01300,
  bls12_381-g1-msig d01301, bls12_381-g2-msig d01302, eddsa-msig d01303, bls12_381-g1-share-msig d01304,
  bls12_381-g2-share-msig d01305, lamport-msig d01306, lamport-share-msig d01307, es256-msig d01308,
  es384-msig d01309, es521-msig d0130a, rs256-msig d0130b, scion d02000
`

/** Families of hash functions with one code per digest length in bytes: the code before the first, and the longest. */
const families = [
  ['blake2b', 0xb200, 64],
  ['blake2s', 0xb240, 32],
  ['skein256', 0xb300, 32],
  ['skein512', 0xb320, 64],
  ['skein1024', 0xb360, 128],
] as const

/** All multicodecs, by name. */
export const multicodecs: ReadonlyMap<string, number> = new Map([...listed(), ...hashesOfAllLengths()])

/** Names of all multicodecs, by code. */
export const multicodecNames: ReadonlyMap<number, string> = new Map(
  [...multicodecs].map(([name, code]) => [code, name]),
)

function* listed(): Generator<[name: string, code: number]> {
  for (const row of table.trim().split(/,\s+/)) {
    const [name = '', code = ''] = row.split(' ')
    yield [name, Number.parseInt(code, 16)]
  }
}

function* hashesOfAllLengths(): Generator<[name: string, code: number]> {
  for (const [family, before, longest] of families) {
    for (let length = 1; length <= longest; length++) yield [`${family}-${8 * length}`, before + length]
  }
}

/** Names of multicodecs for blocks: those with the tag `ipld`. */
export const blockCodecs: ReadonlySet<string> = new Set(
  `
  cbor raw dag-pb dag-cbor libp2p-key git-raw torrent-info torrent-file blake3-hashseq leofcoin-block
  leofcoin-tx leofcoin-pr dag-jose dag-cose eth-block eth-block-list eth-tx-trie eth-tx eth-tx-receipt-trie
  eth-tx-receipt eth-state-trie eth-account-snapshot eth-storage-trie eth-receipt-log-trie eth-receipt-log
  bitcoin-block bitcoin-tx bitcoin-witness-commitment zcash-block zcash-tx stellar-block stellar-tx
  decred-block decred-tx dash-block dash-tx swarm-manifest swarm-feed beeson dag-json swhid-1-snp json rdfc-1
  json-jcs
`
    .trim()
    .split(/\s+/),
)

/** Codecs that Kubo 0.42.0 reads or writes, and libp2p-key, which occurs in CIDs only. */
export const supportedCodecs: ReadonlySet<string> = new Set([
  'cbor',
  'raw',
  'dag-pb',
  'dag-cbor',
  'libp2p-key',
  'git-raw',
  'dag-jose',
  'dag-json',
  'json',
])
