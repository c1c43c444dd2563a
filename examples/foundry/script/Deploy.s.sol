// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Counter} from "../src/Counter.sol";
import {vm} from "./Vm.sol";

/// Sends three transactions in three blocks. The counter has the same address on every new node.
contract Deploy {
  function run() external returns (Counter counter) {
    vm.startBroadcast();
    counter = new Counter{salt: 0}();
    counter.increase(5);
    counter.increase(37);
    vm.stopBroadcast();
  }
}
