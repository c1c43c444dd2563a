package sdktest

import (
	"context"
	"errors"
	"math/big"
	"net/url"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	standin "github.com/standin/standin-go"
)

func TestTransactionAndHeadOverWebSocket(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	node := standin.ForTest(t)
	client, err := ethclient.DialContext(ctx, node.WSURL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	heads := make(chan *types.Header, 4)
	subscription, err := client.SubscribeNewHead(ctx, heads)
	if err != nil {
		t.Fatal(err)
	}
	defer subscription.Unsubscribe()
	key, err := crypto.HexToECDSA(node.Accounts[0].PrivateKey[2:])
	if err != nil {
		t.Fatal(err)
	}
	chainID, err := client.ChainID(ctx)
	if err != nil {
		t.Fatal(err)
	}
	to := common.HexToAddress("0xa11ce")
	transaction, err := types.SignNewTx(key, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, To: &to, Value: big.NewInt(7), Gas: 21000,
		GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(100_000_000_000),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.SendTransaction(ctx, transaction); err != nil {
		t.Fatal(err)
	}
	if err := node.Mine(ctx, 1); err != nil {
		t.Fatal(err)
	}
	select {
	case <-heads:
	case <-ctx.Done():
		t.Fatal("no head")
	}
	receipt, err := client.TransactionReceipt(ctx, transaction.Hash())
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Status != 1 || receipt.GasUsed != 21000 {
		t.Fatalf("status %d, gas %d", receipt.Status, receipt.GasUsed)
	}
	balance, err := client.BalanceAt(ctx, to, nil)
	if err != nil || balance.Int64() != 7 {
		t.Fatalf("balance %v, %v", balance, err)
	}
}

func TestFaultIsMetAndRecorded(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	node := standin.ForTest(t)
	if err := node.AddFault(ctx, standin.Fault{
		Match:  map[string]any{"method": "eth_gasPrice", "nth": 1},
		Action: map[string]any{"type": "error", "code": -32099, "message": "tired"},
	}); err != nil {
		t.Fatal(err)
	}
	var met *standin.RPCError
	if err := node.Call(ctx, nil, "eth_gasPrice"); !errors.As(err, &met) || met.Code != -32099 {
		t.Fatalf("got %v", err)
	}
	client, err := ethclient.DialContext(ctx, node.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if price, err := client.SuggestGasPrice(ctx); err != nil || price.Sign() <= 0 {
		t.Fatalf("price %v, %v", price, err)
	}
	if _, err := node.WaitForRequest(ctx, url.Values{"method": {"eth_gasPrice"}, "failed": {"true"}}); err != nil {
		t.Fatal(err)
	}
}

func TestAttachKeepsTheChain(t *testing.T) {
	ctx := context.Background()
	node := standin.ForTest(t)
	t.Setenv("STANDIN_URL", node.URL)
	head := func() (number string) {
		if err := node.Call(ctx, &number, "eth_blockNumber"); err != nil {
			t.Fatal(err)
		}
		return number
	}
	before := head()
	t.Run("attached", func(t *testing.T) {
		attached := standin.ForTest(t)
		if attached.WSURL != node.WSURL {
			t.Fatalf("%s, not %s", attached.WSURL, node.WSURL)
		}
		if err := attached.Mine(ctx, 3); err != nil {
			t.Fatal(err)
		}
		if head() == before {
			t.Fatal("nothing was mined")
		}
	})
	if after := head(); after != before {
		t.Fatalf("head %s, not %s", after, before)
	}
}
