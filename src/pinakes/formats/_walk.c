/* The walk of walk.py over the same tree, given as the markup it is written as: ten times as quick.

What is written by a serialiser is regular: every element has its end tag or is void, attributes are quoted, and "<",
"&" and no-break spaces stand for themselves only inside scripts and the like. So one pass over the bytes sees what a
walk over the nodes sees. Where that cannot be told from the bytes alone (see `raw_end`) the answer is None and the
caller walks over the nodes. Most pages need no tree at all: see `_straight.h`. The tags' kinds and what references mean
are told by tags.py and walk.py, whose numbers are repeated here. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REVISION = 3 }; /* to be raised with every change of what goes in or comes out, here and in Python */
enum { BLOCK = 1, NOTED = 2, CLOSED = 4, LINK = 8, AREA = 16, FRAME = 32, IMAGE = 64, VOID = 128, RAW = 256 };
enum { HTML, SVG, MATH };
enum { LONGEST_NAME = 24, SLOTS = 512, REFERENCES = 8192, LONGEST_REFERENCE = 40 };
enum { UNESCAPED, WRITTEN, CAME }; /* text without references, as a serialiser writes it, as it came */

typedef struct {
    const char *at;
    Py_ssize_t size;
} Span;

typedef struct {
    Span name;
    int kind, link, outer, foreign;
} Open;

typedef struct {
    Span href, rel, alt;
    int has_alt;
    Py_ssize_t start, start_byte, end, end_byte;
    PyObject *path;
} Found;

typedef struct {
    char name[LONGEST_NAME];
    int size, kind;
} Slot;

typedef struct {
    Span name, meant; /* both belong to strings of the walker's dictionary */
} Reference;

typedef struct {
    PyObject_HEAD
    Slot slots[SLOTS];
    Reference references[REFERENCES];
    PyObject *told, *names;
    Py_ssize_t nearby, longest_anchor, deepest, most_nodes;
} Walker;

typedef struct {
    Span name, value;
} Attribute;

typedef struct {
    Walker *walker;
    const char *at, *end;
    char *out;
    Py_ssize_t used, length; /* of the text so far, in bytes and in characters */
    Py_ssize_t most_text, most_links, nodes, link_ended;
    int full;
    char gap; /* white space owed before the next text */
    Open *open;
    Py_ssize_t depth, room;
    Py_ssize_t silent; /* the depth of the element that is not to be seen, 0 when none is open */
    int inside;        /* the link round the present place, or -1 */
    Found *found;
    Py_ssize_t links, links_room;
    PyObject *notes, *last_path;
    char *path, *scratch;
    Py_ssize_t path_room, scratch_room;
    Attribute *attributes; /* of the tag that was met last */
    Py_ssize_t attributes_size, attributes_room;
    int how;        /* WRITTEN or CAME */
    char made[4];   /* the character of a numeric reference */
    /* Of pages as they came only: */
    int stage, standing, doubt, ends_itself;
    int links_open, nobrs_open, buttons_open, forms_open, selects_open, tables_open;
} Walk;

/* -- strings ---------------------------------------------------------------------------------------------------- */

static int is(Span span, const char *name) {
    return (Py_ssize_t)strlen(name) == span.size && memcmp(span.at, name, span.size) == 0;
}

