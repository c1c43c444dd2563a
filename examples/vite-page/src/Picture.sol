// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tokens for pictures. Each has an owner and the URI of its description on IPFS.
contract Picture {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    uint256 public count;
    mapping(uint256 id => address owner) public ownerOf;
    mapping(uint256 id => string uri) public tokenURI;

    function mint(string calldata uri) external returns (uint256 id) {
        id = count++;
        ownerOf[id] = msg.sender;
        tokenURI[id] = uri;
        emit Transfer(address(0), msg.sender, id);
    }
}
