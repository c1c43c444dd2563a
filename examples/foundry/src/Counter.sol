// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Counter {
  uint256 public value;

  event Increased(address indexed by, uint256 value);
  error TooMuch(uint256 given, uint256 most);

  function increase(uint256 by) external {
    if (by > 100) revert TooMuch(by, 100);
    value += by;
    emit Increased(msg.sender, value);
  }
}
