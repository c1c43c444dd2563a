package sdktest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
	standin "github.com/standin/standin-go"
)

// A node with a client and its first account.
type session struct {
	ctx     context.Context
	node    *standin.Node
	client  *ethclient.Client
	key     *ecdsa.PrivateKey
	from    common.Address
	chainID *big.Int
}

func open(t *testing.T) *session {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	node := standin.ForTest(t)
	client, err := ethclient.DialContext(ctx, node.WSURL)
	check(t, err)
	t.Cleanup(client.Close)
	key, err := crypto.HexToECDSA(node.Accounts[0].PrivateKey[2:])
	check(t, err)
	chainID, err := client.ChainID(ctx)
	check(t, err)
	return &session{ctx, node, client, key, crypto.PubkeyToAddress(key.PublicKey), chainID}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *session) send(t *testing.T, inner types.TxData) *types.Receipt {
	t.Helper()
	signed, err := types.SignNewTx(s.key, types.LatestSignerForChainID(s.chainID), inner)
	check(t, err)
	check(t, s.client.SendTransaction(s.ctx, signed))
	receipt, err := bind.WaitMined(s.ctx, s.client, signed.Hash())
	check(t, err)
	if receipt.Status != types.ReceiptStatusSuccessful || receipt.Type != signed.Type() {
		t.Fatalf("status %d, type %d", receipt.Status, receipt.Type)
	}
	return receipt
}

// Reads a compiled contract from the fixtures.
func artifact(t *testing.T, name string) (abi.ABI, []byte) {
	t.Helper()
	text, err := os.ReadFile("../../../fixtures/contracts/artifacts/" + name + ".json")
	check(t, err)
	var compiled struct {
		ABI      json.RawMessage
		Bytecode hexutil.Bytes
	}
	check(t, json.Unmarshal(text, &compiled))
	parsed, err := abi.JSON(bytes.NewReader(compiled.ABI))
	check(t, err)
	return parsed, compiled.Bytecode
}

func (s *session) deploy(t *testing.T, name string, arguments ...any) (*bind.BoundContract, common.Address) {
	t.Helper()
	parsed, code := artifact(t, name)
	packed, err := parsed.Pack("", arguments...)
	check(t, err)
	options := bind.NewKeyedTransactor(s.key, s.chainID)
	address, transaction, err := bind.DeployContract(options, code, s.client, packed)
	check(t, err)
	_, err = bind.WaitDeployed(s.ctx, s.client, transaction.Hash())
	check(t, err)
	return bind.NewBoundContract(address, parsed, s.client, s.client, s.client), address
}

func TestAllTransactionTypes(t *testing.T) {
	s := open(t)
	to := common.HexToAddress("0xa11ce")
	price, tip := big.NewInt(100_000_000_000), big.NewInt(1)
	list := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}}}}
	nonce := uint64(0)
	next := func() uint64 { nonce++; return nonce - 1 }
	s.send(t, &types.LegacyTx{Nonce: next(), To: &to, Value: tip, Gas: 21_000, GasPrice: price})
	s.send(t, &types.AccessListTx{ChainID: s.chainID, Nonce: next(), To: &to, Value: tip, Gas: 50_000, GasPrice: price, AccessList: list})
	s.send(t, &types.DynamicFeeTx{ChainID: s.chainID, Nonce: next(), To: &to, Value: tip, Gas: 21_000, GasFeeCap: price, GasTipCap: tip})

	var blob kzg4844.Blob
	commitment, err := kzg4844.BlobToCommitment(&blob)
	check(t, err)
	proofs, err := kzg4844.ComputeCellProofs(&blob)
	check(t, err)
	sidecar := types.NewBlobTxSidecar(types.BlobSidecarVersion1, []kzg4844.Blob{blob}, []kzg4844.Commitment{commitment}, proofs)
	receipt := s.send(t, &types.BlobTx{
		ChainID: uint256.MustFromBig(s.chainID), Nonce: next(), To: to, Gas: 21_000,
		GasFeeCap: uint256.MustFromBig(price), GasTipCap: uint256.NewInt(1), BlobFeeCap: uint256.NewInt(1_000_000_000),
		BlobHashes: sidecar.BlobHashes(), Sidecar: sidecar,
	})
	if receipt.BlobGasUsed != 131_072 {
		t.Fatalf("blob gas %d", receipt.BlobGasUsed)
	}

	authority, err := crypto.HexToECDSA(s.node.Accounts[1].PrivateKey[2:])
	check(t, err)
	authorization, err := types.SignSetCode(authority, types.SetCodeAuthorization{ChainID: *uint256.MustFromBig(s.chainID), Address: to})
	check(t, err)
	s.send(t, &types.SetCodeTx{
		ChainID: uint256.MustFromBig(s.chainID), Nonce: next(), To: to, Gas: 100_000,
		GasFeeCap: uint256.MustFromBig(price), GasTipCap: uint256.NewInt(1), AuthList: []types.SetCodeAuthorization{authorization},
	})
	code, err := s.client.CodeAt(s.ctx, crypto.PubkeyToAddress(authority.PublicKey), nil)
	check(t, err)
	if delegate, ok := types.ParseDelegation(code); !ok || delegate != to {
		t.Fatalf("code %x", code)
	}
}

