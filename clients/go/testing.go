package standin

import (
	"context"
	"net/url"
	"os"
	"testing"
)

// ForTest returns a node for the test: it attaches to the node at STANDIN_URL if set, and starts one otherwise. After the
// test it removes all faults of an attached node and reverts its chain, and stops a started node.
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

// AssertRequested fails the test unless a recorded request matches the query, which has the parameters of Journal.
func (n *Node) AssertRequested(t testing.TB, query url.Values) {
	t.Helper()
	if len(n.recorded(t, query)) > 0 {
		return
	}
	var methods []string
	for _, request := range n.recorded(t, nil) {
		methods = append(methods, request.Method)
	}
	t.Errorf("no request matched %q; recorded methods: %v", query.Encode(), methods)
}

// AssertNotRequested fails the test if a recorded request matches the query.
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
