/* The short cut of url.py for addresses that are visibly canonical, without its regular expressions: five times as
   quick. What is not plain is left to the full parser. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

enum { REVISION = 1 }; /* to be raised with every change of what goes in or comes out, here and in Python */
enum { LONGEST = 2000 };

static int small(char c) { return c >= 'a' && c <= 'z'; }
static int digit(char c) { return c >= '0' && c <= '9'; }

static int unreserved(int c) {
    return small((char)c) || digit((char)c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
}

/* The value of an upper-case hexadecimal digit, or -1. */
static int hexadecimal(char c) { return digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

/* Whether a path, with a query or without, is one that the full parser would leave as it is. */
static int plain_rest(const char *at, const char *end) {
    int query = 0;
    char last = 0;
    for (; at < end; last = *at++) {
        if (*at == '.' && last == '/') return 0; /* a dot segment perhaps */
        if (unreserved((unsigned char)*at) || (*at && strchr("!$&()*+,;=:@/", *at))) continue;
        if (*at == '?' && !query++) continue;
        if (*at != '%' || end - at < 3) return 0;
        int high = hexadecimal(at[1]), low = hexadecimal(at[2]);
        if (high < 0 || low < 0 || unreserved(high << 4 | low)) return 0;
        at += 2;
    }
    return 1;
}

static int plain_absolute(const char *at, const char *end) {
    if (end - at < 8 || memcmp(at, "http", 4)) return 0;
    at += at[4] == 's' ? 5 : 4;
    if (end - at < 3 || memcmp(at, "://", 3)) return 0;
    at += 3;
    for (const char *place = at; (place = memchr(place, 'x', end - place)); place++)
        if (end - place > 3 && memcmp(place, "xn--", 4) == 0) return 0;
    const char *label = at;
    for (; at < end && *at != '/'; at++) {
        if (*at == '.') {
            if (at == label) return 0;
            label = at + 1;
        } else if (!small(*at) && !digit(*at) && (*at != '-' || at == label))
            return 0;
    }
    if (at >= end || !small(*label)) return 0; /* names that end in a number are addresses of another kind */
    at++;
    return !(at < end && (*at == '/' || *at == '.')) && plain_rest(at, end);
}

/* joined(folders, url): the address relative to a base in these folders, or None when it is not plain. */
static PyObject *joined(PyObject *module, PyObject *args) {
    PyObject *folders, *url;
    if (!PyArg_ParseTuple(args, "O!U", &PyList_Type, &folders, &url)) return NULL;
    Py_ssize_t size, count = PyList_Size(folders), level = 0;
    const char *text = PyUnicode_AsUTF8AndSize(url, &size);
    if (!text) { /* half a surrogate pair */
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    const char *fragment = memchr(text, '#', size);
    Py_ssize_t whole = size;
    if (fragment) size = fragment - text;
    if (!size || size > LONGEST || !count) Py_RETURN_NONE;
    const char *at = text, *end = text + size;
    while (end - at >= 3 && memcmp(at, "../", 3) == 0) at += 3, level++;
    if (!level && *at == '/') at++, level = count - 1;
    int relative = !(at < end && (*at == '.' || *at == '?' || *at == '/'));
    for (const char *c = at; relative && c < end && *c != '/' && *c != '?'; c++)
        if (*c == ':') relative = 0; /* it might end a scheme */
    if (relative && plain_rest(at, end)) {
        Py_ssize_t length;
        const char *folder = PyUnicode_AsUTF8AndSize(PyList_GetItem(folders, level < count ? level : count - 1), &length);
        if (!folder) return NULL;
        char address[2 * LONGEST];
        if (length > LONGEST || length + (end - at) > LONGEST) return PyUnicode_FromStringAndSize("", 0);
        memcpy(address, folder, length);
        memcpy(address + length, at, end - at);
        return PyUnicode_FromStringAndSize(address, length + (end - at));
    }
    if (at == text && plain_absolute(text, end))
        return size == whole ? Py_NewRef(url) : PyUnicode_FromStringAndSize(text, size);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"joined", joined, METH_VARARGS, "An address relative to a base in these folders, or None when it is not plain."},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_url", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__url(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "REVISION", REVISION) < 0) Py_CLEAR(module);
    return module;
}
