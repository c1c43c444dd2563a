package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"mime/multipart"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/trie"
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

func TestFaultIsReturnedAndRecorded(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	node := standin.ForTest(t)
	if err := node.AddFault(ctx, standin.Fault{
		ID:     "tired",
		Match:  &standin.FaultMatch{Method: []string{"eth_gasPrice"}, Nth: []int64{1}},
		Action: standin.FaultAction{Type: "error", Code: standin.Optional(int64(-32099)), Message: "tired"},
	}); err != nil {
		t.Fatal(err)
	}
	var rpcError *standin.RPCError
	if err := node.Call(ctx, nil, "eth_gasPrice"); !errors.As(err, &rpcError) || rpcError.Code != -32099 {
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
	entry, err := node.WaitForRequest(ctx, url.Values{"method": {"eth_gasPrice"}, "failed": {"true"}})
	if err != nil || len(entry.Faults) != 1 || entry.Faults[0] != "tired" || entry.Error.Code != -32099 {
		t.Fatalf("entry %+v, %v", entry, err)
	}
	if faults, err := node.Faults(ctx); err != nil || len(faults) != 1 || faults[0].Hits != 1 {
		t.Fatalf("faults %+v, %v", faults, err)
	}
	node.AssertRequested(t, url.Values{"method": {"eth_gasPrice"}, "failed": {"true"}})
	node.AssertNotRequested(t, url.Values{"method": {"eth_accounts"}})
}

func TestKeyDistinguishesRequests(t *testing.T) {
	ctx := context.Background()
	node := standin.ForTest(t)
	key, err := node.CreateKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := standin.Attach(key.URL)
	if err != nil {
		t.Fatal(err)
	}
	if mine.WSURL != key.WSURL {
		t.Fatalf("%s, not %s", mine.WSURL, key.WSURL)
	}
	for _, each := range []*standin.Node{mine, node} {
		if err := each.Call(ctx, nil, "eth_chainId"); err != nil {
			t.Fatal(err)
		}
	}
	found, err := node.Journal(ctx, url.Values{"key": {key.Key}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d requests, %v", len(found), err)
	}
	if err := node.RemoveKey(ctx, key); err != nil {
		t.Fatal(err)
	}
}

func TestProofAndLogs(t *testing.T) {
	ctx := context.Background()
	node := standin.ForTest(t)
	client, err := ethclient.DialContext(ctx, node.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	// PUSH1 42 PUSH1 0 MSTORE, PUSH1 9 PUSH1 32 PUSH1 0 LOG1 STOP: init code that logs the number 42 with topic 9.
	creation := map[string]string{"from": node.Accounts[0].Address, "data": "0x602a600052600960206000a100"}
	if err := node.Call(ctx, nil, "eth_sendTransaction", creation); err != nil {
		t.Fatal(err)
	}
	logs, err := client.FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: big.NewInt(0), Topics: [][]common.Hash{{common.BigToHash(big.NewInt(9))}},
	})
	if err != nil || len(logs) != 1 || new(big.Int).SetBytes(logs[0].Data).Int64() != 42 {
		t.Fatalf("%v, %v", logs, err)
	}
	account := common.HexToAddress(node.Accounts[1].Address)
	proof, err := gethclient.New(client.Client()).GetProof(ctx, account, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	header, err := client.HeaderByNumber(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes := memorydb.New()
	for _, encoded := range proof.AccountProof {
		value := common.FromHex(encoded)
		if err := nodes.Put(crypto.Keccak256(value), value); err != nil {
			t.Fatal(err)
		}
	}
	leaf, err := trie.VerifyProof(header.Root, crypto.Keccak256(account.Bytes()), nodes)
	if err != nil || len(leaf) == 0 {
		t.Fatalf("the proof does not lead to the account: %v", err)
	}
}

func TestUpload(t *testing.T) {
	node := standin.ForTest(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "hello")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("hello world\n"))
	_ = form.Close()
	response, err := http.Post(node.IPFSURL+"/api/v0/add", form.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var line struct{ Hash string }
	if err := json.NewDecoder(response.Body).Decode(&line); err != nil {
		t.Fatal(err)
	}
	// The CID that `ipfs add` prints for these bytes.
	if line.Hash != "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o" {
		t.Fatal(line.Hash)
	}
}

func TestAttachRestoresTheChain(t *testing.T) {
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
