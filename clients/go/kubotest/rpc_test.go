// Package kubotest tests the node's IPFS API with Kubo's Go client.
package kubotest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ipfs/boxo/files"
	"github.com/ipfs/boxo/ipld/merkledag"
	"github.com/ipfs/boxo/path"
	"github.com/ipfs/go-cid"
	ipld "github.com/ipfs/go-ipld-format"
	"github.com/ipfs/kubo/client/rpc"
	iface "github.com/ipfs/kubo/core/coreiface"
	"github.com/ipfs/kubo/core/coreiface/options"
	standin "github.com/standin/standin-go"
)

// CIDs that Kubo 0.42.0 creates for "hello world\n": added, as a raw block, and written to the mutable file system.
const (
	helloWorld        = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"
	helloWorldRaw     = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4"
	emptyDirectory    = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"
	writtenHelloWorld = "QmVib14uvPnCP73XaCDpwugRuwfTsVbGyWbatHAmLSdZUS"
)

func open(t *testing.T) (context.Context, *rpc.HttpApi) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	node, err := standin.Start(ctx, "--import-profile", "unixfs-v0-2015")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Stop)
	api, err := rpc.NewURLApiWithClient(node.IPFSURL, &http.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, api
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, node files.Node) string {
	t.Helper()
	file, ok := node.(files.File)
	if !ok {
		t.Fatalf("%T is no file", node)
	}
	return string(must[[]byte](t)(io.ReadAll(file)))
}

func TestAddGetAndList(t *testing.T) {
	ctx, api := open(t)
	added := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("hello world\n"))))
	if added.RootCid().String() != helloWorld {
		t.Fatalf("added as %s", added)
	}
	if text := content(t, must[files.Node](t)(api.Unixfs().Get(ctx, added))); text != "hello world\n" {
		t.Fatalf("got %q", text)
	}
	raw := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("hello world\n")),
		options.Unixfs.CidVersion(1), options.Unixfs.RawLeaves(true)))
	if raw.RootCid().String() != helloWorldRaw {
		t.Fatalf("added as %s", raw)
	}

	big := bytes.Repeat([]byte("0123456789abcdef"), 60_000)
	tree := files.NewMapDirectory(map[string]files.Node{
		"big": files.NewBytesFile(big),
		"folder": files.NewMapDirectory(map[string]files.Node{
			"link": files.NewLinkFile("../big", nil),
		}),
	})
	events := make(chan any, 64)
	root := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, tree,
		options.Unixfs.Events(events), options.Unixfs.Progress(true)))
	close(events)
	var told []string
	var counted int64
	for event := range events {
		added := event.(*iface.AddEvent)
		if added.Path.RootCid().Defined() {
			told = append(told, added.Name)
		} else {
			counted = added.Bytes
		}
	}
	if !slices.Equal(told, []string{"big", "folder/link", "folder", ""}) && !slices.Contains(told, "folder") {
		t.Fatalf("told of %q", told)
	}
	if counted != int64(len(big)) {
		t.Fatalf("counted %d bytes", counted)
	}
	directory := must[files.Node](t)(api.Unixfs().Get(ctx, root)).(files.Directory)
	entries := directory.Entries()
	var names []string
	for entries.Next() {
		names = append(names, entries.Name())
		if entries.Name() == "big" && content(t, entries.Node()) != string(big) {
			t.Fatal("a file came back changed")
		}
	}
	check(t, entries.Err())
	if !slices.Equal(names, []string{"big", "folder"}) {
		t.Fatalf("got %q", names)
	}

	types := map[string]iface.FileType{}
	for entry, err := range iface.LsIter(ctx, api.Unixfs(), root) {
		check(t, err)
		types[entry.Name] = entry.Type
		if entry.Name == "big" && entry.Size != uint64(len(big)) {
			t.Fatalf("big has %d bytes", entry.Size)
		}
	}
	if len(types) != 2 || types["big"] != iface.TFile || types["folder"] != iface.TDirectory {
		t.Fatalf("listed %v", types)
	}
	folder := must[path.Path](t)(path.Join(root, "folder"))
	for entry, err := range iface.LsIter(ctx, api.Unixfs(), folder) {
		check(t, err)
		if entry.Type != iface.TSymlink || entry.Target != "../big" {
			t.Fatalf("listed %+v", entry)
		}
	}
	resolved, rest, err := api.ResolvePath(ctx, must[path.Path](t)(path.Join(root, "big")))
	check(t, err)
	if len(rest) > 0 || resolved.RootCid() != must[ipld.Node](t)(api.ResolveNode(ctx, resolved)).Cid() {
		t.Fatalf("resolved to %s and %q", resolved, rest)
	}
}

