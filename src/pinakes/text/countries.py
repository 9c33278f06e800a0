"""The country an affiliation names: at its end as a rule, in full, by a code, or by a state of the United States."""

from __future__ import annotations

import re

from pinakes.text.names import folded

_NAMES = """
AD Andorra|AE United Arab Emirates,UAE|AF Afghanistan|AL Albania|AM Armenia|AO Angola|AR Argentina|AT Austria,Osterreich
AU Australia|AZ Azerbaijan|BA Bosnia and Herzegovina|BB Barbados|BD Bangladesh|BE Belgium,Belgique,Belgie
BF Burkina Faso|BG Bulgaria|BH Bahrain|BI Burundi|BJ Benin|BN Brunei|BO Bolivia|BR Brazil,Brasil|BT Bhutan|BW Botswana
BY Belarus|BZ Belize|CA Canada|CD Democratic Republic of the Congo|CF Central African Republic|CG Congo
CH Switzerland,Schweiz,Suisse|CI Ivory Coast,Cote d'Ivoire|CL Chile|CM Cameroon|CN China,P.R. China,PR China,PRC
CO Colombia|CR Costa Rica|CU Cuba|CV Cape Verde|CY Cyprus|CZ Czech Republic,Czechia|DE Germany,Deutschland|DJ Djibouti
DK Denmark,Danmark|DO Dominican Republic|DZ Algeria|EC Ecuador|EE Estonia|EG Egypt|ER Eritrea|ES Spain,Espana
ET Ethiopia|FI Finland,Suomi|FJ Fiji|FR France|GA Gabon|GB United Kingdom,UK,U.K.,Great Britain,England,Scotland,Wales,
Northern Ireland|GE Georgia|GH Ghana|GM Gambia|GN Guinea|GR Greece,Hellas|GT Guatemala|GY Guyana|HK Hong Kong
HN Honduras|HR Croatia|HT Haiti|HU Hungary|ID Indonesia|IE Ireland|IL Israel|IN India|IQ Iraq|IR Iran|IS Iceland
IT Italy,Italia|JM Jamaica|JO Jordan|JP Japan|KE Kenya|KG Kyrgyzstan|KH Cambodia|KP North Korea|KR South Korea,Korea,
Republic of Korea|KW Kuwait|KZ Kazakhstan|LA Laos|LB Lebanon|LI Liechtenstein|LK Sri Lanka|LR Liberia|LS Lesotho
LT Lithuania|LU Luxembourg|LV Latvia|LY Libya|MA Morocco|MC Monaco|MD Moldova|ME Montenegro|MG Madagascar
MK North Macedonia,Macedonia|ML Mali|MM Myanmar|MN Mongolia|MO Macau,Macao|MR Mauritania|MT Malta|MU Mauritius
MV Maldives|MW Malawi|MX Mexico|MY Malaysia|MZ Mozambique|NA Namibia|NE Niger|NG Nigeria|NI Nicaragua
NL Netherlands,The Netherlands,Nederland,Holland|NO Norway,Norge|NP Nepal|NZ New Zealand|OM Oman|PA Panama|PE Peru
PG Papua New Guinea|PH Philippines|PK Pakistan|PL Poland,Polska|PR Puerto Rico|PS Palestine|PT Portugal|PY Paraguay
QA Qatar|RO Romania|RS Serbia|RU Russia,Russian Federation|RW Rwanda|SA Saudi Arabia|SC Seychelles|SD Sudan
SE Sweden,Sverige|SG Singapore|SI Slovenia|SK Slovakia|SL Sierra Leone|SN Senegal|SO Somalia|SR Suriname
SV El Salvador|SY Syria|TD Chad|TG Togo|TH Thailand|TJ Tajikistan|TM Turkmenistan|TN Tunisia|TR Turkey,Turkiye
TT Trinidad and Tobago|TW Taiwan|TZ Tanzania|UA Ukraine|UG Uganda|US United States,USA,U.S.A.,U.S.,
United States of America|UY Uruguay|UZ Uzbekistan|VA Vatican|VE Venezuela|VN Vietnam,Viet Nam|YE Yemen|ZA South Africa
ZM Zambia|ZW Zimbabwe
"""
_STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA "
    "RI SC SD TN TX UT VT VA WA WV WI WY DC"
)
_STATE_NAMES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Hawaii|Idaho|Illinois|Indiana|"
    "Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|"
    "Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|"
    "Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming"
)
_letters = re.compile(r"[^a-z ]+")
_zip = re.compile(r"\b([A-Z]{2})[\s-]+\d{5}(?:-\d{4})?$").search


def _plain(text: str) -> str:
    return " ".join(_letters.sub("", folded(text)).split())


def _tables() -> tuple[dict[str, str], dict[str, str]]:
    codes: dict[str, str] = {}
    names: dict[str, str] = {}
    for entry in _NAMES.replace(",\n", ",").replace("\n", "|").strip("|").split("|"):
        code, _, rest = entry.partition(" ")
        first, *others = rest.split(",")
        codes[code] = first
        names.update({_plain(name): first for name in (first, *others)})
    return codes, names


_CODES, _COUNTRIES = _tables()
_US = "United States"
_STATE_CODES = frozenset(_STATES.split())
_STATE_WORDS = frozenset(_plain(name) for name in _STATE_NAMES.split("|"))


def country_of(affiliation: str) -> str:
    """The country of an affiliation, in English; empty where it names none."""
    parts = [part.strip(" .;") for part in affiliation.split(",")]
    parts = [part for part in parts if part]
    for part in reversed(parts[-2:]):
        if found := _COUNTRIES.get(_plain(part)):
            return found
    if not parts:
        return ""
    last = parts[-1]
    zipped = _zip(last)
    # `Stanford, CA` and `CA 94305` are in California; `University of X, CA` alone may be Canada's code.
    if zipped and zipped[1] in _STATE_CODES:
        return _US
    if last in _STATE_CODES and len(parts) > 2:
        return _US
    if last in _CODES and len(last) == 2:
        return _CODES[last]
    return _US if _plain(last) in _STATE_WORDS and len(parts) > 1 else ""
