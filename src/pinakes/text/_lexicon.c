/* The lexicon of lexicon.py in one pass over a text: five times as quick.

Tokens are found in a table by a hash whose key is drawn anew for every lexicon, so that nobody can write tokens that
are taken for others. What separates tokens is told by words.py. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REVISION = 4 }; /* to be raised with every change of what goes in or comes out, here and in Python */
enum { PART, SEPARATOR, WORD, JOINER }; /* what a character is: part of a token, between tokens, a token, nothing */
enum { LONGEST_TOKEN = 160, LONGEST_PLAIN = 40, LEAST = 1 << 12, SPARE = 2, BINS = 64, AHEAD = 12 };
enum { UNKNOWN = 0xFFFFFF, UNKNOWN_PLAIN = 0xFFFFFE, UNKNOWN_AGAIN = 0xFFFFFD }; /* numbers of tokens that are still to be learnt */

/* As in fingerprint.py. */
enum { FEWEST_WORDS = 50 };
static const uint64_t A = 0x9E3779B97F4A7C15u, B = 0xD6E8FEB86659FD93u;

typedef struct {
    uint64_t hash;
    uint32_t at, size, number;
} Token;

typedef struct {
    PyObject *stem;
    const char *letters; /* in UTF-8, for as long as the stem lives */
    uint64_t hash;
    uint32_t size, text, number; /* its number in the text that was read last and had it */
} Stem;

typedef struct {
    PyObject_HEAD
    PyObject *compute, *compute_plain, *stops, *hash, *numbers;
    uint64_t key[4];
    uint64_t *places; /* the table: 40 bits of a token's hash and the 24 of its stem's number, or 0 */
    Token *known, *tokens;
    Stem *stems;
    uint32_t *counts, *words;
    unsigned char *letters;
    char *spelled; /* the terms of a text, a line break before, between and after them */
    size_t size, used, limit, stemmed, stopped;
    size_t known_room, tokens_room, stems_room, counts_room, words_room, letters_room, spelled_room;
    unsigned shift;
    uint32_t texts;
    unsigned char ascii[128], kinds[1 << 16];
} Lexicon;

static int grown(void **array, size_t *room, size_t least, size_t each) {
    if (least <= *room) return 1;
    size_t size = *room ? *room : 1024;
    while (size < least) size *= 2;
    void *larger = realloc(*array, size * each);
    if (!larger) {
        PyErr_NoMemory();
        return 0;
    }
    *array = larger, *room = size;
    return 1;
}

/* -- the table -------------------------------------------------------------------------------------------------- */

static const unsigned char ones[16] = {255, 255, 255, 255, 255, 255, 255, 255};

/* The hash of a token; seven bytes after it may be read. */
static uint64_t hashed(const Lexicon *self, const unsigned char *token, size_t size) {
    uint64_t hash = self->key[0] + size * self->key[1], part;
    for (; size > 8; token += 8, size -= 8) {
        memcpy(&part, token, 8);
        hash = (hash ^ part) * self->key[2];
        hash ^= hash >> 32;
    }
    uint64_t mask;
    memcpy(&part, token, 8);
    memcpy(&mask, ones + 8 - size, 8);
    hash = (hash ^ (part & mask)) * self->key[2];
    hash ^= hash >> 29;
    hash *= self->key[3];
    return hash ^ hash >> 32;
}

static uint64_t entry(uint64_t hash, uint32_t number) { return (hash | 1) << 24 | number; }

static void forget(Lexicon *self) {
    for (size_t i = 0; i < self->stemmed; i++) Py_CLEAR(self->stems[i].stem);
    self->stemmed = self->used = self->size = 0;
    free(self->places);
    self->places = NULL;
    Py_CLEAR(self->numbers);
}

static void placed(Lexicon *self, uint64_t hash, uint32_t number) {
    size_t at = hash >> self->shift;
    while (self->places[at]) at = (at + 1) & (self->size - 1);
    self->places[at] = entry(hash, number);
}