func TestContractsLogsAndReverts(t *testing.T) {
	s := open(t)
	token, address := s.deploy(t, "Token", "Gold", "GLD", big.NewInt(1000))
	logs := make(chan types.Log, 4)
	subscription, err := s.client.SubscribeFilterLogs(s.ctx, ethereum.FilterQuery{Addresses: []common.Address{address}}, logs)
	check(t, err)
	defer subscription.Unsubscribe()
	to := common.HexToAddress("0xa11ce")
	options := bind.NewKeyedTransactor(s.key, s.chainID)
	parsed, _ := artifact(t, "Token")
	packed, err := parsed.Pack("transfer", to, big.NewInt(7))
	check(t, err)
	transaction, err := bind.Transact(token, options, packed)
	check(t, err)
	receipt, err := bind.WaitMined(s.ctx, s.client, transaction.Hash())
	check(t, err)
	select {
	case pushed := <-logs:
		if pushed.TxHash != transaction.Hash() || pushed.Topics[0] != parsed.Events["Transfer"].ID {
			t.Fatalf("log %v", pushed)
		}
	case <-s.ctx.Done():
		t.Fatal("no log")
	}
	read, err := s.client.FilterLogs(s.ctx, ethereum.FilterQuery{BlockHash: &receipt.BlockHash})
	check(t, err)
	if len(read) != 1 || new(big.Int).SetBytes(read[0].Data).Int64() != 7 {
		t.Fatalf("logs %v", read)
	}

	_, reverter := s.deploy(t, "Reverter")
	reverting, _ := artifact(t, "Reverter")
	input, err := reverting.Pack("revertWithReason", "sorry")
	check(t, err)
	_, err = s.client.CallContract(s.ctx, ethereum.CallMsg{To: &reverter, Data: input}, nil)
	var failure rpc.DataError
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), "execution reverted: sorry") {
		t.Fatalf("got %v", err)
	}
	data, _ := failure.ErrorData().(string)
	if reason, err := abi.UnpackRevert(hexutil.MustDecode(data)); err != nil || reason != "sorry" {
		t.Fatalf("reason %q, %v", reason, err)
	}
}

func TestProofAndPendingBlock(t *testing.T) {
	s := open(t)
	s.send(t, &types.LegacyTx{To: &s.from, Gas: 21_000, GasPrice: big.NewInt(100_000_000_000)})
	head, err := s.client.HeaderByNumber(s.ctx, nil)
	check(t, err)
	var proof struct {
		AccountProof []hexutil.Bytes
	}
	check(t, s.client.Client().CallContext(s.ctx, &proof, "eth_getProof", s.from, []string{}, hexutil.EncodeBig(head.Number)))
	nodes := memorydb.New()
	for _, node := range proof.AccountProof {
		check(t, nodes.Put(crypto.Keccak256(node), node))
	}
	found, err := trie.VerifyProof(head.Root, crypto.Keccak256(s.from[:]), nodes)
	check(t, err)
	var account types.StateAccount
	check(t, rlp.DecodeBytes(found, &account))
	balance, err := s.client.BalanceAt(s.ctx, s.from, head.Number)
	check(t, err)
	if account.Nonce != 1 || account.Balance.ToBig().Cmp(balance) != 0 {
		t.Fatalf("account %v, balance %v", account, balance)
	}
}

// The table in docs/guides/clients-under-faults.md: ethclient never retries.
func TestFaults(t *testing.T) {
	for name, action := range map[string]standin.FaultAction{
		"429":        {Type: "quota", Span: "second"},
		"402":        {Type: "quota", Span: "day"},
		"503":        {Type: "outage"},
		"-32000":     {Type: "error", Code: standin.Optional(int64(-32000)), Message: "header not found"},
		"connection": {Type: "close"},
		"cut":        {Type: "cut", Bytes: standin.Optional(int64(10))},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			node := standin.ForTest(t)
			match := standin.FaultMatch{Method: []string{"eth_blockNumber"}, Nth: []int64{1}}
			check(t, node.AddFault(ctx, standin.Fault{Match: &match, Action: action}))
			client, err := ethclient.DialContext(ctx, node.URL)
			check(t, err)
			defer client.Close()
			if _, err := client.BlockNumber(ctx); err == nil {
				t.Fatal("the client retried the request")
			}
			if _, err := client.BlockNumber(ctx); err != nil {
				t.Fatal(err)
			}
		})
	}
}
