import { generateKeyPair } from '@libp2p/crypto/keys'
import { createIPNSRecordWithExpiration, marshalIPNSRecord } from 'ipns'
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/ipfs/commands/registry.js'
import { unservedOperations } from '../../src/ipfs/commands/offline.js'
import answersToKeyFiles from './kuboKeyFiles.json' with { type: 'json' }
import { type Recorded, type TestNetwork, form, replay, startNetwork } from './support.js'

/*
 * Verbatim answers of Kubo 0.42.0 with `ipfs daemon --offline`, or with peers where a comment says so.
 */

let node: TestNetwork
beforeAll(async () => {
  node = await startNetwork()
})
afterAll(() => node.stop())

async function call(path: string): Promise<unknown> {
  const response = await node.post(path)
  return JSON.parse(await response.text()) as unknown
}

/** Posts a file. */
function send(path: string, content: string): Promise<Response> {
  const { body, headers } = form([{ content }])
  return node.post(path, body, headers)
}

async function failure(path: string): Promise<string> {
  const response = await node.post(path)
  expect(response.status).toBe(500)
  return ((await response.json()) as { Message: string }).Message
}

describe('keys', () => {
  it('sign data that others can verify with the public key, and verify their signatures', async () => {
    const { ID, PublicKey } = (await call('id')) as { ID: string; PublicKey: string }
    const signed = (await (await send('key/sign', 'hello')).json()) as {
      Key: { Name: string; Id: string }
      Signature: string
    }
    expect(signed.Key.Name).toBe('self')
    const x = Buffer.from(PublicKey, 'base64').subarray(-32).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const signature = Buffer.from(signed.Signature.slice(1), 'base64url')
    expect(signed.Signature[0]).toBe('u')
    expect(verify(null, Buffer.from('libp2p-key signed message:hello'), key, signature)).toBe(true)
    for (const name of ['self', ID, signed.Key.Id]) {
      const verdict = await (
        await send(`key/verify?key=${name}&signature=${signed.Signature}`, 'hello')
      ).json()
      expect(verdict).toMatchObject({ Key: { Id: signed.Key.Id }, SignatureValid: true })
    }
    const other = await (await send(`key/verify?signature=${signed.Signature}`, 'other')).json()
    expect(other).toMatchObject({ SignatureValid: false })
    const short = await (await send('key/verify?signature=uAAAA', 'hello')).json()
    expect(short).toMatchObject({ SignatureValid: false })
    expect(await (await send('key/sign?key=nobody', 'x')).json()).toMatchObject({
      Message: 'no key by the given name was found',
    })
  })

  it('of RSA sign with PKCS #1 v1.5 and SHA-256, and report a wrong signature as an error', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const file = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await send('key/import?arg=rsa&format=pem-pkcs8-cleartext', file)
    // PKCS #1 v1.5 is deterministic.
    const expected = sign('sha256', Buffer.from('libp2p-key signed message:hello'), privateKey)
    const Signature = `u${expected.toString('base64url')}`
    expect(await (await send('key/sign?key=rsa', 'hello')).json()).toMatchObject({ Signature })
    const ask = async (content: string) =>
      (await send(`key/verify?key=rsa&signature=${Signature}`, content)).json()
    expect(await ask('hello')).toMatchObject({ SignatureValid: true })
    expect(await ask('other')).toMatchObject({ Message: 'crypto/rsa: verification error' })
    await call('key/rm?arg=rsa')
  })

  it('are generated, listed by name, renamed and removed, and survive restarts', async () => {
    const made = (await call('key/gen?arg=zebra')) as { Name: string; Id: string }
    expect(made).toEqual({ Name: 'zebra', Id: expect.stringMatching(/^k51qzi5uqu5d[a-z0-9]{50}$/) as string })
    const rsa = (await call('key/gen?arg=ape&type=rsa')) as { Id: string }
    expect(rsa.Id).toMatch(/^k2k4r8[a-z0-9]{50}$/)
    await node.restart()
    const { Keys } = (await call('key/ls')) as { Keys: { Name: string; Id: string }[] }
    expect(Keys.map(({ Name }) => Name)).toEqual(['self', 'ape', 'zebra'])
    expect(Keys[2]?.Id).toBe(made.Id)
    expect(await call('key/rename?arg=zebra&arg=ape&force=true')).toEqual({
      Was: 'zebra',
      Now: 'ape',
      Id: made.Id,
      Overwrite: true,
    })
    expect(await call('key/rm?arg=ape')).toEqual({ Keys: [{ Name: 'ape', Id: made.Id }] })
    expect(await call('key/list')).toEqual({ Keys: [Keys[0]] })
  })

  it('of RSA are generated one after another, and files are stored meanwhile', async () => {
    await call('key/gen?arg=first&type=rsa')
    let made = 0
    const keys = Array.from({ length: 8 }, async (_, number) => {
      await call(`key/gen?arg=rsa${number}&type=rsa&size=3072`)
      made++
    })
    await sleep(100)
    expect((await send('add', 'stored meanwhile')).status).toBe(200)
    // Four threads write files: if all of them generated keys, four would be done first.
    expect(made).toBeLessThan(4)
    await Promise.all(keys)
    await call(`key/rm?arg=first&${keys.map((_, number) => `arg=rsa${number}`).join('&')}`)
  }, 60_000)

  it("include the node's own, which is its peer id", async () => {
    const { ID } = (await call('id')) as { ID: string }
    expect(await call('key/ls?ipns-base=b58mh')).toEqual({ Keys: [{ Name: 'self', Id: ID }] })
  })

  it.each([
    ['key/gen?arg=self', "cannot create key with name 'self'"],
    ['key/gen?arg=x&type=secp256k1', 'unrecognized key type: secp256k1'],
    ['key/gen?arg=x&type=rsa&size=1024', 'rsa keys must be >= 2048 bits to be useful'],
    ['key/rename?arg=none&arg=other', 'no key named none was found'],
    ['key/rename?arg=self&arg=other', "cannot rename key with name 'self'"],
    ['key/rm?arg=none', 'no key named none was found'],
    ['key/ls?ipns-base=foo', 'cannot get key encoder: unsupported multibase encoding: foo'],
  ])('%s', async (path, message) => {
    expect(await failure(path)).toBe(message)
  })
})

