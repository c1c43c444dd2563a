// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// A number behind a proxy.
contract Box {
    uint256 public number;

    error AlreadyInitialized(uint256 number);

    function initialize(uint256 value) external {
        if (number != 0) revert AlreadyInitialized(number);
        number = value;
    }
}

/// The same with one more function.
contract LargerBox is Box {
    function increment() external {
        number++;
    }
}

/// A layout that a proxy of a box must not get.
contract WrongBox {
    address public first;
    uint256 public number;
}

/// A box that upgrades itself.
contract OwnBox is Box, UUPSUpgradeable {
    function _authorizeUpgrade(address) internal view override {
        require(number > 0, "not initialized");
    }
}

contract LargerOwnBox is OwnBox {
    function increment() external {
        number++;
    }
}
