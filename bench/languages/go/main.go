// Starts nodes one after another and prints the milliseconds from each start to its first answer.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/standin/standin-go"
)

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	for range make([]struct{}, rounds) {
		began := time.Now()
		node, err := standin.Start(context.Background())
		if err != nil {
			panic(err)
		}
		var chainID string
		if err := node.Call(context.Background(), &chainID, "eth_chainId"); err != nil {
			panic(err)
		}
		fmt.Println(float64(time.Since(began).Microseconds()) / 1000)
		node.Stop()
	}
}
