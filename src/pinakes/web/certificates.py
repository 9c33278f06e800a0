"""A certificate authority that lives as long as a server does, and certifies any host it is asked for.

Its keys are made in memory. A host's certificate passes through a file of ours alone for as long as Python's TLS needs
to read it, for it reads nothing else.
"""

from __future__ import annotations

import ssl
import tempfile
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_REMEMBERED = 1024
"""Hosts whose certificates are kept; others are made anew when asked for again."""
_LIFE = timedelta(days=30)


class Authority:
    """Throwaway: whoever trusts it trusts this process, so nobody else should."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self._leaf_pem = self._leaf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Pinakes throwaway authority")])
        self._certificate = self._signed(
            self._name, self._key.public_key(), [(x509.BasicConstraints(ca=True, path_length=0), True)]
        )
        self.pem = self._certificate.public_bytes(Encoding.PEM)
        """The authority's own certificate: what `--ca` names a file of."""
        self._contexts: OrderedDict[str, ssl.SSLContext] = OrderedDict()
        self.context = self._context_for("localhost", "127.0.0.1", "::1")
        """For a server: it shows each client the certificate of the host that client asks for."""
        self.context.sni_callback = self._choose

    def _choose(self, connection: ssl.SSLObject, host: str | None, _: ssl.SSLContext) -> int | None:
        if host:
            try:
                connection.context = self._of(host.lower())
            except (ValueError, ssl.SSLError):
                return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        return None

    def _of(self, host: str) -> ssl.SSLContext:
        context = self._contexts.get(host)
        if context is None:
            context = self._contexts[host] = self._context_for(host)
            if len(self._contexts) > _REMEMBERED:
                self._contexts.popitem(last=False)
        return context

    def _context_for(self, *hosts: str) -> ssl.SSLContext:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Pinakes recorded web")])
        certificate = self._signed(
            name,
            self._leaf_key.public_key(),
            [
                (x509.BasicConstraints(ca=False, path_length=None), True),
                (x509.SubjectAlternativeName([_general_name(host) for host in hosts]), False),
                (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
            ],
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with tempfile.NamedTemporaryFile(suffix=".pem") as file:
            file.write(self._leaf_pem + certificate.public_bytes(Encoding.PEM))
            file.flush()
            context.load_cert_chain(file.name)
        return context

    def _signed(
        self, name: x509.Name, key: ec.EllipticCurvePublicKey, extensions: list[tuple[x509.ExtensionType, bool]]
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        authority = isinstance(extensions[0][0], x509.BasicConstraints) and extensions[0][0].ca
        builder = (
            x509.CertificateBuilder(issuer_name=self._name, subject_name=name, public_key=key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + _LIFE)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(_usage(authority), critical=True)
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self._key, hashes.SHA256())


def _usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
