/* The walk over a page as it came, without a tree, for as long as the tree could not look otherwise.

A parser's hard work is on what authors got wrong: tags that cross, text between the cells of a table, elements that must
be reopened. A page without such places is its own tree, but for end tags that may be left out, which are known. So the
elements are kept open and closed here by the rules of HTML (the standard's sections 13.2.5 and 13.2.6), and at the first
place where these ask for more than that the answer is UNSURE and the page goes to the parser. Being unsure too often
costs time only; every rule here has to be one that the parser follows too, and tests hold the two against each other.

Included by _walk.c. What is what among tags is told by tags.py. */

enum {
    CLOSES_P = 1 << 9,    /* ends an open paragraph; its end tag ends what may be left unended inside */
    PARAGRAPH = 1 << 10,
    IMPLIED = 1 << 11,    /* its end tag may be left out */
    BOUND = 1 << 12,      /* a paragraph round it is not ended from inside */
    ITEM = 1 << 13,       /* ends the one of its kind before it */
    STOPS = 1 << 14,      /* items are not looked for beyond it */
    HEADING = 1 << 15,
    IN_HEAD = 1 << 16,
    ENDED = 1 << 17,      /* its end tag, too, ends what may be left unended inside */
    TABLE = 1 << 18,
    GROUP = 1 << 19,
    ROW = 1 << 20,
    CELL = 1 << 21,
    COLUMNS = 1 << 22,
    PART = 1 << 23,       /* stands in a table only */
    CHOICE = 1 << 24,     /* stands in a select only */
    IN_SVG = 1 << 25,
    TEXT_ONLY = 1 << 26,  /* tags inside are not tags */
    UNIQUE = 1 << 27,     /* html, head and body */
    DOUBTFUL = 1 << 28
};
enum { BEFORE_HTML, BEFORE_HEAD, INSIDE_HEAD, AFTER_HEAD, INSIDE_BODY };
enum { OLD, UNKNOWN, STRICT };
enum { DEEPEST = 200, IN_TABLE = TABLE | GROUP | ROW | COLUMNS };

