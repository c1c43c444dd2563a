// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Lends its funds, up to a limit set by an oracle.
contract Oracle {
    uint256 public limit;

    error LimitExceeded(uint256 wanted, uint256 allowed);

    constructor(uint256 initial) {
        limit = initial;
    }

    function setLimit(uint256 next) external {
        limit = next;
    }

    function check(uint256 wanted) external view returns (bool) {
        if (wanted > limit) {
            revert LimitExceeded(wanted, limit);
        }
        return true;
    }
}

contract Vault {
    Oracle public immutable oracle;
    string public name;
    mapping(address => uint256) public balanceOf;

    event Deposited(address indexed account, uint256 amount);
    event Withdrawn(address indexed account, uint256 amount);

    constructor(Oracle source, string memory title) {
        oracle = source;
        name = title;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        oracle.check(amount);
        emit Withdrawn(msg.sender, amount);
        payable(msg.sender).transfer(amount);
    }
}
