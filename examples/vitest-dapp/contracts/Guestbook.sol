// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Entries with their text on IPFS. Everyone may sign once a day.
contract Guestbook {
    error TooSoon(uint256 next);

    event Signed(address indexed guest, uint256 indexed index, string uri);

    mapping(address guest => uint256 time) public next;
    string[] public entries;

    function sign(string calldata uri) external {
        if (block.timestamp < next[msg.sender]) revert TooSoon(next[msg.sender]);
        next[msg.sender] = block.timestamp + 1 days;
        entries.push(uri);
        emit Signed(msg.sender, entries.length - 1, uri);
    }

    function count() external view returns (uint256) {
        return entries.length;
    }
}
