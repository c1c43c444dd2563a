"""titanoboa sends `Origin: Titanoboa`, which is no page's origin, and uses evm_snapshot and evm_revert."""

import boa
import pytest
from eth_account import Account
from standin_client import Node

SOURCE = """
number: public(uint256)

event Numbered:
    number: uint256

@external
def set_number(number: uint256):
    assert number != 13, "unlucky"
    self.number = number
    log Numbered(number=number)
"""


def test_deploys_calls_and_reverts(standin: Node) -> None:
    with boa.set_network_env(standin.url):
        boa.env.add_account(Account.from_key(standin.accounts[0]["privateKey"]), force_eoa=True)
        contract = boa.loads(SOURCE)
        contract.set_number(7)
        assert contract.number() == 7
        with pytest.raises(boa.BoaError):
            contract.set_number(13)
        with boa.env.anchor():
            contract.set_number(8)
            assert contract.number() == 8
        assert contract.number() == 7
