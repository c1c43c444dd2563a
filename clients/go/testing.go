package standin

import (
	"context"
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
