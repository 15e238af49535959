"""Laws of addresses: one canonical form, reached at once, from whatever is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.page.addresses import address_key, address_site, canonical_address
from crawler.discovery.addresses import complete_address, split_addresses

_PIECES = [
    *"aB%2e./;?=&#:@[]~ é한\t\n\\|'\"",
    "\ud800",
    "%41",
    "%2F",
    "%c7",
    "..",
    "utm_x=1",
    ";jsessionid=1",
    "//",
]
_written = st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)
addresses = st.one_of(
    _written.map(lambda text: f"http://a.example/{text}"),
    _written.map(lambda text: f"HTTPS://{text}"),
    _written,
    st.text(max_size=30),
)


@given(addresses)
def test_canonical_form_is_reached_at_once(url: str) -> None:
    canonical = canonical_address(url)
    assert canonical_address(canonical) == canonical
    assert address_key(canonical) == address_key(url)


@given(addresses)
def test_nothing_that_can_be_written_raises(url: str) -> None:
    address_site(url)
    for part in split_addresses(url):
        complete_address(part)


@given(
    st.lists(st.sampled_from("abcdef"), unique=True).flatmap(
        lambda names: st.tuples(st.permutations(names), st.permutations(names))
    )
)
def test_the_order_of_parameters_does_not_matter(orders: tuple[list[str], list[str]]) -> None:
    one, other = ("&".join(f"{name}=1" for name in order) for order in orders)
    assert canonical_address(f"http://a.example/?{one}") == canonical_address(
        f"http://a.example/?{other}"
    )


@given(_written)
def test_fragment_and_tracking_do_not_matter(text: str) -> None:
    base = "http://a.example/page?id=1"
    assert canonical_address(f"{base}#{text}") == base
    assert canonical_address(f"{base}&utm_source=x") == base
