"""Which addresses a crawler may dial at all.

Pages are written by strangers, and a link may point into the network the crawler runs in. What is not a public
unicast address of the internet is refused, however it is written; names are judged by the addresses they resolve to.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

_CLOSED_4 = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's metadata service lives on a public address
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast and reserved
    )
)
_OPEN_6 = ip_network("2000::/3")
_CLOSED_6 = tuple(
    ip_network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address in disguise
        "3ffe::/16",
        "3fff::/20",
    )
)
_NAT64 = ip_network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)

# The ports browsers refuse (WHATWG Fetch, "port blocking").
# fmt: off
_CLOSED_PORTS = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
))
# fmt: on


def public(text: str) -> bool:
    """True for the address of a public host; what is no address at all is not one."""
    address = parsed(text)
    return address is not None and _public(address)


def parsed(text: str) -> Address | None:
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def _public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in _CLOSED_4)
    if address.ipv4_mapped is not None:
        return _public(address.ipv4_mapped)
    inner = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _NAT64:  # how networks without IPv4 reach the rest of the internet
        return _public(inner)
    if address not in _OPEN_6 or any(address in network for network in _CLOSED_6):
        return False
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP and not _public(inner):
        return False
    return address.is_global


def split(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of a canonical address; an IPv6 host without its brackets."""
    scheme, _, rest = url.partition("://")
    authority = rest.partition("/")[0]
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, ""
    number = int(port) if port.isdecimal() else 0
    return scheme, host.strip("[]"), number or (443 if scheme == "https" else 80)


def refusal(url: str, allow_private: bool = False) -> str:
    """Why an address may not be asked, going by its looks alone; empty when it may."""
    scheme, host, port = split(url)
    if scheme not in ("http", "https") or not host:
        return "scheme"
    if port in _CLOSED_PORTS:
        return "port"
    # Of names none ends in a digit and has no letter; all others are spared the parser's time.
    address = parsed(host) if host[-1].isdigit() or ":" in host or "%" in host else None
    return "address" if address is not None and not allow_private and not _public(address) else ""