static int allocated(Lexicon *self, size_t size) {
    uint64_t *places = calloc(size, sizeof(uint64_t));
    if (!places) {
        PyErr_NoMemory();
        return 0;
    }
    free(self->places);
    self->places = places, self->size = size, self->shift = 64;
    for (size_t left = size; left > 1; left >>= 1) self->shift--;
    for (size_t i = 0; i < self->used; i++) placed(self, self->known[i].hash, self->known[i].number);
    return 1;
}

/* -- the hash of stems: XXH3 (Yann Collet), of which inputs of up to sixteen bytes need little -------------------- */

static uint64_t read_64(const unsigned char *at) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static uint32_t read_32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t folded_product(uint64_t a, uint64_t b) {
    uint64_t low = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF), one = (a >> 32) * (b & 0xFFFFFFFF);
    uint64_t two = (a & 0xFFFFFFFF) * (b >> 32), high = (a >> 32) * (b >> 32);
    uint64_t cross = (low >> 32) + (one & 0xFFFFFFFF) + two;
    return ((one >> 32) + (cross >> 32) + high) ^ (cross << 32 | (low & 0xFFFFFFFF));
}

static uint64_t short_hash(const unsigned char *text, size_t size) {
    static const unsigned char secret[56] = {
        0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d,
        0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0,
        0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e};
    uint64_t hash;
    if (size > 8) {
        uint64_t low = read_64(text) ^ read_64(secret + 24) ^ read_64(secret + 32);
        uint64_t high = read_64(text + size - 8) ^ read_64(secret + 40) ^ read_64(secret + 48), swapped = 0;
        for (int i = 0; i < 64; i += 8) swapped |= (low >> i & 0xFF) << (56 - i);
        hash = size + swapped + high + folded_product(low, high);
        hash = (hash ^ hash >> 37) * 0x165667919E3779F9u;
        return hash ^ hash >> 32;
    }
    if (size > 3) {
        hash = read_32(text + size - 4) + ((uint64_t)read_32(text) << 32);
        hash ^= read_64(secret + 8) ^ read_64(secret + 16);
        hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
        hash *= 0x9FB21C651E98DF25u;
        hash = (hash ^ ((hash >> 35) + size)) * 0x9FB21C651E98DF25u;
        return hash ^ hash >> 28;
    }
    hash = (uint32_t)text[0] << 16 | (uint32_t)text[size >> 1] << 24 | text[size - 1] | (uint32_t)size << 8;
    hash ^= read_32(secret) ^ read_32(secret + 4);
    hash = (hash ^ hash >> 33) * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 29) * 0x165667B19E3779F9u;
    return hash ^ hash >> 32;
}

static int stem_hash(const Lexicon *self, PyObject *stem, uint64_t *hash) {
    Py_ssize_t size = PyUnicode_GetLength(stem);
    if (size > 0 && size <= 16) {
        const char *text = PyUnicode_AsUTF8AndSize(stem, &size);
        if (text && size <= 16) {
            *hash = short_hash((const unsigned char *)text, (size_t)size);
            return 1;
        }
        PyErr_Clear();
    }
    PyObject *number = PyObject_CallFunctionObjArgs(self->hash, stem, NULL);
    if (number) *hash = PyLong_AsUnsignedLongLongMask(number);
    Py_XDECREF(number);
    return number != NULL;
}

/* The number of a stem. */
static int numbered(Lexicon *self, PyObject *stem, uint32_t *number) {
    PyObject *known = PyDict_GetItemWithError(self->numbers, stem);
    if (known) {
        *number = (uint32_t)PyLong_AsUnsignedLong(known);
        return 1;
    }
    if (PyErr_Occurred() || !grown((void **)&self->stems, &self->stems_room, self->stemmed + 1, sizeof(Stem))) return 0;
    uint64_t hash;
    Py_ssize_t size;
    const char *letters = PyUnicode_AsUTF8AndSize(stem, &size);
    PyObject *next = letters ? PyLong_FromSize_t(self->stemmed) : NULL;
    int done = next && stem_hash(self, stem, &hash) && PyDict_SetItem(self->numbers, stem, next) == 0;
    if (done) {
        *number = (uint32_t)self->stemmed;
        self->stems[self->stemmed++] = (Stem){Py_NewRef(stem), letters, hash, (uint32_t)size, 0, 0};
    }
    Py_XDECREF(next);
    return done;
}