static unsigned hash_of(const char *name, Py_ssize_t size) {
    unsigned hash = 2166136261u;
    for (Py_ssize_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static const Slot *slot_of(const Walker *walker, Span name) {
    if (name.size >= LONGEST_NAME) return NULL;
    for (unsigned at = hash_of(name.at, name.size) % SLOTS; walker->slots[at].size; at = (at + 1) % SLOTS)
        if (walker->slots[at].size == name.size && memcmp(walker->slots[at].name, name.at, name.size) == 0)
            return &walker->slots[at];
    return NULL;
}

static int kind_of(const Walker *walker, Span name) {
    const Slot *slot = slot_of(walker, name);
    return slot ? slot->kind : 0;
}

/* The bytes of the white space character at `at`, 0 when it is none: what str.isspace says. */
static int space(const unsigned char *at, const unsigned char *end) {
    unsigned char c = *at;
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
    if (c == 0xC2) return end - at > 1 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (end - at < 3) return 0;
    if (c == 0xE1) return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    if (c == 0xE2) {
        if (at[1] == 0x80) return at[2] <= 0x8A || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0;
        return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
    }
    return c == 0xE3 && at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
}

static Span known_reference(const Walker *walker, const char *name, Py_ssize_t size) {
    unsigned at = hash_of(name, size) % REFERENCES;
    for (; walker->references[at].name.size; at = (at + 1) % REFERENCES) {
        const Reference *known = &walker->references[at];
        if (known->name.size == size && memcmp(known->name.at, name, size) == 0) return known->meant;
    }
    return (Span){NULL, 0};
}

static Span numeric_reference(Walk *walk, const char *at, const char *end, Py_ssize_t *size) {
    static const unsigned short windows[32] = {
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178};
    const char *digit = at + 2;
    int hex = digit < end && (*digit | 32) == 'x';
    uint32_t value = 0;
    digit += hex;
    const char *first = digit;
    for (; digit < end; digit++) {
        int c = *digit, low = c | 32;
        int number = c >= '0' && c <= '9' ? c - '0' : hex && low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (number < 0) break;
        if (value <= 0x10FFFF) value = value * (hex ? 16 : 10) + number;
    }
    if (digit == first) {
        *size = 1;
        return (Span){at, 1};
    }
    *size = digit - at + (digit < end && *digit == ';');
    if (value >= 0x80 && value < 0xA0) value = windows[value - 0x80];
    if (!value || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) value = 0xFFFD;
    char *out = walk->made;
    if (value < 0x80)
        *out++ = (char)value;
    else if (value < 0x800) {
        *out++ = (char)(0xC0 | value >> 6);
        *out++ = (char)(0x80 | (value & 0x3F));
    } else {
        if (value < 0x10000)
            *out++ = (char)(0xE0 | value >> 12);
        else {
            *out++ = (char)(0xF0 | value >> 18);
            *out++ = (char)(0x80 | (value >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (value >> 6 & 0x3F));
        *out++ = (char)(0x80 | (value & 0x3F));
    }
    return (Span){walk->made, out - walk->made};
}

static int alphanumeric(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* What the reference at `at` means, its length in `size`; a lone "&" stands for itself. Some names need no semicolon,
   but inside a tag they are not names when a letter, a digit or "=" follows. */
static Span referred(Walk *walk, const char *at, const char *end, int inside_tag, Py_ssize_t *size) {
    if (walk->how == CAME && end - at > 1 && at[1] == '#') return numeric_reference(walk, at, end, size);
    const char *last = at + 1;
    while (last < end && last - at < LONGEST_REFERENCE && alphanumeric(*last)) last++;
    if (last < end && *last == ';') {
        Span known = known_reference(walk->walker, at + 1, last - at);
        *size = last - at + 1;
        if (known.at) return known;
    }
    for (Py_ssize_t length = last - at - 1 < 6 ? last - at - 1 : 6; walk->how == CAME && length > 1; length--) {
        Span known = known_reference(walk->walker, at + 1, length);
        const char *next = at + 1 + length;
        if (!known.at) continue;
        if (inside_tag && next < end && (*next == '=' || alphanumeric(*next))) break;
        *size = length + 1;
        return known;
    }
    *size = 1;
    return (Span){at, 1};
}

static int grown(void **array, Py_ssize_t *room, Py_ssize_t least, size_t each) {
    if (least <= *room) return 1;
    Py_ssize_t size = *room ? *room : 64;
    while (size < least) size *= 2;
    void *larger = realloc(*array, size * each);
    if (!larger) {
        PyErr_NoMemory();
        return 0;
    }
    *array = larger, *room = size;
    return 1;
}

/* A value inside a tag, its references taken for what they mean. */
static PyObject *meant(Walk *walk, Span span, int inside_tag) {
    if (walk->how == CAME && memchr(span.at, '\r', span.size)) walk->doubt = 1; /* parsers make other line ends of it */
    if (!memchr(span.at, '&', span.size)) return PyUnicode_DecodeUTF8(span.at, span.size, "replace");
    if (!grown((void **)&walk->scratch, &walk->scratch_room, 2 * span.size, 1)) return NULL;
    char *out = walk->scratch;
    const char *at = span.at, *end = span.at + span.size;
    while (at < end) {
        if (*at == '&') {
            Py_ssize_t size;
            Span character = referred(walk, at, end, inside_tag, &size);
            memcpy(out, character.at, character.size);
            out += character.size, at += size;
        } else
            *out++ = *at++;
    }
    return PyUnicode_DecodeUTF8(walk->scratch, out - walk->scratch, "replace");
}

/* Whether a span says anything within its first `most` characters. */
static int says(Walk *walk, Span span, Py_ssize_t most) {
    const char *at = span.at, *end = span.at + span.size;
    for (; at < end && most > 0; most--) {
        Py_ssize_t size = 1;
        int blank;
        if (*at == '&') {
            Span character = referred(walk, at, end, 1, &size);
            blank = space((const unsigned char *)character.at, (const unsigned char *)character.at + character.size);
        } else if ((blank = space((const unsigned char *)at, (const unsigned char *)end)))
            size = blank;
        if (!blank) return 1;
        at += size;
    }
    return 0;
}

/* -- attributes ------------------------------------------------------------------------------------------------- */

/* The next attribute from `at`; NULL at the tag's end, where `*at` then is. */
static const char *attribute(const char *at, const char *end, Span *name, Span *value) {
    while (at < end && *at == ' ') at++;
    if (at >= end || *at == '>') return NULL;
    name->at = at;
    const char *equals = memchr(at + 1, '=', end - at - 1);
    if (!equals || end - equals < 2) return NULL;
    name->size = equals - at;
    value->at = equals + 2;
    const char *quote = memchr(value->at, '"', end - value->at);
    if (!quote) return NULL;
    value->size = quote - value->at;
    return quote + 1;
}

static int same_name(Span name, const char *which, Py_ssize_t size) {
    if (name.size != size) return 0;
    for (Py_ssize_t i = 0; i < size; i++)
        if ((name.at[i] >= 'A' && name.at[i] <= 'Z' ? name.at[i] | 32 : name.at[i]) != which[i]) return 0;
    return 1;
}

static int wanted(const Walk *walk, const char *which, Span *value) {
    for (Py_ssize_t i = 0, size = (Py_ssize_t)strlen(which); i < walk->attributes_size; i++)
        if (same_name(walk->attributes[i].name, which, size)) {
            *value = walk->attributes[i].value;
            return 1;
        }
    value->at = "", value->size = 0;
    return 0;
}

static int attribute_met(Walk *walk, Span name, Span value) {
    if (!grown((void **)&walk->attributes, &walk->attributes_room, walk->attributes_size + 1, sizeof(Attribute)))
        return 0;
    walk->attributes[walk->attributes_size++] = (Attribute){name, value};
    return 1;
}

/* -- what is gathered ------------------------------------------------------------------------------------------- */

/* The tags round the present place and `tag`, the innermost few of them. */
static PyObject *path_to(Walk *walk, Span tag) {
    Py_ssize_t deepest = walk->walker->deepest, first = walk->depth + 1 > deepest ? walk->depth + 1 - deepest : 0;
    Py_ssize_t size = tag.size;
    for (Py_ssize_t i = first; i < walk->depth; i++) size += walk->open[i].name.size + 1;
    if (!grown((void **)&walk->path, &walk->path_room, size, 1)) return NULL;
    char *out = walk->path;
    for (Py_ssize_t i = first; i < walk->depth; i++) {
        memcpy(out, walk->open[i].name.at, walk->open[i].name.size);
        out += walk->open[i].name.size;
        *out++ = '/';
    }
    memcpy(out, tag.at, tag.size);
    if (walk->last_path) { /* neighbours often have the same */
        Py_ssize_t same;
        const char *last = PyUnicode_AsUTF8AndSize(walk->last_path, &same);
        if (!last) return NULL;
        if (same == size && memcmp(last, walk->path, size) == 0) return Py_NewRef(walk->last_path);
    }
    PyObject *path = PyUnicode_DecodeUTF8(walk->path, size, "replace");
    if (path) {
        Py_XDECREF(walk->last_path);
        walk->last_path = Py_NewRef(path);
    }
    return path;
}

/* Note a link; its number in `number`, which is left alone when it is none. */
static int link_met(Walk *walk, Span tag, const char *href, const char *alt, int *number) {
    Found link = {.start = walk->length, .end = walk->length, .start_byte = walk->used, .end_byte = walk->used};
    link.alt = (Span){"", 0};
    if (walk->links >= walk->most_links || !wanted(walk, href, &link.href)) return 1;
    wanted(walk, "rel", &link.rel);
    link.has_alt = alt && wanted(walk, alt, &link.alt);
    if (!grown((void **)&walk->found, &walk->links_room, walk->links + 1, sizeof(Found))) return 0;
    if (!(link.path = path_to(walk, tag))) return 0;
    *number = (int)walk->links;
    walk->found[walk->links++] = link;
    return 1;
}

/* Note an element with its attributes, its path and, of a title, its text. */
static int noted(Walk *walk, Span tag, Span text) {
    PyObject *attributes = PyDict_New(), *path = path_to(walk, tag), *content = meant(walk, text, 0);
    PyObject *note = NULL, *told = walk->walker->told;
    for (Py_ssize_t i = 0; attributes && !is(tag, "title") && i < PyTuple_Size(told); i++) {
        PyObject *name = PyTuple_GetItem(told, i), *said;
        Span value;
        const char *written = PyUnicode_AsUTF8AndSize(name, NULL);
        if (!written)
            Py_CLEAR(attributes);
        else if (wanted(walk, written, &value)) {
            if (!(said = meant(walk, value, 1)) || PyDict_SetItem(attributes, name, said) < 0) Py_CLEAR(attributes);
            Py_XDECREF(said);
        }
    }
    if (attributes && path && content) note = Py_BuildValue("(s#OOO)", tag.at, tag.size, attributes, path, content);
    int done = note && PyList_Append(walk->notes, note) == 0;
    Py_XDECREF(attributes);
    Py_XDECREF(path);
    Py_XDECREF(content);
    Py_XDECREF(note);
    return done;
}

/* -- the walk --------------------------------------------------------------------------------------------------- */

/* Bytes that text may not be copied past without a look: white space, the first bytes of white space beyond ASCII, "&",
   "<", and the NUL after the end. */
static const unsigned char special[256] = {
    [0] = 1,    [9] = 1,    [10] = 1,   [11] = 1,  [12] = 1,  [13] = 1,  [28] = 1,  [29] = 1,
    [30] = 1,   [31] = 1,   [' '] = 1,  ['&'] = 1, ['<'] = 1, [0xC2] = 1, [0xE1] = 1, [0xE2] = 1, [0xE3] = 1};

/* Text up to the next tag, or up to `end` where it is not markup. */
static void text_met(Walk *walk, const char *end, int how) {
    const char *at = walk->at;
    char *out = walk->out + walk->used, gap = walk->gap;
    Py_ssize_t length = walk->length, most = walk->full ? 0 : walk->most_text;
    while (at < end && !(how && *at == '<')) {
        Span character = {at, 1};
        Py_ssize_t size = 1;
        int blank = 0;
        if (special[(unsigned char)*at]) {
            if (*at == '&' && how) {
                character = referred(walk, at, end, 0, &size);
                blank = space((const unsigned char *)character.at, (const unsigned char *)character.at + character.size);
            } else if ((blank = space((const unsigned char *)at, (const unsigned char *)end)))
                size = blank;
        }
        at += size;
        if (blank) {
            if (!gap) gap = ' ';
            continue;
        }
        if (gap && length) {
            if (length + 2 > most) {
                most = 0;
                continue;
            }
            *out++ = gap;
            length++;
        }
        gap = 0;
        for (; character.size; character.at++, character.size--)
            if ((*character.at & 0xC0) == 0x80) { /* the rest of a character whose beginning is there */
                if (most) *out++ = *character.at;
            } else if (length < most) {
                *out++ = *character.at;
                length++;
            } else
                most = 0;
        while (at < end && length < most && !special[(unsigned char)*at]) {
            length += (*at & 0xC0) != 0x80;
            *out++ = *at++;
        }
    }
    if (!most) walk->full = 1;
    walk->used = out - walk->out, walk->length = length, walk->gap = gap;
    walk->at = at;
}

/* The end of content that is written without escapes: where its end tag is, or NULL when that cannot be told. Scripts
   may hold their own end tag, in a comment that names a script; nobody knows where `plaintext` ends. */
static const char *raw_end(const Walk *walk, Span tag) {
    if (is(tag, "plaintext")) return NULL;
    const char *at = walk->at, *end = walk->end;
    int comment = 0, script = is(tag, "script");
    while (at < end && (at = memchr(at, '<', end - at))) {
        if (end - at > tag.size + 2 && at[1] == '/' && same_name((Span){at + 2, tag.size}, tag.at, tag.size)) {
            char next = at[tag.size + 2];
            if (next == '>') return at;
            if (walk->how == CAME && (next == '/' || next == ' ' || (next >= 9 && next <= 13))) return NULL;
        }
        if (end - at > 2 && script) {
            if (at[1] == '!') comment = 1;
            if (comment && (at[1] | 32) == 's' && (at[2] | 32) == 'c') return NULL;
        }
        at++;
    }
    return walk->how == CAME ? NULL : end;
}

static int opened(Walk *walk, Span tag, int kind, int link, int foreign) {
    if (!grown((void **)&walk->open, &walk->room, walk->depth + 1, sizeof(Open))) return 0;
    walk->open[walk->depth++] = (Open){tag, kind, link, walk->inside, foreign};
    return 1;
}

/* The innermost element ends. */
static void left(Walk *walk) {
    Open *top = &walk->open[--walk->depth];
    if (walk->silent) {
        if (walk->depth < walk->silent) walk->silent = 0;
        return;
    }
    if (top->kind & BLOCK)
        walk->gap = '\n';
    else if (top->kind & LINK) {
        walk->link_ended = walk->length;
        walk->inside = top->outer;
        if (top->link >= 0) {
            walk->found[top->link].end = walk->length;
            walk->found[top->link].end_byte = walk->used;
        }
    }
}

static void closed(Walk *walk) {
    const char *at = walk->at + 2, *end = memchr(at, '>', walk->end - at);
    Span tag = {at, (end ? end : walk->end) - at};
    walk->at = end ? end + 1 : walk->end;
    if (!walk->depth) return;
    Open *top = &walk->open[walk->depth - 1];
    if (top->name.size == tag.size && memcmp(top->name.at, tag.at, tag.size) == 0) left(walk);
}

enum { GO_ON, ENOUGH, UNSURE, FAILED };

/* Enter an element whose start tag was read. */
static int entered(Walk *walk, Span tag, int kind) {
    const char *end = walk->end;
    Span value;
    int hidden = wanted(walk, "hidden", &value);
    int outside = walk->depth ? walk->open[walk->depth - 1].foreign : HTML;
    int foreign = outside ? outside : is(tag, "svg") ? SVG : is(tag, "math") ? MATH : HTML;
    int within = foreign; /* what elements inside are */
    if (outside == SVG && (is(tag, "foreignObject") || is(tag, "desc") || is(tag, "title"))) within = HTML;
    if (outside == MATH && (is(tag, "mi") || is(tag, "mo") || is(tag, "mn") || is(tag, "ms") || is(tag, "mtext")))
        within = HTML;
    int empty = foreign ? walk->ends_itself : kind & VOID;
    const char *ends = NULL;
    if ((kind & RAW) && !foreign && !(ends = raw_end(walk, tag))) return UNSURE;

    int link = -1;
    if (!walk->silent) {
        if (kind & BLOCK) walk->gap = '\n';
        if (++walk->nodes > walk->walker->most_nodes) return ENOUGH;
        if (hidden)
            kind |= CLOSED;
        else if (kind & LINK) {
            if (walk->link_ended == walk->length && !walk->gap) walk->gap = ' '; /* neighbouring links are words apart */
            if (!link_met(walk, tag, "href", NULL, &link)) return FAILED;
        } else if (kind & (AREA | FRAME)) {
            int is_area = kind & AREA, number;
            if (!link_met(walk, tag, is_area ? "href" : "src", is_area ? "alt" : "title", &number)) return FAILED;
        } else if (kind & IMAGE) {
            Found *round = walk->inside >= 0 ? &walk->found[walk->inside] : NULL;
            if (round && !round->has_alt && wanted(walk, "alt", &value) &&
                says(walk, value, 2 * walk->walker->longest_anchor)) {
                round->alt = value;
                round->has_alt = 1;
            }
        } else if (kind & NOTED) {
            Span text = {"", 0};
            if (is(tag, "title") && !foreign) {
                const char *close = walk->at < end ? memchr(walk->at, '<', end - walk->at) : NULL;
                text = (Span){walk->at, (close ? close : end) - walk->at};
            }
            if (!(is(tag, "title") && foreign) && !noted(walk, tag, text)) return FAILED;
        }
    }
    if (!empty) {
        if (!opened(walk, tag, kind, link, within)) return FAILED;
        if (!walk->silent) {
            if (kind & CLOSED)
                walk->silent = walk->depth;
            else if (kind & LINK)
                walk->inside = link;
        }
    }
    if (ends) {
        if (!walk->silent) text_met(walk, ends, UNESCAPED);
        walk->at = ends;
    }
    return GO_ON;
}

static int started(Walk *walk) {
    const char *at = walk->at + 1, *end = walk->end, *next;
    Span tag = {at, 0}, name, value;
    while (at < end && *at != ' ' && *at != '>') at++;
    tag.size = at - tag.at;
    walk->attributes_size = 0;
    while ((next = attribute(at, end, &name, &value))) {
        if (!attribute_met(walk, name, value)) return FAILED;
        at = next;
    }
    at = at < end ? memchr(at, '>', end - at) : NULL;
    walk->at = at ? at + 1 : end;
    return entered(walk, tag, kind_of(walk->walker, tag));
}

static int walked(Walk *walk) {
    while (walk->at < walk->end) {
        if (*walk->at != '<') {
            if (!walk->silent)
                text_met(walk, walk->end, WRITTEN);
            else {
                const char *tag = memchr(walk->at, '<', walk->end - walk->at);
                walk->at = tag ? tag : walk->end;
            }
            continue;
        }
        char next = walk->end - walk->at > 1 ? walk->at[1] : '!';
        if (next == '/')
            closed(walk);
        else if (next == '!' || next == '?') {
            const char *at = walk->at + 2;
            if (walk->end - walk->at > 3 && memcmp(walk->at, "<!--", 4) == 0) {
                at = walk->at + 4;
                while ((at = memchr(at, '-', walk->end - at)) && !(walk->end - at > 2 && at[1] == '-' && at[2] == '>'))
                    at++;
            }
            const char *end = at && at < walk->end ? memchr(at, '>', walk->end - at) : NULL;
            walk->at = end ? end + 1 : walk->end;
        } else {
            int outcome = started(walk);
            if (outcome != GO_ON) return outcome;
        }
    }
    return GO_ON;
}

#include "_straight.h"

/* -- the answer ------------------------------------------------------------------------------------------------- */

static int joint(char c) { return c == ' ' || c == '\n'; }

/* Part of the text as a line: ends stripped where asked, line ends as blanks. */
static PyObject *line_of(Walk *walk, Py_ssize_t start, Py_ssize_t end, int left, int right) {
    const char *text = walk->out;
    while (left && start < end && joint(text[start])) start++;
    while (right && end > start && joint(text[end - 1])) end--;
    if (!grown((void **)&walk->scratch, &walk->scratch_room, end - start, 1)) return NULL;
    for (Py_ssize_t i = start; i < end; i++) walk->scratch[i - start] = text[i] == '\n' ? ' ' : text[i];
    return PyUnicode_DecodeUTF8(walk->scratch, end - start, "replace");
}

static Py_ssize_t forward(const Walk *walk, Py_ssize_t at, Py_ssize_t characters) {
    for (; characters > 0 && at < walk->used; characters--)
        do at++;
        while (at < walk->used && (walk->out[at] & 0xC0) == 0x80);
    return at;
}

static Py_ssize_t backward(const Walk *walk, Py_ssize_t at, Py_ssize_t characters) {
    for (; characters > 0 && at > 0; characters--)
        do at--;
        while (at > 0 && (walk->out[at] & 0xC0) == 0x80);
    return at;
}

static PyObject *told(Walk *walk, const Found *link) {
    const char *text = walk->out;
    Py_ssize_t start = link->start, at = link->start_byte, nearby = walk->walker->nearby;
    PyObject *anchor, *before, *after;
    if (start < link->end) {
        if (joint(text[at])) start++, at++;
        Py_ssize_t most = walk->walker->longest_anchor;
        anchor = line_of(walk, at, link->end - start > most ? forward(walk, at, most) : link->end_byte, 0, 1);
    } else
        anchor = PyUnicode_FromStringAndSize("", 0);

    Py_ssize_t first = 0;
    if (start > nearby) { /* from the first word that is whole */
        Py_ssize_t whole = first = backward(walk, at, nearby);
        while (whole < at && !joint(text[whole])) whole++;
        if (whole < at) first = whole + 1;
    }
    before = line_of(walk, first, at, 0, 1);

    Py_ssize_t from = link->end > start ? link->end_byte : at, last = walk->used;
    if ((link->end > start ? link->end : start) + nearby < walk->length) { /* to the last word that is whole */
        Py_ssize_t whole = last = forward(walk, from, nearby);
        do whole--;
        while (whole > from && !joint(text[whole]));
        if (whole > from) last = whole;
    }
    after = line_of(walk, from, last, 1, 0);

    PyObject *parts[] = {meant(walk, link->href, 1), anchor, before, after, PyLong_FromSsize_t(start),
                         Py_NewRef(link->path), meant(walk, link->rel, 1), meant(walk, link->alt, 1)};
    PyObject *answer = PyTuple_New(8);
    for (int i = 0; i < 8; i++)
        if (!answer || !parts[i] || PyTuple_SetItem(answer, i, parts[i]) < 0) {
            if (!answer) Py_XDECREF(parts[i]);
            Py_CLEAR(answer);
        }
    return answer;
}

static PyObject *answered(Walk *walk) {
    PyObject *text = PyUnicode_DecodeUTF8(walk->out, walk->used, "replace");
    PyObject *links = PyList_New(walk->links);
    for (Py_ssize_t i = 0; links && i < walk->links; i++) {
        PyObject *link = told(walk, &walk->found[i]);
        if (!link || PyList_SetItem(links, i, link) < 0) Py_CLEAR(links);
    }
    PyObject *data = PyBytes_FromStringAndSize(walk->out, walk->used);
    PyObject *answer = text && links && data ? PyTuple_Pack(4, text, links, walk->notes, data) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(data);
    Py_XDECREF(links);
    return answer;
}

static PyObject *over(PyObject *self, PyObject *args, int how) {
    const char *markup;
    Py_ssize_t size;
    Walk walk = {.walker = (Walker *)self, .inside = -1, .link_ended = -1, .how = how};
    if (!PyArg_ParseTuple(args, "y#nn", &markup, &size, &walk.most_links, &walk.most_text)) return NULL;
    walk.at = markup, walk.end = markup + size;
    PyObject *answer = NULL;
    walk.out = malloc(2 * size + 1); /* whatever is owed between texts was longer in the markup; see `begin` */
    walk.notes = PyList_New(0);
    if (!walk.out)
        PyErr_NoMemory();
    else if (walk.notes)
        switch (how == CAME ? went_straight(&walk) : walked(&walk)) {
        case FAILED: break;
        case UNSURE: answer = Py_NewRef(Py_None); break;
        default: answer = answered(&walk);
        }
    if (answer && walk.doubt) {
        Py_DECREF(answer);
        answer = Py_NewRef(Py_None);
    }
    for (Py_ssize_t i = 0; i < walk.links; i++) Py_XDECREF(walk.found[i].path);
    Py_XDECREF(walk.notes);
    Py_XDECREF(walk.last_path);
    free(walk.out);
    free(walk.open);
    free(walk.found);
    free(walk.path);
    free(walk.scratch);
    free(walk.attributes);
    return answer;
}

static PyObject *walk(PyObject *self, PyObject *args) { return over(self, args, WRITTEN); }

static PyObject *straight(PyObject *self, PyObject *args) { return over(self, args, CAME); }

/* -- the type --------------------------------------------------------------------------------------------------- */

static int begin(PyObject *self, PyObject *args, PyObject *keywords) {
    Walker *walker = (Walker *)self;
    PyObject *kinds, *told, *references, *name, *kind;
    static char *names[] = {"kinds", "told", "references", "nearby", "longest_anchor", "deepest", "most_nodes", NULL};
    if (walker->told) {
        PyErr_SetString(PyExc_RuntimeError, "a walker begins once");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!O!nnnn", names, &PyDict_Type, &kinds, &PyTuple_Type, &told,
                                     &PyDict_Type, &references, &walker->nearby, &walker->longest_anchor,
                                     &walker->deepest, &walker->most_nodes))
        return -1;
    walker->told = Py_NewRef(told);
    if (!(walker->names = PyDict_Copy(references))) return -1;
    Py_ssize_t place = 0, size;
    for (Py_ssize_t count = 1; PyDict_Next(walker->names, &place, &name, &kind); count++) {
        Reference one;
        if (!(one.name.at = PyUnicode_AsUTF8AndSize(name, &one.name.size)) ||
            !(one.meant.at = PyUnicode_AsUTF8AndSize(kind, &one.meant.size)))
            return -1;
        /* What a reference means is never twice as long as the reference, so that room can be made beforehand. */
        if (!one.name.size || one.meant.size > 2 * one.name.size || count > REFERENCES / 2) {
            PyErr_SetString(PyExc_ValueError, "references are too many or mean too much");
            return -1;
        }
        unsigned at = hash_of(one.name.at, one.name.size) % REFERENCES;
        while (walker->references[at].name.size) at = (at + 1) % REFERENCES;
        walker->references[at] = one;
    }
    place = 0;
    while (PyDict_Next(kinds, &place, &name, &kind)) {
        const char *tag = PyUnicode_AsUTF8AndSize(name, &size);
        long value = PyLong_AsLong(kind);
        if (!tag || (value == -1 && PyErr_Occurred())) return -1;
        if (!size || size >= LONGEST_NAME || place > SLOTS / 2) {
            PyErr_SetString(PyExc_ValueError, "tags are too long or too many");
            return -1;
        }
        unsigned at = hash_of(tag, size) % SLOTS;
        while (walker->slots[at].size) at = (at + 1) % SLOTS;
        memcpy(walker->slots[at].name, tag, size);
        walker->slots[at].size = (int)size;
        walker->slots[at].kind = (int)value;
    }
    return 0;
}

static void end(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF(((Walker *)self)->told); /* strings only: there are no circles to look for */
    Py_XDECREF(((Walker *)self)->names);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"walk", walk, METH_VARARGS, "Text, links and notes of a page's markup; None when it cannot be told from that."},
    {"straight", straight, METH_VARARGS, "The same of a page as it came; None when it takes a parser to tell."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_init, begin}, {Py_tp_dealloc, end}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"pinakes.formats._walk.Walker", sizeof(Walker), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_walk", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__walk(void) {
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&spec);
    if (!module || !type || PyModule_AddObjectRef(module, "Walker", type) < 0 ||
        PyModule_AddIntConstant(module, "REVISION", REVISION) < 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