describe('names', () => {
  let file: string
  beforeAll(async () => {
    const { Hash } = (await (await send('add', 'hello\n')).json()) as { Hash: string }
    file = Hash
    expect(file).toBe('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
  })

  it('resolve to the last published value, in paths and after a restart too', async () => {
    const { Id } = (await call('key/gen?arg=site')) as { Id: string }
    expect(await call(`name/publish?arg=${file}&key=site&allow-offline=true`)).toEqual({
      Name: Id,
      Value: `/ipfs/${file}`,
    })
    await node.restart()
    expect(await call(`name/resolve?arg=${Id}`)).toEqual({ Path: `/ipfs/${file}` })
    expect(await call(`resolve?arg=/ipns/${Id}`)).toEqual({ Path: `/ipfs/${file}` })
    expect(await (await node.post(`cat?arg=/ipns/${Id}`)).text()).toBe('hello\n')
  })

  it('give their TTL to a listing, and have the ETags of Kubo for CARs', async () => {
    const { body, headers } = form([{ name: 'data', content: 'hello' }])
    await node.post('add?wrap-with-directory=true', body, headers)
    const root = 'QmT8Esrf9FySR5v35tUADnupopDYLD8gNMBXZYVYMEhMWq'
    const { Name } = (await call(`name/publish?arg=${root}&allow-offline=true`)) as { Name: string }
    const header = async (path: string, name: string): Promise<string | null> =>
      (await fetch(`${node.url}/ipns/${Name}${path}`)).headers.get(name)
    expect(await header('/', 'cache-control')).toBe('public, max-age=300, stale-while-revalidate=2678400')
    expect(await header('?format=car', 'etag')).toBe(`W/"${root}.car.1dbtncr7o3egl"`)
    expect(await header('/?format=car', 'etag')).toBe(`W/"${root}.car.j8g1j6dpbkl4"`)
  })

  it('resolve to other names', async () => {
    const { Id } = (await call('key/gen?arg=first')) as { Id: string }
    const { Keys } = (await call('key/ls')) as { Keys: { Name: string; Id: string }[] }
    const site = Keys.find(({ Name }) => Name === 'site')?.Id
    await call(`name/publish?arg=/ipns/${site}&key=first&allow-offline=true`)
    expect(await call(`name/resolve?arg=${Id}`)).toEqual({ Path: `/ipfs/${file}` })
    expect(await call(`name/resolve?arg=${Id}&recursive=false`)).toEqual({ Path: `/ipns/${site}` })
  })

  it('accept growing sequence numbers', async () => {
    const publish = `name/publish?arg=${file}&allow-offline=true`
    await call(`${publish}&sequence=10`)
    expect(await failure(`${publish}&sequence=10`)).toBe(
      'sequence number must be greater than the current record sequence',
    )
  })

  it("have Kubo's ETag for their record", async () => {
    // A record of Kubo 0.42, and what its gateway answered.
    const name = 'k51qzi5uqu5dh7xtb51i20wlwowyr9nng8oy1a4r52ck8d0lwhimd0qgmva4yk'
    const record = Buffer.from(
      'Cg4vaXBmcy9iYWZrcWFhYRJAD3uOlPXtyxINS78+aa1Cw6P8hJuGzRTwS05aYLZhejTZDxca6P5ere95s4cP3Sss6qwy5iyHLKtTjhbJKyi6Ahg' +
        'AIh0yMTI2LTExLTAyVDE3OjE2OjA1Ljc5MjE3NzgyWigAMIDA4oXjaEJAmksKYFL59TkAaNDIIDqyqi6hsYQgCo0ou+Lw32TC3m2Id6rFKrGV4U' +
        'XAhEGJn6RwbdjfRrk81hQvXyL802umDkpjpWNUVEwbAAADRjC4oABlVmFsdWVOL2lwZnMvYmFma3FhYWFoU2VxdWVuY2UAaFZhbGlkaXR5WB0yM' +
        'TI2LTExLTAyVDE3OjE2OjA1Ljc5MjE3NzgyWmxWYWxpZGl0eVR5cGUA',
      'base64',
    )
    const { body, headers } = form([{ content: record }])
    await node.post(`routing/put?arg=/ipns/${name}&allow-offline=true`, body, headers)
    const fetchRecord = (condition: string): Promise<Response> =>
      fetch(`${node.url}/ipns/${name}?format=ipns-record`, { headers: { 'if-none-match': condition } })
    const response = await fetchRecord('"fuejdjr3r1o5h"')
    expect([response.status, response.headers.get('etag')]).toEqual([200, 'fuejdjr3r1o5h'])
    expect(Buffer.from(await response.arrayBuffer())).toEqual(record)
    expect((await fetchRecord('*')).status).toBe(304)
  })

  it('have a record of the empty directory if they are that of a new node', async () => {
    const fresh = await startNetwork()
    const inspect = async (name: string): Promise<unknown> => {
      const record = await fetch(`${fresh.url}/ipns/${name}?format=ipns-record`)
      const { body, headers } = form([{ content: Buffer.from(await record.arrayBuffer()) }])
      return (await fresh.post(`name/inspect?dump=false&verify=${name}`, body, headers)).json()
    }
    try {
      const Path = '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
      expect(await (await fresh.post('name/resolve')).json()).toEqual({ Path })
      const { Keys } = (await (await fresh.post('key/ls')).json()) as { Keys: { Id: string }[] }
      const name = Keys[0]?.Id ?? ''
      expect(await inspect(name)).toEqual({
        Entry: {
          Value: Path,
          ValidityType: 0,
          Sequence: 0,
          TTL: 300_000_000_000,
          Validity: expect.any(String) as string,
        },
        PbSize: 371,
        SignatureType: 'V1+V2',
        HexDump: '',
        Validation: { Valid: true, Reason: '', Name: name },
      })
      await fresh.post('name/publish?arg=/ipfs/bafkqaaa&allow-offline=true')
      expect(await inspect(name)).toMatchObject({ Entry: { Value: '/ipfs/bafkqaaa', Sequence: 1 } })
    } finally {
      await fresh.stop()
    }
  })

  describe('keep their record', () => {
    let name: string
    const publish = (options: string): Promise<unknown> =>
      call(`name/publish?arg=${file}&key=kept&allow-offline=true&${options}`)
    const record = async (): Promise<{ bytes: Buffer; cacheControl: string | null }> => {
      const response = await fetch(`${node.url}/ipns/${name}?format=ipns-record`)
      const bytes = Buffer.from(await response.arrayBuffer())
      return { bytes, cacheControl: response.headers.get('cache-control') }
    }
    const inspect = async (): Promise<object> => {
      const { body, headers } = form([{ content: (await record()).bytes }])
      const { Entry } = (await (await node.post('name/inspect', body, headers)).json()) as { Entry: object }
      return Entry
    }
    beforeAll(async () => {
      name = ((await call('key/gen?arg=kept')) as { Id: string }).Id
    })

    it('with times to the nanosecond', async () => {
      await publish('ttl=365h0.000000001s&lifetime=1h')
      expect(await inspect()).toMatchObject({ Sequence: 0, TTL: 1_314_000_000_000_001 })
      expect((await record()).cacheControl).toBe('public, max-age=1314000')
      await publish('ttl=0s&lifetime=2h')
      expect((await record()).cacheControl).toBe('public, max-age=0')
      expect((await fetch(`${node.url}/ipns/${name}`)).headers.get('cache-control')).toBeNull()
    })

    it('if a publication is refused or never valid', async () => {
      expect(await failure(`name/publish?arg=${file}&key=kept&allow-offline=true&ttl=-1s`)).toContain(
        'negative',
      )
      await call('name/publish?arg=/ipfs/bafkqaaa&key=kept&allow-offline=true&lifetime=0s')
      expect(await call(`name/resolve?arg=${name}`)).toEqual({ Path: `/ipfs/${file}` })
      // The unreadable publication had number 1.
      await publish('')
      expect(await inspect()).toMatchObject({ Sequence: 2 })
    })

    it('if another one is older, for another name or invalid', async () => {
      const older = (await record()).bytes
      await publish('sequence=9007199254740993&lifetime=1h')
      expect(JSON.stringify(await call('diag/cmds'))).toContain('"sequence":9007199254740992')
      const newer = (await record()).bytes
      const { Id: other } = (await call('key/gen?arg=other')) as { Id: string }
      for (const bytes of [older, Buffer.from('x'), Buffer.alloc(0)]) {
        const { body, headers } = form([{ content: bytes }])
        await node.post(`name/put?arg=${name}&allow-offline=true&force=true`, body, headers)
        await node.post(`routing/put?arg=/ipns/${name}&allow-offline=true`, body, headers)
        await node.post(`routing/put?arg=/ipns/${other}&allow-offline=true`, body, headers)
        expect((await record()).bytes).toEqual(newer)
      }
      expect(await failure(`name/resolve?arg=${other}`)).toBe('could not resolve name')
      await call('name/publish?arg=/ipfs/bafkqaaa&key=kept&allow-offline=true')
      expect(await call(`name/resolve?arg=${name}`)).toEqual({ Path: '/ipfs/bafkqaaa' })
    })
  })

  it.each([
    [
      'name/publish?arg=FILE',
      "can't publish while offline: pass `--allow-offline` to override or `--allow-delegated` if Ipns.DelegatedPublishers are set up",
    ],
    ['name/publish?arg=FILE&allow-offline=true&key=zz', 'no key by the given name was found'],
    [
      'name/publish?arg=FILE&allow-offline=true&lifetime=x',
      'error parsing lifetime option: time: invalid duration "x"',
    ],
    [
      'name/publish?arg=FILE&allow-offline=true&sequence=9223372036854775808',
      'sequence numbers end at 9223372036854775807',
    ],
    ['name/publish?arg=foo&allow-offline=true', 'invalid path "foo": path does not have enough components'],
    [
      'name/resolve?arg=k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
      'could not resolve name',
    ],
    ['resolve?arg=/ipns/x/..&recursive=false&dht-timeout=', 'time: invalid duration ""'],
    ['resolve?arg=/ipns/x&recursive=false&dht-timeout=-1s', 'DHT timeout value must be >= 0'],
    [
      'name/resolve?arg=ipfs.io',
      'DNSLink lookup for "ipfs.io." failed: could not resolve name: DNSLink lookup could not find a TXT record (https://docs.ipfs.tech/concepts/dnslink/)',
    ],
  ])('%s', async (path, message) => {
    expect(await failure(path.replace('FILE', file))).toBe(message)
  })
})

describe('the configuration', () => {
  it('shows only the values set in a section, ordered by name', async () => {
    const set = 'config?json=true&arg=Gateway&arg='
    expect(await call(`${set}{"NoFetch":true,"Foo":1}`)).toEqual({
      Key: 'Gateway',
      Value: { Foo: 1, NoFetch: true },
    })
    await call('config?arg=Gateway.DisableHTMLErrors&arg=true&json=true')
    const { Value } = (await call('config?arg=Gateway')) as { Value: object }
    expect(Object.keys(Value)).toEqual(['DisableHTMLErrors', 'Foo', 'NoFetch'])
    await call(`${set}{}`)
  })

  it('has all members of an empty section once another operation has written it', async () => {
    const sections = {
      Datastore: {
        BlockKeyCacheSize: null,
        BloomFilterSize: 0,
        GCPeriod: '',
        HashOnRead: false,
        Spec: null,
        StorageGCWatermark: 0,
        StorageMax: '',
      },
      Discovery: { MDNS: { Enabled: false } },
      Mounts: { FuseAllowOther: null, IPFS: '', IPNS: '', MFS: '', StoreMode: null, StoreMtime: null },
      Provide: { DHT: {} },
      Routing: { DelegatedRouters: null },
    }
    const other = await startNetwork()
    const ask = async (path: string): Promise<unknown> => (await other.post(path)).json()
    for (const section of Object.keys(sections)) {
      expect(await ask(`config?arg=${section}&arg=null&json=true`)).toEqual({ Key: section, Value: null })
    }
    await ask('bootstrap/rm/all')
    for (const [section, members] of Object.entries(sections)) {
      expect(await ask(`config?arg=${section}`)).toEqual({ Key: section, Value: members })
    }
    await other.stop()
  })

  it('is read if given more than a value', async () => {
    expect(await call('config?arg=Import.CidVersion&arg=1&arg=x&json=true')).toMatchObject({ Value: null })
  })

  it('is set, survives restarts and takes effect', async () => {
    expect(await call('config?arg=Import.CidVersion')).toEqual({ Key: 'Import.CidVersion', Value: null })
    expect(await call('config?arg=Import.CidVersion&arg=1&json=true')).toEqual({
      Key: 'Import.CidVersion',
      Value: 1,
    })
    await node.restart()
    const added = (await (await send('add', 'hello\n')).json()) as { Hash: string }
    expect(added.Hash).toBe('bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am')
    await call('config?arg=Import.CidVersion&arg=null&json=true')
  })

  it('shards directories at the size that was configured when the node started', async () => {
    const shardsAfter = async (directory: string): Promise<boolean> => {
      await node.post(`files/mkdir?arg=${directory}`)
      await send(`files/write?arg=${directory}/a&create=true`, 'a')
      const { Hash } = (await call(`files/stat?arg=${directory}`)) as { Hash: string }
      const { Data } = (await call(`dag/get?arg=${Hash}`)) as { Data: { '/': { bytes: string } } }
      const hamtShard = 5
      return Buffer.from(Data['/'].bytes, 'base64')[1] === hamtShard
    }
    await call('config?arg=Internal.UnixFSShardingSizeThreshold&arg=1B')
    expect(await shardsAfter('/before')).toBe(false)
    await node.restart()
    expect(await shardsAfter('/sharded')).toBe(true)
    await call('config?arg=Internal.UnixFSShardingSizeThreshold&arg=null&json=true')
    await node.restart()
  })

  // CIDs of Kubo 0.42.0.
  it('limits the links of mutable directories that are created while a limit is configured', async () => {
    const fill = async (directory: string, count: number): Promise<unknown> => {
      for (let index = 0; index < count; index++) {
        await send(`files/write?arg=${directory}/f${index}&create=true`, `x${index}`)
      }
      return ((await call(`files/stat?arg=${directory}`)) as { Hash: string }).Hash
    }
    await node.post('files/mkdir?arg=/older')
    await call('config?arg=Import.UnixFSDirectoryMaxLinks&arg=2&json=true')
    await node.post('files/mkdir?arg=/limited')
    await call('config?arg=Import.UnixFSDirectoryMaxLinks&arg=null&json=true')
    expect(await fill('/older', 3)).toBe('Qmf9A9fvQ5tUJkgViM1qxwTm22X8BUsdoidR1YUddcJRDY')
    expect(await fill('/limited', 3)).toBe('QmS394xsc68jWxAWLEazWuDHytgn6aVHk5yeXeJendkuJt')
    await node.post('files/flush?arg=/')
    expect(await fill('/limited', 3)).toBe('Qmf9A9fvQ5tUJkgViM1qxwTm22X8BUsdoidR1YUddcJRDY')
  })

  it('follows a profile', async () => {
    const { OldCfg, NewCfg } = (await call('config/profile/apply?arg=unixfs-v1-2025&dry-run=true')) as Record<
      string,
      { Import: Record<string, unknown> }
    >
    expect(OldCfg?.Import['UnixFSChunker']).toBeNull()
    expect(NewCfg?.Import).toMatchObject({
      CidVersion: 1,
      UnixFSChunker: 'size-1048576',
      UnixFSFileMaxLinks: 1024,
    })
    expect(await call('config?arg=Import.UnixFSChunker')).toMatchObject({ Value: null })
  })

  it('accepts what config/show returned', async () => {
    const shown = (await call('config/show')) as Record<string, unknown>
    const changed = { ...shown, Import: { UnixFSChunker: 'size-1000' } }
    const response = await send('config/replace', JSON.stringify(changed))
    expect(response.status).toBe(200)
    expect(await call('config?arg=Import.UnixFSChunker')).toMatchObject({ Value: 'size-1000' })
    await call('config?arg=Import.UnixFSChunker&arg=null&json=true')
    expect(JSON.stringify(shown)).not.toContain('PrivKey')
  })

  it.each([
    ['config?arg=Foo', 'failed to get config value: "Foo not found"'],
    ['config?arg=Foo&arg=1', 'failed to set config value: Foo not found (maybe use --json?)'],
    ['config?arg=Import.Foo&arg=1', 'failed to set config value: Import.Foo not found (maybe use --json?)'],
    ['config?arg=identity.privkey', 'cannot show or change private key through API'],
    ['config?arg=Pinning', 'cannot show or change pinning services credentials'],
    [
      'config?arg=Import.CidVersion&arg=1',
      'failed to set config value: failure to decode config: json: cannot unmarshal string into Go struct field Import.Import.CidVersion of type int64 (maybe use --json?)',
    ],
    [
      'config?arg=Datastore.BloomFilterSize&arg=1.5&json=true',
      'failed to set config value: failure to decode config: json: cannot unmarshal number 1.5 into Go struct field Datastore.Datastore.BloomFilterSize of type int (maybe use --json?)',
    ],
    [
      'config?arg=Datastore.StorageGCWatermark&arg=1e30&json=true',
      'failed to set config value: failure to decode config: json: cannot unmarshal number 1e+30 into Go struct field Datastore.Datastore.StorageGCWatermark of type int64 (maybe use --json?)',
    ],
    [
      'config?arg=API.HTTPHeaders&arg={"X":[1]}&json=true',
      'failed to set config value: failure to decode config: json: cannot unmarshal number into Go struct field API.API.HTTPHeaders of type string (maybe use --json?)',
    ],
    [
      'config?arg=Ipns.MaxCacheTTL&arg=5&json=true',
      'failed to set config value: failure to decode config: time: missing unit in duration "5" (maybe use --json?)',
    ],
    [
      'config?arg=Import.UnixFSHAMTDirectorySizeThreshold&arg=[]&json=true',
      'failed to set config value: failure to decode config: unable to parse byte size, expected a size string (e.g., "5GiB") or a number, but got []interface {} (maybe use --json?)',
    ],
    [
      'config?arg=Import.CidVersion&arg=["1e5",-1e999]&json=true',
      'failed to unmarshal json. json: cannot unmarshal number -1e999 into Go value of type float64',
    ],
    ['config/profile/apply?arg=foo', 'foo is not a profile'],
  ])('%s', async (path, message) => {
    expect(await failure(path)).toBe(message)
  })
})

describe('operations without a network', () => {
  it.each([
    // Kubo's message online and without peers.
    ['swarm/peers', { Peers: null }],
    ['swarm/addrs', { Addrs: {} }],
    ['stats/bw', { TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }],
    ['bitswap/wantlist', { Keys: [] }],
    // Kubo's message offline.
    ['bootstrap', { Peers: [] }],
    [
      'cid/inspect?arg=QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN',
      {
        cid: 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN',
        version: 0,
        multibase: { prefix: 'z', name: 'base58btc' },
        multicodec: { code: 112, name: 'dag-pb' },
        multihash: {
          code: 18,
          name: 'sha2-256',
          length: 32,
          digest: 'a568e404d8eadaec925ac3bc1b36259c0f6d70000d729cd918c46a836f497657',
        },
        cidV0: 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN',
        cidV1: 'bafybeiffndsajwhk3lwjewwdxqntmjm4b5wxaaanokonsggenkbw6slwk4',
      },
    ],
    [
      'cid/codecs?supported=true',
      [
        { Code: 81, Name: 'cbor' },
        { Code: 85, Name: 'raw' },
        { Code: 112, Name: 'dag-pb' },
        { Code: 113, Name: 'dag-cbor' },
        { Code: 114, Name: 'libp2p-key' },
        { Code: 120, Name: 'git-raw' },
        { Code: 133, Name: 'dag-jose' },
        { Code: 297, Name: 'dag-json' },
        { Code: 512, Name: 'json' },
      ],
    ],
  ])('%s', async (path, answer) => {
    expect(await call(path)).toEqual(answer)
  })

  it.each([
    ['cid/codecs', 44],
    ['cid/hashes', 73],
    ['cid/bases', 21],
    ['multibase/list', 21],
  ])('%s has as many rows as in Kubo', async (path, count) => {
    expect(await call(path)).toHaveLength(count)
  })

  it.each([
    ['base2', '00110100001100101011011000110110001101111'],
    ['base58flickr', 'ZcM8DuyF'],
    ['base36upper', 'K5PZCSZU7'],
    ['base256emoji', '🚀😴✋🍀🍀😓'],
  ])('writes and reads %s', async (base, text) => {
    const encoded = await send(`multibase/encode?b=${base}`, 'hello')
    expect(await encoded.text()).toBe(text)
    const decoded = await send('multibase/decode', text)
    expect(await decoded.text()).toBe('hello')
  })

  it.each(['pin', 'files', 'key', 'name'])(
    '%s, which has operations below it, says nothing',
    async (path) => {
      const response = await node.post(path)
      expect([response.status, await response.text()]).toEqual([200, ''])
    },
  )

  it('takes the last segment of a path as an argument', async () => {
    expect(await call('config/Import.CidVersion')).toMatchObject({ Key: 'Import.CidVersion' })
    expect((await node.post('pin/foo')).status).toBe(404)
  })

  it('object/get was removed, as in Kubo', async () => {
    expect(await failure('object/get?arg=x')).toBe("removed, use 'ipfs dag' or 'ipfs files' instead")
  })
})

describe('object/patch', () => {
  const emptyDirectory = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  const file = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'

  it('adds a link and removes it', async () => {
    const added = await call(`object/patch/add-link?arg=${emptyDirectory}&arg=a/b&arg=${file}&create=true`)
    const { Hash } = added as { Hash: string }
    expect(await (await node.post(`cat?arg=${Hash}/a/b`)).text()).toBe('hello\n')
    expect(await call(`object/patch/rm-link?arg=${Hash}&arg=a`)).toEqual({ Hash: emptyDirectory })
  })

  it.each([
    ['rm-link?arg=EMPTY&arg=x', 'no link by that name'],
    ['add-link?arg=EMPTY&arg=&arg=FILE', 'cannot create link with no name'],
    [
      'add-link?arg=FILE&arg=x&arg=FILE',
      'cannot add named links to a UnixFS File node, only Directory nodes support link addition at the dag-pb level (see https://specs.ipfs.tech/unixfs/)',
    ],
  ])('%s', async (path, message) => {
    const query = path.replace('EMPTY', emptyDirectory).replaceAll('FILE', file)
    expect(await failure(`object/patch/${query}`)).toBe(message)
  })
})

describe('object/diff', () => {
  async function addFiles(files: Record<string, string>): Promise<string> {
    const form = new FormData()
    for (const [path, content] of Object.entries(files)) {
      form.append('file', new Blob([content]), encodeURIComponent(path))
    }
    const response = await node.post('add?quieter=true', form)
    const lines = (await response.text()).trim().split('\n')
    return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
  }

  // CIDs and order as in Kubo 0.42.0.
  it('reports changed, removed and added links', async () => {
    const before = await addFiles({ 'd/gone': 'gone\n', 'd/s/q': 's\n', 'd/same': 'same\n', 'd/x': 'a\n' })
    const after = await addFiles({ 'd/new': 'new\n', 'd/s/q': 's2\n', 'd/same': 'same\n', 'd/x': 'b\n' })
    const link = (cid: string) => ({ '/': cid })
    const changedFile = {
      Before: link('Qmbvkmk9LFsGneteXk3G7YLqtLVME566ho6ibaQZZVHaC9'),
      After: link('QmR9pC5uCF3UExca8RSrCVL8eKv7nHMpATzbEQkAHpXmVM'),
    }
    expect(await call(`object/diff?arg=${before}&arg=${after}`)).toEqual({
      Changes: [
        {
          Type: 2,
          Path: 's/q',
          Before: link('QmRM6xcUkatMTLMPqE2uaNYoHyKfZiScaqQvXuTqHKsNgx'),
          After: link('QmRiZLeoAhXYpqHPaKebJHv4pRLe9gfg6BwxrXQ6uXSiCE'),
        },
        { Type: 2, Path: 'x', ...changedFile },
        {
          Type: 1,
          Path: 'gone',
          Before: link('QmdEUSrHqaxGbTQL97heAH2aNvP8kfhYWSe7VGwUor7o25'),
          After: null,
        },
        {
          Type: 0,
          Path: 'new',
          Before: null,
          After: link('QmaMqjx7hQmiHheBaRxLnHp8GyEov7LC7NP6h7w6V1B6nd'),
        },
      ],
    })
    expect(await call(`object/diff?arg=${before}&arg=${before}`)).toEqual({ Changes: [] })
    expect(await call(`object/diff?arg=${before}/x&arg=${after}/x`)).toEqual({
      Changes: [{ Type: 2, Path: '', ...changedFile }],
    })
  })

  it('joins the names of a path like Go', async () => {
    // Go's path.Join("a//b", "../c/./d/") is "a/c/d".
    const [empty, full] = ['bafkqaaa', 'bafkqaalb']
    async function putDirectory(name: string, cid: string): Promise<string> {
      const Data = { '/': { bytes: 'CAE' } }
      const Links = [{ Hash: { '/': cid }, Name: name, Tsize: 1 }]
      const { body, headers } = form([{ content: JSON.stringify({ Data, Links }) }])
      const response = await node.post('dag/put?store-codec=dag-pb', body, headers)
      return ((await response.json()) as { Cid: { '/': string } }).Cid['/']
    }
    const before = await putDirectory('a//b', await putDirectory('../c/./d/', empty))
    const after = await putDirectory('a//b', await putDirectory('../c/./d/', full))
    expect(await call(`object/diff?arg=${before}&arg=${after}`)).toEqual({
      Changes: [{ Type: 2, Path: 'a/c/d', Before: { '/': empty }, After: { '/': full } }],
    })
  })

  it('refuses what is not a path', async () => {
    expect(await failure(`object/diff?arg=x&arg=x`)).toBe(
      'invalid path "x": path does not have enough components',
    )
  })
})

it.each(['filestore/dups', 'filestore/ls', 'filestore/verify'])('%s is not enabled', async (path) => {
  expect(await failure(path)).toBe('filestore is not enabled, see https://git.io/vNItf')
})

// Made by `ipfs name publish --lifetime 200000h --ttl 1h30m0.5s`.
const kuboName = 'k51qzi5uqu5dlreys9b9lt2gg1tr75frxw6edh1vjz4nfy2w918akpmorx29ek'
const kuboRecord = Buffer.from(
  'CjQvaXBmcy9RbVVOTExzUEFDQ3oxdkx4UVZrWHFxTFg1UjFYMzQ1cXFmSGJzZjY3aHZBM05uEkB1NkFs8Ah0t+6fCkP00dT7meBHxiPFOCNULUPI1f3v/ts30I3RWYmCj7JFJEBLA0T62ZXb6z2seyLfyNgiQtoLGAAiHjIwNDktMDktMTlUMDI6MDc6MzUuNDUxMTIwNjk0WigAMICqibeWnQFCQBs1WHU5U+DYHL92AbpY7w5vv9Gv117t2eW9brOcsLvqW5/T3/TIv4kC2uLHu+jNxFLDz5NeZr1rlqZ3WobWlwxKiwGlY1RUTBsAAATpZuJVAGVWYWx1ZVg0L2lwZnMvUW1VTkxMc1BBQ0N6MXZMeFFWa1hxcUxYNVIxWDM0NXFxZkhic2Y2N2h2QTNObmhTZXF1ZW5jZQBoVmFsaWRpdHlYHjIwNDktMDktMTlUMDI6MDc6MzUuNDUxMTIwNjk0WmxWYWxpZGl0eVR5cGUA',
  'base64',
)

describe('records', () => {
  /** Posts a file of bytes. */
  async function sendBytes(path: string, content: Uint8Array): Promise<unknown> {
    const { body, headers } = form([{ content }])
    return (await node.post(path, body, headers)).json()
  }
  const entry = {
    Value: '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    ValidityType: 0,
    Validity: '2049-09-19T02:07:35.451120694Z',
    Sequence: 0,
    TTL: 5_400_500_000_000,
  }

  it('are shown', async () => {
    const shown = { Entry: entry, PbSize: 372, SignatureType: 'V1+V2', HexDump: '' }
    expect(await sendBytes('name/inspect?dump=false', kuboRecord)).toEqual({ ...shown, Validation: null })
    expect(await sendBytes(`name/inspect?dump=false&verify=${kuboName}`, kuboRecord)).toEqual({
      ...shown,
      Validation: { Valid: true, Reason: '', Name: kuboName },
    })
    const other = '12D3KooWFkLGmNYhnGkYw1yRxd5x7bpNtowgwhghQMXSP7PGV6JQ'
    expect(await sendBytes(`name/inspect?dump=false&verify=${other}`, kuboRecord)).toMatchObject({
      Validation: { Valid: false, Reason: 'signature verification failed' },
    })
  })

  it.each([
    ['2030-01-01T10:20:30Z', '2030-01-01T10:20:30Z'],
    ['2030-01-01T10:20:00Z', '2030-01-01T10:20:00Z'],
    ['2030-01-01T10:20:30.500000000Z', '2030-01-01T10:20:30.5Z'],
    ['2030-01-01T10:20:30.000000000Z', '2030-01-01T10:20:30Z'],
  ])('that end at %s are shown with the end %s', async (validity, shown) => {
    const key = await generateKeyPair('Ed25519')
    const record = await createIPNSRecordWithExpiration(key, '/ipfs/bafkqaaa', 1n, validity)
    expect(await sendBytes('name/inspect', marshalIPNSRecord(record))).toMatchObject({
      Entry: { Validity: shown },
    })
  })

  it('are shown in hexadecimal', async () => {
    const { HexDump } = (await sendBytes('name/inspect', kuboRecord)) as { HexDump: string }
    const [first, ...rest] = HexDump.split('\n')
    expect(first).toBe('00000000  0a 34 2f 69 70 66 73 2f  51 6d 55 4e 4c 4c 73 50  |.4/ipfs/QmUNLLsP|')
    expect(rest.slice(-2)).toEqual(['00000170  79 70 65 00                                       |ype.|', ''])
  })

  it('are kept and followed', async () => {
    expect(await sendBytes(`name/put?arg=${kuboName}&allow-offline=true`, kuboRecord)).toEqual({
      Name: kuboName,
      Value: entry.Value,
    })
    expect(await call(`name/resolve?arg=${kuboName}`)).toEqual({ Path: entry.Value })
  })

  it('are refused if they are corrupted', async () => {
    const corrupted = Buffer.from(kuboRecord)
    // Field 8, the signature of version 2.
    const at = corrupted.lastIndexOf(Buffer.from('4240', 'hex')) + 2
    corrupted[at] = (corrupted[at] ?? 0) ^ 1
    const path = `name/put?arg=${kuboName}&allow-offline=true`
    const message = async (content: Uint8Array): Promise<unknown> =>
      ((await sendBytes(path, content)) as { Message: string }).Message
    expect(await message(corrupted)).toBe('record validation failed: signature verification failed')
    expect(await message(Buffer.alloc(20_000))).toBe(
      'record exceeds maximum size of 10240 bytes, use --force to skip size check',
    )
    expect(await message(Buffer.from('xyz'))).toBe(
      'invalid IPNS record: record is malformed\nproto: cannot parse invalid wire-format data',
    )
    expect(await message(Buffer.alloc(0))).toBe('record is empty')
    expect(await call(`name/resolve?arg=${kuboName}`)).toEqual({ Path: entry.Value })
  })

  it('are refused offline even by force', async () => {
    const record = Buffer.from('text 2\n')
    const forced = `name/put?arg=${kuboName}&allow-offline=true&force=true`
    const routed = `routing/put?arg=/ipns/${kuboName}&allow-offline=true`
    const refusal = { Message: 'record is malformed\nproto: cannot parse invalid wire-format data' }
    for (const path of [forced, routed]) {
      expect(await sendBytes(`${path}&offline=true`, record)).toMatchObject(refusal)
      expect(await sendBytes(path, record)).not.toMatchObject(refusal)
    }
    expect(await call(`name/resolve?arg=${kuboName}`)).toEqual({ Path: entry.Value })
  })
})

it('reads key files of all types and publishes CIDs as they are written like Kubo 0.42.0', async () => {
  const empty = await startNetwork()
  try {
    await replay(answersToKeyFiles as Recorded, empty)
  } finally {
    await empty.stop()
  }
})

describe('imported keys', () => {
  const seed = Buffer.alloc(32, 7)
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const pem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----\n`

  it('have the same names as in Kubo', async () => {
    const Id = 'k51qzi5uqu5dm0t4vbwri4lkg76q03b4x9tsvekgvbu4zli6454ff7w8wdosa4'
    const imported = await send('key/import?arg=seven&format=pem-pkcs8-cleartext', pem)
    expect(await imported.json()).toEqual({ Name: 'seven', Id })
    expect((await call('key/list')) as object).toMatchObject({
      Keys: expect.arrayContaining([{ Name: 'seven', Id }]) as unknown,
    })
  })

  it.each([
    ['self', pem, "cannot import key with name 'self'"],
    ['seven', pem, "key with name 'seven' already exists"],
    ['x', 'xyz', 'PEM block not found in input data:\nxyz'],
    [
      'x',
      '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n',
      'expected PRIVATE KEY type in PEM block but got: RSA PRIVATE KEY',
    ],
  ])('named %s are refused', async (name, content, message) => {
    const response = await send(`key/import?arg=${name}&format=pem-pkcs8-cleartext`, content)
    expect(await response.json()).toMatchObject({ Message: message })
  })
})

it.each([...unservedOperations.keys()])('%s is not served', async (path) => {
  expect(commands.has(path)).toBe(false)
  // In Kubo's HTTP API this is a parent of others.
  const status = path === 'diag/datastore' ? 200 : 404
  expect((await node.post(`${path}?arg=x`)).status).toBe(status)
})
