// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Pictures with an owner each, by the address of their description on the file network.
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