func TestCat(t *testing.T) {
	ctx, api := open(t)
	added := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("hello world\n"))))
	response := must[*rpc.Response](t)(api.Request("cat", added.String()).
		Option("offset", 6).Option("length", 5).Send(ctx))
	defer response.Close()
	if text := must[[]byte](t)(io.ReadAll(response.Output)); string(text) != "world" {
		t.Fatalf("got %q", text)
	}
}

func TestBlocks(t *testing.T) {
	ctx, api := open(t)
	put := must[iface.BlockStat](t)(api.Block().Put(ctx, bytes.NewReader([]byte("hello world\n")),
		options.Block.CidCodec("raw")))
	if put.Path().RootCid().String() != helloWorldRaw || put.Size() != 12 {
		t.Fatalf("put as %s of %d bytes", put.Path(), put.Size())
	}
	if stat := must[iface.BlockStat](t)(api.Block().Stat(ctx, put.Path())); stat.Size() != 12 {
		t.Fatalf("%d bytes", stat.Size())
	}
	read := must[io.Reader](t)(api.Block().Get(ctx, put.Path()))
	if text := must[[]byte](t)(io.ReadAll(read)); string(text) != "hello world\n" {
		t.Fatalf("got %q", text)
	}
	check(t, api.Block().Rm(ctx, put.Path()))
	offline := must[iface.CoreAPI](t)(api.WithOptions(options.Api.Offline(true)))
	if _, err := offline.Block().Stat(ctx, put.Path()); !ipld.IsNotFound(err) {
		t.Fatalf("a removed block: %v", err)
	}
	if err := api.Block().Rm(ctx, put.Path()); !ipld.IsNotFound(err) {
		t.Fatalf("a block removed twice: %v", err)
	}
	check(t, api.Block().Rm(ctx, put.Path(), options.Block.Force(true)))
}

func TestDag(t *testing.T) {
	ctx, api := open(t)
	leaf := merkledag.NewRawNode([]byte("hello world\n"))
	parent := merkledag.NodeWithData([]byte{0x08, 0x01})
	check(t, parent.AddNodeLink("leaf", leaf))
	// The client rejects CIDs that differ from those it computes.
	check(t, api.Dag().AddMany(ctx, []ipld.Node{leaf, parent}))
	loaded := must[ipld.Node](t)(api.Dag().Get(ctx, parent.Cid()))
	if !bytes.Equal(loaded.RawData(), parent.RawData()) || loaded.Links()[0].Cid != leaf.Cid() {
		t.Fatal("a node came back changed")
	}
	count := 0
	for option := range api.Dag().GetMany(ctx, []cid.Cid{leaf.Cid(), parent.Cid()}) {
		check(t, option.Err)
		if count++; count == 2 {
			break
		}
	}
	check(t, api.Dag().Pinning().Add(ctx, parent))
	reason, isPinned, err := api.Pin().IsPinned(ctx, path.FromCid(leaf.Cid()))
	check(t, err)
	if !isPinned || reason != "indirect through "+parent.Cid().String() {
		t.Fatalf("the leaf is %q", reason)
	}
	check(t, api.Pin().Rm(ctx, path.FromCid(parent.Cid())))
	check(t, api.Dag().RemoveMany(ctx, []cid.Cid{parent.Cid(), leaf.Cid()}))

	var out struct{ Cid cid.Cid }
	request := api.Request("dag/put").Option("store-codec", "dag-cbor").
		FileBody(bytes.NewReader([]byte(`{"a":{"b":[1,"c"]}}`)))
	check(t, request.Exec(ctx, &out))
	var value []any
	check(t, api.Request("dag/get", out.Cid.String()+"/a/b").Exec(ctx, &value))
	if len(value) != 2 || value[0] != 1.0 || value[1] != "c" {
		t.Fatalf("got %v", value)
	}
}

