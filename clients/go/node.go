// Package standin starts a Standin node, or attaches to one, for tests.
package standin

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Account is an unlocked account of the node's chain.
type Account struct {
	Address    string `json:"address"`
	PrivateKey string `json:"privateKey"`
}

// Node is a running node, as its ready line describes it. An attached node has no IPFSURL and no Accounts.
type Node struct {
	URL      string    `json:"url"`
	WSURL    string    `json:"wsUrl"`
	IPFSURL  string    `json:"ipfsUrl"`
	Accounts []Account `json:"accounts"`

	command *exec.Cmd
	exited  chan struct{}
}

// RPCError is the error object of a JSON-RPC response.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *RPCError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// ControlError is a response of the control API with a status other than 2xx.
type ControlError struct {
	Status int
	Body   string
}

func (e *ControlError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.Status, e.Body) }

// Start starts a node and waits for its ready line. A shell runs the command STANDIN_COMMAND, which defaults to
// "npx --yes standin". The node exits when this process exits, even if it is killed.
func Start(ctx context.Context, options ...string) (*Node, error) {
	command := os.Getenv("STANDIN_COMMAND")
	if command == "" {
		command = "npx --yes standin"
	}
	words := append([]string{"-c", "exec " + command + ` "$@"`, "sh", "--json", "--port", "0", "--ipfs-port", "0",
		"--parent-pid", strconv.Itoa(os.Getpid())}, options...)
	process := exec.Command("sh", words...)
	process.Stderr = os.Stderr
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	node := &Node{command: process, exited: make(chan struct{})}
	ready := make(chan error, 1)
	go func() {
		reader := bufio.NewReader(output)
		line, err := reader.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, node)
		}
		ready <- err
		// Keep reading: a full pipe would block the node.
		_, _ = io.Copy(io.Discard, reader)
		_ = process.Wait()
		close(node.exited)
	}()
	select {
	case err = <-ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = process.Process.Kill()
		return nil, fmt.Errorf("standin: no ready line from %q: %w", command, err)
	}
	return node, nil
}

// Attach attaches to the running node with this JSON-RPC URL, which includes its key.
func Attach(address string) (*Node, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	socket := *parsed
	socket.Scheme = map[string]string{"http": "ws", "https": "wss"}[parsed.Scheme]
	if socket.Scheme == "" {
		return nil, fmt.Errorf("standin: not an HTTP URL: scheme %q", parsed.Scheme)
	}
	socket.Path = "/ws" + parsed.Path
	return &Node{URL: address, WSURL: socket.String()}, nil
}

// Stop stops the node's process. An attached node keeps running.
func (n *Node) Stop() {
	if n.command == nil {
		return
	}
	_ = n.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-n.exited:
	case <-time.After(5 * time.Second):
		_ = n.command.Process.Kill()
		<-n.exited
	}
}

// Call calls a JSON-RPC method and decodes its result, unless result is nil. It returns an *RPCError if the response is
// an error object.
func (n *Node) Call(ctx context.Context, result any, method string, parameters ...any) error {
	if parameters == nil {
		parameters = []any{}
	}
	call := map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
	var answer struct {
		Result json.RawMessage
		Error  *RPCError
	}
	if err := send(ctx, http.MethodPost, n.URL, call, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// Control calls the control API at /_standin + path. It returns a *ControlError for a status other than 2xx.
func (n *Node) Control(ctx context.Context, method, path string, body, result any) error {
	parsed, err := url.Parse(n.URL)
	if err != nil {
		return err
	}
	return send(ctx, method, parsed.Scheme+"://"+parsed.Host+"/_standin"+path, body, result)
}

// Snapshot takes a snapshot of the chain and returns its ID for Revert.
func (n *Node) Snapshot(ctx context.Context) (string, error) {
	var id string
	err := n.Call(ctx, &id, "evm_snapshot")
	return id, err
}

// Revert restores a snapshot of the chain. Each snapshot can be used once.
func (n *Node) Revert(ctx context.Context, snapshot string) error {
	var found bool
	if err := n.Call(ctx, &found, "evm_revert", snapshot); err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("standin: no snapshot %s", snapshot)
	}
	return nil
}

// Mine mines the given number of blocks. Pending transactions go into the first ones.
func (n *Node) Mine(ctx context.Context, blocks uint64) error {
	return n.Call(ctx, nil, "hardhat_mine", "0x"+strconv.FormatUint(blocks, 16))
}

// IncreaseTime advances the clock of the following blocks by whole seconds.
func (n *Node) IncreaseTime(ctx context.Context, by time.Duration) error {
	return n.Call(ctx, nil, "evm_increaseTime", int64(by/time.Second))
}

// SetNextBlockTimestamp sets the timestamp of the next block.
func (n *Node) SetNextBlockTimestamp(ctx context.Context, to time.Time) error {
	return n.Call(ctx, nil, "evm_setNextBlockTimestamp", to.Unix())
}

// Optional returns a pointer to value, for optional fields.
func Optional[T any](value T) *T { return &value }

// Faults lists the active faults.
func (n *Node) Faults(ctx context.Context) ([]FaultReport, error) {
	var faults []FaultReport
	err := n.Control(ctx, http.MethodGet, "/faults", nil, &faults)
	return faults, err
}

// AddFault sets a fault.
func (n *Node) AddFault(ctx context.Context, fault Fault) error {
	return n.Control(ctx, http.MethodPost, "/faults", map[string]any{"faults": []Fault{fault}}, nil)
}

// ClearFaults removes all faults.
func (n *Node) ClearFaults(ctx context.Context) error {
	return n.Control(ctx, http.MethodDelete, "/faults", nil, nil)
}

// Journal lists recorded requests, oldest first. It accepts the query parameters of GET /_standin/requests.
func (n *Node) Journal(ctx context.Context, query url.Values) ([]JournalEntry, error) {
	var found []JournalEntry
	err := n.Control(ctx, http.MethodGet, "/requests?"+query.Encode(), nil, &found)
	return found, err
}

// WaitForRequest waits for the first recorded request that matches, until the context ends.
func (n *Node) WaitForRequest(ctx context.Context, query url.Values) (JournalEntry, error) {
	for {
		found, err := n.Journal(ctx, query)
		if err != nil {
			return JournalEntry{}, err
		}
		if len(found) > 0 {
			return found[0], nil
		}
		select {
		case <-ctx.Done():
			return JournalEntry{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Key is an API key for one test, with the URLs that contain it.
type Key struct {
	Key, Secret, URL, WSURL string
}

// CreateKey adds a key with a secret for one test. Quotas, allowlists and the journal distinguish tests by their keys.
func (n *Node) CreateKey(ctx context.Context) (Key, error) {
	key, secret := randomName(), randomName()
	err := n.Control(ctx, http.MethodPut, "/keys/"+key, map[string]string{"secret": secret}, nil)
	return Key{key, secret, withKey(n.URL, key), withKey(n.WSURL, key)}, err
}

// RemoveKey removes a key and closes its connections.
func (n *Node) RemoveKey(ctx context.Context, key Key) error {
	return n.Control(ctx, http.MethodDelete, "/keys/"+key.Key, nil, nil)
}

func randomName() string {
	bytes := make([]byte, 16)
	_, _ = rand.Read(bytes)
	return hex.EncodeToString(bytes)
}

func withKey(address, key string) string {
	return address[:strings.LastIndex(address, "/")+1] + key
}

func send(ctx context.Context, method, address string, body, result any) error {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return &ControlError{response.StatusCode, string(data)}
	}
	if result == nil || len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, result)
}
