// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What this project uses of forge's cheatcodes; forge-std has them all.
interface Vm {
  function startBroadcast() external;
  function stopBroadcast() external;
  function createSelectFork(string calldata endpoint) external returns (uint256);
  function createSelectFork(string calldata endpoint, uint256 blockNumber) external returns (uint256);
  function prank(address sender) external;
  function expectRevert(bytes calldata data) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
