// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Counter} from "../src/Counter.sol";
import {vm} from "../script/Vm.sol";

/// Reads the state that script/Deploy.s.sol left on the node. Changes by tests stay in forge.
contract CounterTest {
  /// CREATE2 deployer, which every node has from genesis.
  address constant deployer = 0x4e59b44847b379578588920cA78FbF26c0B4956C;
  Counter counter;

  function setUp() external {
    vm.createSelectFork("standin");
    bytes32 code = keccak256(type(Counter).creationCode);
    counter = Counter(address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), deployer, bytes32(0), code))))));
  }

  function testGoesOnFromTheDeployedState() external {
    require(counter.value() == 42, "deployed value");
    vm.prank(address(0xbeef));
    counter.increase(1);
    require(counter.value() == 43, "value after");
  }

  function testRefusesTooMuch() external {
    vm.expectRevert(abi.encodeWithSelector(Counter.TooMuch.selector, 101, 100));
    counter.increase(101);
  }

  function testReadsAnEarlierBlock() external {
    vm.createSelectFork("standin", 2);
    require(counter.value() == 5, "value at block 2");
  }
}
