// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Counter {
    uint256 public value;

    function increase(uint256 by) external {
        require(by > 0, "nothing to add");
        value += by;
    }
}
