// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Everything that the benchmark executes on a node.
contract Workload is ERC20 {
    mapping(uint256 => uint256) private visits;

    event Numbered(uint256 indexed number, uint256 place);

    constructor() payable ERC20("Workload", "WORK") {
        _mint(msg.sender, 1e30);
    }

    /// Emits `count` logs: Numbered(first, 0), Numbered(first + 1, 1), …
    function emitMany(uint256 first, uint256 count) external {
        for (uint256 i = 0; i < count; i++) {
            emit Numbered(first + i, i);
        }
    }

    /// Sends one wei each to `count` accounts, whose addresses are the numbers from `first` on.
    function fund(uint256 first, uint256 count) external {
        for (uint256 i = first; i < first + count; i++) {
            assembly {
                pop(call(gas(), i, 1, 0, 0, 0, 0))
            }
        }
    }

    /// Writes the slots `first` to `first + count - 1`.
    function fill(uint256 first, uint256 count) external {
        for (uint256 slot = first; slot < first + count; slot++) {
            assembly {
                sstore(slot, add(slot, 1))
            }
        }
    }

    /// Nested calls, each with a write.
    function descend(uint256 depth) public {
        visits[depth]++;
        if (depth > 0) this.descend(depth - 1);
    }

    /// Additions and multiplications, about 70 gas per iteration.
    function arithmetic(uint256 turns) external pure returns (uint256 result) {
        assembly {
            for { let i := 0 } lt(i, turns) { i := add(i, 1) } {
                result := add(mul(result, 3), xor(i, 7))
            }
        }
    }

    /// Hashes of a word, about 100 gas per iteration.
    function hashes(uint256 turns) external pure returns (uint256 result) {
        assembly {
            for { let i := 0 } lt(i, turns) { i := add(i, 1) } {
                mstore(0, result)
                result := keccak256(0, 32)
            }
        }
    }
}
