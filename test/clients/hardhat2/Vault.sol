// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "hardhat/console.sol";

/// Ether that its owner gets back after a time, and every kind of failure.
contract Vault {
    uint256 public unlockTime;
    uint256 public number;
    address public owner;

    event Withdrawal(uint256 amount);
    event NumberSet(address indexed by, uint256 indexed number);

    error Refused(uint256 code, string reason);

    constructor(uint256 time) payable {
        require(time > block.timestamp, "too late");
        unlockTime = time;
        owner = msg.sender;
    }

    function withdraw() external {
        console.log("withdraw at %s", block.timestamp);
        require(block.timestamp >= unlockTime, "too early");
        require(msg.sender == owner, "not the owner");
        emit Withdrawal(address(this).balance);
        payable(owner).transfer(address(this).balance);
    }

    function setNumber(uint256 value) external {
        number = value;
        emit NumberSet(msg.sender, value);
    }

    function refuse() external {
        number = 1;
        revert Refused(7, "no");
    }

    function failSilently() external pure {
        require(false);
    }

    function divide(uint256 by) external pure returns (uint256) {
        return 1 / by;
    }
}