/* Keep a token whose stem has been computed. */
static int learnt(Lexicon *self, Token *token, PyObject *stem) {
    if (!PyUnicode_Check(stem)) {
        PyErr_SetString(PyExc_TypeError, "a stem is a string");
        return 0;
    }
    if (!numbered(self, stem, &token->number)) return 0;
    if (!grown((void **)&self->known, &self->known_room, self->used + 1, sizeof(Token))) return 0;
    if ((self->used + 1) * SPARE > self->size && !allocated(self, self->size * 2)) return 0;
    placed(self, token->hash, token->number);
    self->known[self->used++] = *token;
    return 1;
}

/* Find the number of a token's stem, if it is known. */
static int found(const Lexicon *self, Token *token) {
    token->number = 0;
    if (token->size > LONGEST_TOKEN) return 1;
    uint64_t wanted = entry(token->hash, 0), there;
    for (size_t at = token->hash >> self->shift; (there = self->places[at]); at = (at + 1) & (self->size - 1))
        if (!((there ^ wanted) >> 24)) {
            token->number = there & 0xFFFFFF;
            return 1;
        }
    return 0;
}

/* The next of the stems computed for tokens that were not known. */
static PyObject *next_of(PyObject *stems, Py_ssize_t *next) {
    PyObject *stem = stems ? PyList_GetItem(stems, (*next)++) : NULL;
    if (!stem && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "there is a stem for every token");
    return stem;
}

static PyObject *computed(PyObject *compute, PyObject *tokens) {
    if (!tokens) return NULL;
    PyObject *stems = PyObject_CallFunctionObjArgs(compute, tokens, NULL);
    if (stems && (!PyList_Check(stems) || PyList_Size(stems) != PyList_Size(tokens))) {
        PyErr_SetString(PyExc_TypeError, "there is a stem for every token");
        Py_CLEAR(stems);
    }
    return stems;
}

/* Find all tokens, and learn those that are not known: their stems are computed together, those of plain ones, which are
   ASCII and of a word's length, apart. */
static int found_all(Lexicon *self, size_t size) {
    PyObject *unknown = NULL, *plain = NULL, *stems = NULL, *plain_stems = NULL;
    uint64_t asked[1 << 10] = {0}; /* hashes of tokens that were not known, most of them */
    int done = 1;
    for (size_t i = 0; done && i < size; i++) {
        Token *token = &self->tokens[i];
        if (found(self, token)) continue;
        uint64_t *before = &asked[token->hash >> 54];
        if (*before == token->hash) {
            token->number = UNKNOWN_AGAIN;
            continue;
        }
        *before = token->hash;
        const unsigned char *letters = self->letters + token->at;
        unsigned char high = 0;
        for (uint32_t at = 0; at < token->size; at++) high |= letters[at];
        if (high < 0x80 && (token->size == 1 || token->size > LONGEST_PLAIN)) { /* a stop word, and not worth keeping */
            *before = 0;
            continue;
        }
        PyObject **list = high < 0x80 ? &plain : &unknown;
        PyObject *text = PyUnicode_DecodeUTF8((const char *)letters, token->size, "replace");
        if (!*list) *list = PyList_New(0);
        done = text && *list && PyList_Append(*list, text) == 0;
        Py_XDECREF(text);
        token->number = high < 0x80 ? UNKNOWN_PLAIN : UNKNOWN;
    }
    if (done && (unknown || plain)) {
        Py_ssize_t next = 0, next_plain = 0;
        stems = computed(self->compute, unknown);
        if (!PyErr_Occurred()) plain_stems = computed(self->compute_plain, plain);
        for (size_t i = 0; !PyErr_Occurred() && i < size; i++) {
            Token *token = &self->tokens[i];
            if (token->number == UNKNOWN_AGAIN) found(self, token); /* which was learnt meanwhile */
            if (token->number < UNKNOWN_AGAIN) continue;
            PyObject *stem = token->number == UNKNOWN ? next_of(stems, &next) : next_of(plain_stems, &next_plain);
            if (!stem || (!found(self, token) && !learnt(self, token, stem))) break;
        }
        done = !PyErr_Occurred();
    }
    Py_XDECREF(unknown);
    Py_XDECREF(plain);
    Py_XDECREF(stems);
    Py_XDECREF(plain_stems);
    return done;
}