func TestObjects(t *testing.T) {
	ctx, api := open(t)
	leaf := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("hello world\n"))))
	empty := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewMapDirectory(nil)))
	linked := must[path.ImmutablePath](t)(api.Object().AddLink(ctx, empty, "a/b", leaf, options.Object.Create(true)))
	changes := must[[]iface.ObjectChange](t)(api.Object().Diff(ctx, empty, linked))
	if len(changes) != 1 || changes[0].Type != iface.DiffAdd || changes[0].Path != "a" {
		t.Fatalf("changed %v", changes)
	}
	again := must[path.ImmutablePath](t)(api.Object().RmLink(ctx, linked, "a"))
	if again.RootCid() != empty.RootCid() {
		t.Fatalf("%s is left", again)
	}
}

func TestPins(t *testing.T) {
	ctx, api := open(t)
	first := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("first"))))
	second := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("second"))))
	check(t, api.Pin().Add(ctx, first, options.Pin.Name("a name")))
	pins := make(chan iface.Pin, 4)
	check(t, api.Pin().Ls(ctx, pins, options.Pin.Ls.Recursive(), options.Pin.Ls.Detailed(true)))
	found := false
	for pin := range pins {
		if pin.Path().RootCid() == first.RootCid() {
			found = pin.Type() == "recursive" && pin.Name() == "a name"
		}
	}
	if !found {
		t.Fatal("the pin is not listed")
	}
	check(t, api.Pin().Update(ctx, first, second, options.Pin.Unpin(true)))
	if _, isPinned, err := api.Pin().IsPinned(ctx, first); err != nil || isPinned {
		t.Fatalf("still pinned: %v", err)
	}
	verified := 0
	for status := range must[<-chan iface.PinStatus](t)(api.Pin().Verify(ctx)) {
		check(t, status.Err())
		if !status.Ok() {
			t.Fatalf("bad nodes: %v", status.BadNodes())
		}
		verified++
	}
	if verified != 1 {
		t.Fatalf("verified %d pins", verified)
	}
	check(t, api.Pin().Rm(ctx, second))
	if err := api.Pin().Rm(ctx, second); err == nil || err.Error() != "not pinned or pinned indirectly" {
		t.Fatalf("unpinned twice: %v", err)
	}
}

func TestKeysAndNames(t *testing.T) {
	ctx, api := open(t)
	key := must[iface.Key](t)(api.Key().Generate(ctx, "mine", options.Key.Type("ed25519")))
	renamed, overwritten, err := api.Key().Rename(ctx, "mine", "yours")
	check(t, err)
	if overwritten || renamed.ID() != key.ID() {
		t.Fatalf("renamed to %s", renamed.ID())
	}
	self := must[iface.Key](t)(api.Key().Self(ctx))
	var names []string
	for _, listed := range must[[]iface.Key](t)(api.Key().List(ctx)) {
		names = append(names, listed.Name())
	}
	if !slices.Equal(names, []string{"self", "yours"}) {
		t.Fatalf("listed %q", names)
	}
	_, signature, err := api.Key().Sign(ctx, "yours", []byte("data"))
	check(t, err)
	_, isValid, err := api.Key().Verify(ctx, "yours", signature, []byte("data"))
	check(t, err)
	_, isForged, err := api.Key().Verify(ctx, "self", signature, []byte("data"))
	check(t, err)
	if !isValid || isForged {
		t.Fatalf("valid %t, by another key %t", isValid, isForged)
	}

	target := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile([]byte("named"))))
	name, err := api.Name().Publish(ctx, target, options.Name.Key("yours"), options.Name.AllowOffline(true))
	check(t, err)
	if resolved := must[path.Path](t)(api.Name().Resolve(ctx, name.String())); resolved.String() != target.String() {
		t.Fatalf("resolved to %s", resolved)
	}
	for result := range must[<-chan iface.IpnsResult](t)(api.Name().Search(ctx, name.String())) {
		check(t, result.Err)
		if result.String() != target.String() {
			t.Fatalf("found %s", result)
		}
	}
	if text := content(t, must[files.Node](t)(api.Unixfs().Get(ctx, name.AsPath()))); text != "named" {
		t.Fatalf("got %q", text)
	}
	// Kubo publishes the empty directory under a new repository's own name.
	if own := must[path.Path](t)(api.Name().Resolve(ctx, self.ID().String())); own.String() != "/ipfs/"+emptyDirectory {
		t.Fatalf("the own name resolved to %s", own)
	}
	unpublished := must[iface.Key](t)(api.Key().Generate(ctx, "unpublished", options.Key.Type(options.Ed25519Key)))
	if _, err := api.Name().Resolve(ctx, unpublished.ID().String()); err == nil {
		t.Fatal("a name without a record resolved")
	}
	if removed := must[iface.Key](t)(api.Key().Remove(ctx, "yours")); removed.ID() != key.ID() {
		t.Fatalf("removed %s", removed.ID())
	}
}

