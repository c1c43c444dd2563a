// Runs a suite of go-ethereum's ethclient once for each line of standard input: URL WEBSOCKET_URL PRIVATE_KEY.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

var recipient = common.HexToAddress("0x00000000000000000000000000000000000c0ffe")

func main() {
	source, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var artifact struct {
		Abi      json.RawMessage
		Bytecode string
	}
	if err := json.Unmarshal(source, &artifact); err != nil {
		panic(err)
	}
	token, err := abi.JSON(strings.NewReader(string(artifact.Abi)))
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if err := run(words[0], words[1], words[2], token, common.FromHex(artifact.Bytecode)); err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
}

func run(url, wsURL, key string, token abi.ABI, code []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client, err := ethclient.Dial(url)
	if err != nil {
		return err
	}
	defer client.Close()
	pushed, err := ethclient.Dial(wsURL)
	if err != nil {
		return err
	}
	defer pushed.Close()
	heads := make(chan *types.Header, 100)
	subscription, err := pushed.SubscribeNewHead(ctx, heads)
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	defer subscription.Unsubscribe()
	private, err := crypto.HexToECDSA(strings.TrimPrefix(key, "0x"))
	if err != nil {
		return err
	}
	chainID, err := client.ChainID(ctx)
	if err != nil {
		return err
	}
	options, err := bind.NewKeyedTransactorWithChainID(private, chainID)
	if err != nil {
		return err
	}
	options.Context = ctx
	address, deployment, contract, err := bind.DeployContract(options, token, code, client, "Gold", "GLD", big.NewInt(1000))
	if err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	if _, err := bind.WaitMined(ctx, client, deployment); err != nil {
		return fmt.Errorf("wait for the deployment: %w", err)
	}
	transfer, err := contract.Transact(options, "transfer", recipient, big.NewInt(250))
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	receipt, err := bind.WaitMined(ctx, client, transfer)
	if err != nil {
		return fmt.Errorf("wait for the transfer: %w", err)
	}
	if receipt.Status != 1 || receipt.TxHash != transfer.Hash() || len(receipt.Logs) != 1 {
		return fmt.Errorf("receipt: %+v", receipt)
	}
	var balance []any
	if err := contract.Call(&bind.CallOpts{Context: ctx}, &balance, "balanceOf", recipient); err != nil {
		return fmt.Errorf("balance: %w", err)
	}
	if balance[0].(*big.Int).Int64() != 250 {
		return fmt.Errorf("balance: %v", balance[0])
	}
	logs, err := client.FilterLogs(ctx, ethereum.FilterQuery{BlockHash: &receipt.BlockHash, Addresses: []common.Address{address}})
	if err != nil || len(logs) != 1 || logs[0].TxHash != transfer.Hash() {
		return fmt.Errorf("logs: %v %v", logs, err)
	}
	input, _ := token.Pack("transfer", recipient, big.NewInt(5000))
	_, err = client.CallContract(ctx, ethereum.CallMsg{From: options.From, To: &address, Data: input}, nil)
	var data interface{ ErrorData() any }
	if !errors.As(err, &data) || data.ErrorData() == nil {
		return fmt.Errorf("revert: %v", err)
	}
	if _, err := client.TransactionReceipt(ctx, common.Hash{1}); !errors.Is(err, ethereum.NotFound) {
		return fmt.Errorf("receipt of nothing: %v", err)
	}
	select {
	case head := <-heads:
		if head.Number.Sign() == 0 {
			return errors.New("head: genesis")
		}
	case <-ctx.Done():
		return errors.New("no head was pushed")
	}
	return nil
}