/* -- a text ----------------------------------------------------------------------------------------------------- */

typedef struct {
    Lexicon *lexicon;
    PyObject *cuts, *offsets;
    Py_ssize_t cut, next;       /* cuts that are behind, and where the next one is */
    size_t size, stopped, said; /* words; those that are stop words; the others */
    size_t terms, spelled;      /* different words, and how long they are together */
    uint64_t one, two, least[BINS];
    unsigned char taken[BINS];
} Text;

static uint64_t mixed(uint64_t value) {
    value *= B;
    value ^= value >> 32;
    value *= B;
    value ^= value >> 32;
    return value * A;
}

/* Answer the cuts up to the character `at` with the number of words before it; one that spans it is not yet one. */
static int cut(Text *text, Py_ssize_t at) {
    while (text->next <= at) {
        PyObject *offset = PyLong_FromSize_t(text->size);
        int done = offset && PyList_Append(text->offsets, offset) == 0;
        Py_XDECREF(offset);
        if (!done) return 0;
        if (++text->cut < PyList_Size(text->cuts)) {
            text->next = PyLong_AsSsize_t(PyList_GetItem(text->cuts, text->cut));
            if (text->next == -1 && PyErr_Occurred()) return 0;
        } else
            text->next = PY_SSIZE_T_MAX;
    }
    return 1;
}

static int ended(Text *text, uint32_t start, uint32_t end) {
    Lexicon *self = text->lexicon;
    if (!grown((void **)&self->tokens, &self->tokens_room, text->size + 1, sizeof(Token))) return 0;
    uint64_t hash = hashed(self, self->letters + start, end - start);
    __builtin_prefetch(&self->places[hash >> self->shift]);
    self->tokens[text->size++] = (Token){hash, start, end - start, 0};
    return 1;
}

/* Take the text apart. */
static int parted(Text *text, const unsigned char *at, const unsigned char *end) {
    Lexicon *self = text->lexicon;
    if (!grown((void **)&self->letters, &self->letters_room, end - at + 8, 1)) return 0;
    unsigned char *letters = self->letters;
    uint32_t begin = 0, used = 0;
    Py_ssize_t index = 0; /* in characters */
    for (int size; at < end; at += size, index++) {
        int kind = PART;
        unsigned char letter = 0;
        size = 1;
        if (*at < 0x80) {
            if (!(letter = self->ascii[*at])) kind = SEPARATOR;
        } else {
            size = *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
            if (end - at < size) break;
            if (size == 2) kind = self->kinds[(*at & 0x1F) << 6 | (at[1] & 0x3F)];
            if (size == 3) kind = self->kinds[(*at & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)];
        }
        if (used > begin && (kind == SEPARATOR || kind == WORD)) {
            if (!ended(text, begin, used)) return 0;
            begin = used;
        }
        if (index >= text->next && !cut(text, index)) return 0;
        if (kind == SEPARATOR || kind == JOINER) continue;
        if (size == 1)
            letters[used++] = letter;
        else {
            memcpy(letters + used, at, size);
            used += size;
        }
        if (kind == WORD) {
            if (!ended(text, begin, used)) return 0;
            begin = used;
        }
    }
    return (used == begin || ended(text, begin, used)) && cut(text, PY_SSIZE_T_MAX - 1);
}

