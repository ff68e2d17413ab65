"""What is this machine: its loopback addresses, in every way of writing them."""

import re
from ipaddress import IPv6Address, ip_address

_HOST = re.compile(
    r"[a-z][a-z0-9+.-]*://(?:[^/?#\\\s\[\]]*@)?(?:\[([^\]/?#@\s]*)\]|([^/?#\\\s@:\[\]]*))"
    r"(?::\d*)?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)


def is_own(host: object) -> bool:
    """Return whether a host, as sockets take it, is this machine by its loopback address.

    So are names that end in ".localhost" (RFC 6761), mapped IPv4 addresses, and None.
    """
    if host is None:
        return True
    name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    name = name.lower().rstrip(".")
    try:
        address = ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    inner = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (inner or address).is_loopback


def is_loopback(url: str) -> bool:
    """Return whether `url` leads to this machine; what is no address of a server does not."""
    found = _HOST.fullmatch(url)
    return found is not None and is_own(found[1] or found[2] or "")