static int white(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

static int letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

static Open *innermost(const Walk *walk) { return &walk->open[walk->depth - 1]; }

static int kind_inside(const Walk *walk) { return walk->depth ? innermost(walk)->kind : 0; }

static int same(Span a, Span b) { return a.size == b.size && memcmp(a.at, b.at, a.size) == 0; }

/* Elements that must not stand in one of their own are counted. */
static void counted(Walk *walk, Span tag, int kind, int step) {
    if (kind & LINK) walk->links_open += step;
    if (kind & TABLE) walk->tables_open += step;
    if (is(tag, "nobr")) walk->nobrs_open += step;
    if (is(tag, "button")) walk->buttons_open += step;
    if (is(tag, "form")) walk->forms_open += step;
    if (is(tag, "select")) walk->selects_open += step;
}

static void gone(Walk *walk) {
    counted(walk, innermost(walk)->name, innermost(walk)->kind, -1);
    left(walk);
}

/* End what may be left unended, but for elements named `except`. */
static void end_implied(Walk *walk, Span except) {
    while ((kind_inside(walk) & IMPLIED) && !same(innermost(walk)->name, except)) gone(walk);
}

/* Open an element that is not written. */
static int open_implied(Walk *walk, const char *name) {
    const Slot *slot = slot_of(walk->walker, (Span){name, (Py_ssize_t)strlen(name)});
    Py_ssize_t attributes = walk->attributes_size;
    walk->attributes_size = 0;
    int outcome = slot ? entered(walk, (Span){slot->name, slot->size}, slot->kind) : UNSURE;
    walk->attributes_size = attributes;
    return outcome;
}

static int paragraph_open(const Walk *walk) {
    for (Py_ssize_t at = walk->depth; at--;) {
        if (walk->open[at].kind & PARAGRAPH) return 1;
        if (walk->open[at].kind & BOUND) return 0;
    }
    return 0;
}

/* -- tags as they came ------------------------------------------------------------------------------------------ */

/* The name that begins at `at`, in lower case, and its kind; none when it is not a plain one. */
static Span tag_name(Walk *walk, const char *at, int *kind) {
    char lower[LONGEST_NAME];
    Py_ssize_t size = 0;
    int plain = 1, capital = 0;
    for (; at + size < walk->end && !white(at[size]) && at[size] != '/' && at[size] != '>'; size++) {
        char c = at[size];
        capital |= c >= 'A' && c <= 'Z';
        plain &= alphanumeric(c) || c == '-' || c == ':' || c == '_' || c == '.';
        if (size < LONGEST_NAME) lower[size] = c >= 'A' && c <= 'Z' ? c | 32 : c;
    }
    const Slot *slot = plain ? slot_of(walk->walker, (Span){size < LONGEST_NAME ? lower : at, size}) : NULL;
    *kind = slot ? slot->kind : 0;
    if (slot) return (Span){slot->name, size};
    return (Span){at, plain && !capital ? size : 0};
}

/* The attributes from `at` on; answers where the tag is over, NULL when that is not plain. */
static const char *attributes_met(Walk *walk, const char *at) {
    const char *end = walk->end;
    walk->attributes_size = 0, walk->ends_itself = 0;
    for (;;) {
        while (at < end && (white(*at) || *at == '/')) at++;
        if (at >= end) return NULL;
        if (*at == '>') {
            walk->ends_itself = at[-1] == '/';
            return at + 1;
        }
        Span name = {at, 0}, value = {"", 0};
        if (*at == '=') return NULL;
        while (at < end && !white(*at) && *at != '/' && *at != '>' && *at != '=') at++;
        name.size = at - name.at;
        while (at < end && white(*at)) at++;
        if (at < end && *at == '=') {
            at++;
            while (at < end && white(*at)) at++;
            if (at >= end || *at == '>') return NULL;
            if (*at == '"' || *at == '\'') {
                const char *quote = memchr(at + 1, *at, end - at - 1);
                if (!quote) return NULL;
                value = (Span){at + 1, quote - at - 1};
                at = quote + 1;
            } else {
                value.at = at;
                while (at < end && !white(*at) && *at != '>') at++;
                value.size = at - value.at;
                if (at < end && *at == '>' && at[-1] == '/') { /* the slash is the value's */
                    if (!attribute_met(walk, name, value)) return NULL;
                    return at + 1;
                }
            }
        }
        if (!attribute_met(walk, name, value)) return NULL;
    }
}

/* Whether an element's text goes on up to its own end tag without anything that looks like another. */
static int text_only(const Walk *walk, Span tag) {
    const char *at = walk->at < walk->end ? memchr(walk->at, '<', walk->end - walk->at) : NULL;
    return at && walk->end - at > tag.size + 2 && at[1] == '/' && same_name((Span){at + 2, tag.size}, tag.at, tag.size) &&
           at[tag.size + 2] == '>';
}

static int in_body(Walk *walk, Span tag, int kind);

/* -- where elements may stand ----------------------------------------------------------------------------------- */

/* Open what is missing up to the body, for something that stands in one. */
static int open_body(Walk *walk) {
    int outcome = GO_ON;
    if (walk->stage == BEFORE_HTML) outcome = open_implied(walk, "html");
    if (outcome == GO_ON && walk->stage <= BEFORE_HEAD && (outcome = open_implied(walk, "head")) == GO_ON)
        walk->stage = INSIDE_HEAD;
    if (outcome == GO_ON && walk->stage == INSIDE_HEAD) {
        if (!is(innermost(walk)->name, "head")) return UNSURE;
        gone(walk);
    }
    walk->stage = INSIDE_BODY;
    return outcome == GO_ON ? open_implied(walk, "body") : outcome;
}

/* The same for a start tag, which may be one of what is missing. */
static int before_body(Walk *walk, Span tag, int kind) {
    int outcome = GO_ON;
    if (walk->stage == BEFORE_HTML) {
        walk->stage = BEFORE_HEAD;
        if (is(tag, "html")) return GO_ON;
        outcome = open_implied(walk, "html");
    } else if (is(tag, "html"))
        return UNSURE;
    if (outcome != GO_ON) return outcome;
    if (walk->stage == BEFORE_HEAD) {
        walk->stage = INSIDE_HEAD;
        if (is(tag, "head")) return GO_ON;
        if ((outcome = open_implied(walk, "head")) != GO_ON) return outcome;
    } else if (is(tag, "head"))
        return UNSURE;
    if (walk->stage == INSIDE_HEAD) {
        if (is(innermost(walk)->name, "noscript"))
            return is(tag, "link") || is(tag, "meta") || is(tag, "style") ? GO_ON : UNSURE;
        if (kind & IN_HEAD) return GO_ON;
        gone(walk);
        walk->stage = AFTER_HEAD;
    }
    if (kind & (IN_HEAD | DOUBTFUL)) return UNSURE; /* such are put into the head that is over */
    walk->stage = INSIDE_BODY;
    if (is(tag, "body")) return GO_ON;
    outcome = open_implied(walk, "body");
    return outcome == GO_ON ? in_body(walk, tag, kind) : outcome;
}

/* A part of a table: what is before it there ends, and what is missing round it is opened. */
static int table_part(Walk *walk, Span tag, int kind) {
    int outcome = GO_ON;
    if (!(kind_inside(walk) & IN_TABLE)) {
        end_implied(walk, (Span){"", 0});
        if (!(kind_inside(walk) & CELL)) return UNSURE;
        gone(walk);
    }
    while (outcome == GO_ON) {
        int round = kind_inside(walk);
        if (round & COLUMNS) {
            if (is(tag, "col")) break;
            gone(walk);
        } else if (round & ROW) {
            if (kind & CELL) break;
            gone(walk);
        } else if (round & GROUP) {
            if (kind & ROW) break;
            if (kind & CELL)
                outcome = open_implied(walk, "tr");
            else
                gone(walk);
        } else if (round & TABLE) {
            if ((kind & (GROUP | COLUMNS)) || is(tag, "caption")) break;
            outcome = open_implied(walk, is(tag, "col") ? "colgroup" : "tbody");
        } else
            return UNSURE;
    }
    return outcome;
}

/* Make the place where an element is to stand inside the body, as its start tag demands. */
static int in_body(Walk *walk, Span tag, int kind) {
    int round = kind_inside(walk);
    if (walk->depth >= DEEPEST) return UNSURE;
    if (innermost(walk)->foreign) {
        int bare = kind & TEXT_ONLY || is(tag, "style");
        return (kind & IN_SVG) && (!bare || walk->ends_itself || text_only(walk, tag)) ? GO_ON : UNSURE;
    }
    if (kind & (DOUBTFUL | UNIQUE)) return UNSURE;
    if (walk->selects_open) {
        if (!(kind & CHOICE)) return UNSURE;
        if (is(innermost(walk)->name, "option")) gone(walk);
        if (is(tag, "optgroup") && is(innermost(walk)->name, "optgroup")) gone(walk);
        return GO_ON;
    }
    if (kind & PART) return walk->tables_open ? table_part(walk, tag, kind) : UNSURE;
    if (round & IN_TABLE) return (round & COLUMNS) || !(is(tag, "script") || is(tag, "style")) ? UNSURE : GO_ON;
    if (kind & CHOICE) return UNSURE;
    if ((kind & LINK) && walk->links_open) return UNSURE;
    if (kind & ITEM) {
        int is_li = is(tag, "li");
        for (Py_ssize_t at = walk->depth; at--;) {
            const Open *open = &walk->open[at];
            if ((open->kind & ITEM) && is(open->name, "li") == is_li) {
                end_implied(walk, open->name);
                if (at != walk->depth - 1) return UNSURE;
                gone(walk);
                break;
            }
            if (open->kind & STOPS) break;
        }
    }
    if ((kind & (CLOSES_P | TABLE)) && paragraph_open(walk)) {
        if ((kind & TABLE) && walk->standing == UNKNOWN) return UNSURE;
        if (!(kind & TABLE) || walk->standing == STRICT) { /* old pages have tables in paragraphs */
            end_implied(walk, (Span){"p", 1});
            if (!(kind_inside(walk) & PARAGRAPH)) return UNSURE;
            gone(walk);
        }
    }
    if ((kind & HEADING) && (kind_inside(walk) & HEADING)) gone(walk);
    if ((is(tag, "button") && walk->buttons_open) || (is(tag, "form") && walk->forms_open)) return UNSURE;
    if (is(tag, "nobr") && walk->nobrs_open) return UNSURE;
    return (kind & TEXT_ONLY) && !text_only(walk, tag) ? UNSURE : GO_ON;
}

static int start_came(Walk *walk) {
    int kind, outcome;
    Span tag = tag_name(walk, walk->at + 1, &kind), value;
    if (!tag.size) return UNSURE;
    const char *after = attributes_met(walk, walk->at + 1 + tag.size);
    if (!after) return PyErr_Occurred() ? FAILED : UNSURE;
    walk->at = after;
    if (is(tag, "image") && !(walk->depth && innermost(walk)->foreign)) {
        tag = (Span){"img", 3};
        kind = kind_of(walk->walker, tag);
    }
    if ((kind & UNIQUE) && walk->stage == INSIDE_BODY) {
        /* One more: its attributes are the first one's, too. */
        int unseen = is(tag, "head") || (is(tag, "body") ? !wanted(walk, "hidden", &value) : !walk->attributes_size);
        return unseen && !walk->selects_open && !innermost(walk)->foreign ? GO_ON : UNSURE;
    }
    outcome = walk->stage < INSIDE_BODY ? before_body(walk, tag, kind) : in_body(walk, tag, kind);
    if (outcome == GO_ON && walk->stage < INSIDE_BODY && (kind & TEXT_ONLY) && !text_only(walk, tag)) outcome = UNSURE;
    if (outcome != GO_ON) return outcome;
    Py_ssize_t depth = walk->depth;
    outcome = entered(walk, tag, kind);
    if (walk->depth > depth) counted(walk, tag, kind, 1);
    /* A page that is cut off for its size must be cut off where the parser's tree would be. */
    return outcome == ENOUGH ? UNSURE : outcome;
}

static int any_open(const Walk *walk, Span tag, int kind) {
    for (Py_ssize_t at = walk->depth; at--;)
        if (same(walk->open[at].name, tag) || (kind & walk->open[at].kind & HEADING) || walk->open[at].foreign) return 1;
    return 0;
}

/* What else ends with an end tag that is not the innermost element's own. */
static int ends_more(Walk *walk, Span tag, int kind) {
    if (innermost(walk)->foreign) return 0;
    if (walk->selects_open) {
        if (is(tag, "optgroup") || is(tag, "select"))
            while (is(innermost(walk)->name, "option") ||
                   (is(tag, "select") && is(innermost(walk)->name, "optgroup")))
                gone(walk);
    } else if (kind & (TABLE | GROUP | ROW)) {
        if (!walk->tables_open) return 0;
        if (!(kind_inside(walk) & IN_TABLE)) {
            end_implied(walk, (Span){"", 0});
            if (!(kind_inside(walk) & CELL)) return 0;
            gone(walk);
        }
        if ((kind_inside(walk) & COLUMNS) && (kind & TABLE)) gone(walk);
        if ((kind_inside(walk) & ROW) && !(kind & ROW)) gone(walk);
        if ((kind_inside(walk) & GROUP) && (kind & TABLE)) gone(walk);
    } else if (kind & (CLOSES_P | ENDED))
        end_implied(walk, tag);
    return same(innermost(walk)->name, tag);
}

static int end_came(Walk *walk) {
    int kind;
    Span tag = tag_name(walk, walk->at + 2, &kind);
    const char *at = walk->at + 2 + tag.size;
    while (at < walk->end && white(*at)) at++;
    if (!tag.size || at >= walk->end || *at != '>') return UNSURE;
    walk->at = at + 1;
    if (kind & UNIQUE) {
        if (is(tag, "head") && walk->stage == INSIDE_HEAD && is(innermost(walk)->name, "head")) {
            gone(walk);
            walk->stage = AFTER_HEAD;
            return GO_ON;
        }
        /* Whatever is open when the body ends stays so, and what follows is in it all the same. */
        return walk->stage == INSIDE_BODY && !innermost(walk)->foreign ? GO_ON : UNSURE;
    }
    if (walk->stage != INSIDE_HEAD && walk->stage != INSIDE_BODY) return UNSURE;
    if (!same(innermost(walk)->name, tag)) {
        if (walk->stage == INSIDE_HEAD) return UNSURE;
        if ((kind & PARAGRAPH) && !paragraph_open(walk) && !(kind_inside(walk) & IN_TABLE) && !walk->selects_open &&
            !innermost(walk)->foreign) {
            int outcome = open_implied(walk, "p"); /* an end tag makes an empty one */
            if (outcome != GO_ON) return outcome;
        } else if (!any_open(walk, tag, kind) && !is(tag, "br") && !(kind & PARAGRAPH))
            return GO_ON; /* nobody opened it */
        else if (!ends_more(walk, tag, kind))
            return UNSURE;
    }
    gone(walk);
    return GO_ON;
}

/* Old pages are read otherwise than those that name a later kind of document, where a table stands in a paragraph. */
static int standing_of(const char *at, const char *end) {
    static const char *later[] = {"-//w3c//dtd xhtml 1.", "-//w3c//dtd html 4.01//"};
    while (at < end && white(*at)) at++;
    if (end - at < 4 || !same_name((Span){at, 4}, "html", 4)) return UNKNOWN;
    for (at += 4; at < end && white(*at);) at++;
    if (at == end) return STRICT;
    if (end - at < 8 || !same_name((Span){at, 6}, "public", 6)) return UNKNOWN;
    for (at += 6; at < end && white(*at);) at++;
    for (int i = 0; i < 2; i++) {
        Py_ssize_t size = (Py_ssize_t)strlen(later[i]);
        if (end - at > size && *at == '"' && same_name((Span){at + 1, size}, later[i], size)) return STRICT;
    }
    return UNKNOWN;
}

static int comment_came(Walk *walk) {
    const char *at = walk->at + 4, *end = walk->end;
    if (end - walk->at < 4 || memcmp(walk->at, "<!--", 4)) {
        const char *over = memchr(walk->at, '>', end - walk->at);
        if (!over || (walk->depth && innermost(walk)->foreign)) return UNSURE;
        if (over - walk->at >= 9 && same_name((Span){walk->at + 1, 8}, "!doctype", 8)) {
            if (walk->stage != BEFORE_HTML || walk->standing != OLD) return UNSURE;
            walk->standing = standing_of(walk->at + 9, over);
        }
        walk->at = over + 1;
        return GO_ON;
    }
    if (at < end && (*at == '>' || (*at == '-' && end - at > 1 && at[1] == '>'))) return UNSURE;
    while (at < end && (at = memchr(at, '-', end - at)) && end - at > 2) {
        if (at[1] == '-' && at[2] == '>') {
            walk->at = at + 3;
            return GO_ON;
        }
        if (at[1] == '-' && at[2] == '!') return UNSURE;
        at++;
    }
    return UNSURE;
}

static int went_straight(Walk *walk) {
    const char *end = walk->end;
    if (memchr(walk->at, 0, end - walk->at)) return UNSURE;
    while (walk->at < end) {
        int outcome = GO_ON;
        if (*walk->at != '<') {
            const char *from = walk->at, *tag = memchr(from, '<', end - from), *at = from;
            if (!tag) tag = end;
            /* Where text would be moved elsewhere there may only be white space. */
            int round = kind_inside(walk);
            if ((walk->stage != INSIDE_BODY && !(round & TEXT_ONLY)) || (round & IN_TABLE)) {
                while (at < tag && white(*at)) at++;
                if (at < tag && (walk->stage >= INSIDE_BODY || open_body(walk) != GO_ON)) return UNSURE;
            }
            if (walk->silent || walk->stage != INSIDE_BODY)
                walk->at = tag;
            else
                text_met(walk, tag, CAME);
            continue;
        }
        char next = end - walk->at > 1 ? walk->at[1] : 0;
        if (letter(next))
            outcome = start_came(walk);
        else if (next == '/' && end - walk->at > 2 && letter(walk->at[2]))
            outcome = walk->depth ? end_came(walk) : UNSURE;
        else if (next == '!' || next == '?')
            outcome = comment_came(walk);
        else
            outcome = UNSURE;
        if (outcome != GO_ON) return outcome;
    }
    if (walk->stage < INSIDE_BODY) return UNSURE;
    while (walk->depth) gone(walk);
    return GO_ON;
}