/* Find the stem of every token, and then count them. What is to be looked at is asked of the memory well before. */
static int counted(Text *text) {
    Lexicon *self = text->lexicon;
    size_t size = text->size;
    if (!grown((void **)&self->words, &self->words_room, size + 1, sizeof(uint32_t))) return 0;
    if (!grown((void **)&self->counts, &self->counts_room, 1, sizeof(uint32_t))) return 0;
    if (!grown((void **)&self->spelled, &self->spelled_room, 1, 1)) return 0;
    self->spelled[text->spelled++] = '\n';
    if (!found_all(self, size)) return 0;
    for (size_t i = 0; i < size; i++) {
        if (i + AHEAD < size) {
            __builtin_prefetch(&self->stems[self->tokens[i + AHEAD].number]);
            __builtin_prefetch(self->stems[self->tokens[i + AHEAD / 2].number].letters);
        }
        uint32_t number = self->tokens[i].number;
        if (!number) {
            self->words[i] = 0;
            text->stopped++;
            continue;
        }
        Stem *stem = &self->stems[number];
        if (stem->text != self->texts) {
            if (!grown((void **)&self->counts, &self->counts_room, text->terms + 1, sizeof(uint32_t))) return 0;
            if (!grown((void **)&self->spelled, &self->spelled_room, text->spelled + stem->size + 1, 1)) return 0;
            memcpy(self->spelled + text->spelled, stem->letters, stem->size);
            text->spelled += stem->size;
            self->spelled[text->spelled++] = '\n';
            self->counts[text->terms] = 0;
            stem->text = self->texts;
            stem->number = (uint32_t)++text->terms;
        }
        self->counts[stem->number - 1]++;
        self->words[i] = stem->number;
        if (text->said++ >= 2) { /* the last of a run of three words */
            uint64_t run = mixed((text->one * A + text->two) * A + stem->hash);
            unsigned bin = (unsigned)(run >> 58);
            if (!text->taken[bin] || run < text->least[bin]) text->least[bin] = run, text->taken[bin] = 1;
        }
        text->one = text->two;
        text->two = stem->hash;
    }
    return 1;
}

/* The fingerprint, as fingerprint.py describes it. */
static uint64_t fingerprint(const Text *text) {
    uint64_t bits = 0;
    if (text->size < FEWEST_WORDS || text->said < 3) return 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        unsigned from = bin;
        while (!text->taken[from]) from = (from + 1) % BINS;
        bits |= mixed(text->least[from] ^ bin * A) >> 63 << bin;
    }
    return bits ? bits : 1;
}

/* Know the stop words. */
static int stops_learnt(Lexicon *self, PyObject *stop) {
    unsigned char padded[LONGEST_PLAIN + 8] = {0};
    for (Py_ssize_t i = 0; i < PyList_Size(self->stops); i++) {
        Py_ssize_t size;
        const char *word = PyUnicode_AsUTF8AndSize(PyList_GetItem(self->stops, i), &size);
        if (!word) return 0;
        if (size > LONGEST_PLAIN) continue;
        memcpy(padded, word, (size_t)size);
        Token token = {hashed(self, padded, (size_t)size), 0, (uint32_t)size, 0};
        if (!found(self, &token) && !learnt(self, &token, stop)) return 0;
    }
    self->stopped = self->used;
    return 1;
}

static int ready(Lexicon *self) {
    if (self->places && self->used >= self->limit + self->stopped) forget(self);
    if (self->places) return 1;
    uint32_t number;
    PyObject *stop = PyUnicode_FromStringAndSize("", 0);
    self->numbers = PyDict_New();
    int done = stop && self->numbers && allocated(self, LEAST) && numbered(self, stop, &number) &&
               stops_learnt(self, stop);
    Py_XDECREF(stop);
    if (!done) forget(self); /* not half of it */
    return done;
}