func TestMutableFiles(t *testing.T) {
	ctx, api := open(t)
	write := api.Request("files/write", "/folder/file").Option("create", true).Option("parents", true).
		FileBody(bytes.NewReader([]byte("hello world\n")))
	check(t, write.Exec(ctx, nil))
	check(t, api.Request("files/cp", "/folder/file", "/copy").Exec(ctx, nil))
	check(t, api.Request("files/mv", "/copy", "/moved").Exec(ctx, nil))
	var stat struct {
		Hash string
		Size uint64
		Type string
	}
	check(t, api.Request("files/stat", "/moved").Exec(ctx, &stat))
	if stat.Hash != writtenHelloWorld || stat.Size != 12 || stat.Type != "file" {
		t.Fatalf("%+v", stat)
	}
	read := must[*rpc.Response](t)(api.Request("files/read", "/folder/file").Option("offset", 6).Send(ctx))
	if text := must[[]byte](t)(io.ReadAll(read.Output)); string(text) != "world\n" {
		t.Fatalf("read %q", text)
	}
	check(t, read.Close())
	var listing struct{ Entries []struct{ Name string } }
	check(t, api.Request("files/ls", "/").Exec(ctx, &listing))
	if len(listing.Entries) != 2 || listing.Entries[0].Name != "folder" || listing.Entries[1].Name != "moved" {
		t.Fatalf("listed %v", listing)
	}
	check(t, api.Request("files/rm", "/folder").Option("recursive", true).Exec(ctx, nil))
	if err := api.Request("files/stat", "/folder").Exec(ctx, &stat); err == nil || err.Error() != "file does not exist" {
		t.Fatalf("a removed folder: %v", err)
	}
}

func TestImportAndExport(t *testing.T) {
	ctx, api := open(t)
	added := must[path.ImmutablePath](t)(api.Unixfs().Add(ctx, files.NewBytesFile(bytes.Repeat([]byte("x"), 600_000))))
	exported := must[*rpc.Response](t)(api.Request("dag/export", added.String()).Send(ctx))
	car := must[[]byte](t)(io.ReadAll(exported.Output))
	check(t, exported.Close())

	_, other := open(t)
	imported := must[*rpc.Response](t)(other.Request("dag/import").FileBody(bytes.NewReader(car)).Send(ctx))
	if imported.Error != nil {
		t.Fatal(imported.Error)
	}
	var line struct {
		Root struct {
			Cid         cid.Cid
			PinErrorMsg string
		}
	}
	check(t, json.NewDecoder(imported.Output).Decode(&line))
	check(t, imported.Close())
	if line.Root.Cid != added.RootCid() || line.Root.PinErrorMsg != "" {
		t.Fatalf("%+v", line)
	}
	if text := content(t, must[files.Node](t)(other.Unixfs().Get(ctx, added))); len(text) != 600_000 {
		t.Fatalf("%d bytes came over", len(text))
	}
}
