package standin

import (
	"context"
	"net/url"
	"os"
	"testing"
)

// ForTest gives the test a node: the one at STANDIN_URL, or else one of its own. Afterwards an attached node has no
// faults and its chain is as it was before; a started one has ended.
func ForTest(t testing.TB, options ...string) *Node {
	t.Helper()
	ctx := context.Background()
	address := os.Getenv("STANDIN_URL")
	if address == "" {
		node, err := Start(ctx, options...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(node.Stop)
		return node
	}
	node, err := Attach(address)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := node.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.ClearFaults(ctx); err != nil {
			t.Error(err)
		}
		if err := node.Revert(ctx, snapshot); err != nil {
			t.Error(err)
		}
	})
	return node
}

// AssertRequested fails the test unless a recorded request matches; the query is that of Journal.
func (n *Node) AssertRequested(t testing.TB, query url.Values) {
	t.Helper()
	if len(n.recorded(t, query)) > 0 {
		return
	}
	var methods []string
	for _, request := range n.recorded(t, nil) {
		methods = append(methods, request.Method)
	}
	t.Errorf("no request matched %q; there were %v", query.Encode(), methods)
}

// AssertNotRequested fails the test if a recorded request matches.
func (n *Node) AssertNotRequested(t testing.TB, query url.Values) {
	t.Helper()
	if found := n.recorded(t, query); len(found) > 0 {
		t.Errorf("%d requests matched %q", len(found), query.Encode())
	}
}

func (n *Node) recorded(t testing.TB, query url.Values) []JournalEntry {
	t.Helper()
	found, err := n.Journal(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