static PyObject *told(PyObject *object, PyObject *args) {
    Lexicon *self = (Lexicon *)object;
    const char *data;
    Py_ssize_t size;
    Text text = {.lexicon = self, .next = PY_SSIZE_T_MAX};
    if (!PyArg_ParseTuple(args, "y#O!", &data, &size, &PyList_Type, &text.cuts) || !ready(self)) return NULL;
    if (PyList_Size(text.cuts)) {
        text.next = PyLong_AsSsize_t(PyList_GetItem(text.cuts, 0));
        if (text.next == -1 && PyErr_Occurred()) return NULL;
    }
    if (!++self->texts) { /* the numbers of texts are used up: none is the last one's */
        for (size_t i = 0; i < self->stemmed; i++) self->stems[i].text = 0;
        self->texts = 1;
    }
    text.offsets = PyList_New(0);
    PyObject *answer = NULL;
    if (text.offsets && parted(&text, (const unsigned char *)data, (const unsigned char *)data + size) && counted(&text))
        answer = Py_BuildValue("(s#y#y#OnK)", self->spelled, (Py_ssize_t)text.spelled, (const char *)self->counts,
                               (Py_ssize_t)(text.terms * sizeof(uint32_t)), (const char *)self->words,
                               (Py_ssize_t)(text.size * sizeof(uint32_t)), text.offsets, (Py_ssize_t)text.stopped,
                               (unsigned long long)fingerprint(&text));
    Py_XDECREF(text.offsets);
    return answer;
}

/* -- the type --------------------------------------------------------------------------------------------------- */

static int begin(PyObject *object, PyObject *args, PyObject *keywords) {
    Lexicon *self = (Lexicon *)object;
    static char *names[] = {"limit", "plain", "stems", "stops", "hash", "kinds", "key", NULL};
    const char *kinds, *key;
    Py_ssize_t limit, size, key_size;
    PyObject *plain, *stem, *stops, *hash;
    if (self->compute) {
        PyErr_SetString(PyExc_RuntimeError, "a lexicon begins once");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "nOOO!Oy#y#", names, &limit, &plain, &stem, &PyList_Type, &stops,
                                     &hash, &kinds, &size, &key, &key_size))
        return -1;
    if (size != sizeof self->kinds || key_size != sizeof self->key || limit < 1) {
        PyErr_SetString(PyExc_ValueError, "a lexicon needs a limit, the kinds of 65,536 characters and a key of 32 bytes");
        return -1;
    }
    memcpy(self->kinds, kinds, size);
    memcpy(self->key, key, key_size);
    for (int i = 0; i < 4; i++) self->key[i] |= 1;
    for (int c = 0; c < 128; c++) {
        int letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        self->ascii[c] = letter ? c | 32 : c >= '0' && c <= '9' ? c : 0;
    }
    self->limit = (size_t)limit;
    self->compute = Py_NewRef(stem);
    self->compute_plain = Py_NewRef(plain);
    self->stops = Py_NewRef(stops);
    self->hash = Py_NewRef(hash);
    return 0;
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
    Lexicon *self = (Lexicon *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->compute);
    Py_VISIT(self->compute_plain);
    Py_VISIT(self->stops);
    Py_VISIT(self->hash);
    Py_VISIT(self->numbers);
    return 0;
}

static int cleared(PyObject *object) {
    Lexicon *self = (Lexicon *)object;
    Py_CLEAR(self->compute);
    Py_CLEAR(self->compute_plain);
    Py_CLEAR(self->stops);
    Py_CLEAR(self->hash);
    forget(self);
    return 0;
}

static void end(PyObject *object) {
    Lexicon *self = (Lexicon *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    cleared(object);
    free(self->known);
    free(self->tokens);
    free(self->stems);
    free(self->counts);
    free(self->words);
    free(self->letters);
    free(self->spelled);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"told", told, METH_VARARGS, "The terms, words, offsets of cuts, stop words and fingerprint of a text in UTF-8."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_init, begin},     {Py_tp_dealloc, end}, {Py_tp_traverse, traverse},
                              {Py_tp_clear, cleared}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"pinakes.text._lexicon.Lexicon", sizeof(Lexicon), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_lexicon", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__lexicon(void) {
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&spec);
    if (!module || !type || PyModule_AddObjectRef(module, "Lexicon", type) < 0 ||
        PyModule_AddIntConstant(module, "REVISION", REVISION) < 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
