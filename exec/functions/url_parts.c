// Parts of a URL: parse_url. A URL is cut as RFC 2396 (java.net.URI) says; a character that may not stand there makes
// it invalid. Source: Spark SQL 4: ParseUrl.
#include "base/function.h"

typedef struct url {
    lt_text protocol, authority, path, query, fragment, user, host; // data NULL: absent
    bool    is_opaque;                                              // mailto:x
} url;

static bool is_alphanumeric(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}
static bool is_hex(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Java allows all characters outside of ASCII but blanks and controls.
static bool characters_are_allowed(lt_text part, const char *others) {
    for (size_t i = 0; i < part.bytes; i++) {
        char byte = part.data[i];
        if (byte == '%') {
            if (part.bytes - i < 3 || !is_hex(part.data[i + 1]) || !is_hex(part.data[i + 2])) return false;
            continue;
        }
        if ((unsigned char)byte >= 0x80 || is_alphanumeric(byte)) continue;
        if (byte == '\0' || strchr("_-!.~'()*,;:$&+=@/?", byte) == NULL) {
            if (byte == '\0' || strchr(others, byte) == NULL) return false;
        }
    }
    return true;
}

static lt_text cut(lt_text *rest, size_t bytes) {
    lt_text part = {rest->data, bytes};
    rest->data += bytes;
    rest->bytes -= bytes;
    return part;
}

static size_t span_until(lt_text text, const char *stops) {
    for (size_t i = 0; i < text.bytes; i++)
        if (text.data[i] != '\0' && strchr(stops, text.data[i]) != NULL) return i;
    return text.bytes;
}

// [user@]host[:port]; an authority that is no server has neither user nor host.
static void parse_authority(url *out) {
    lt_text     rest = out->authority;
    const char *at   = memrchr(rest.data, '@', rest.bytes);
    lt_text     user = {NULL, 0};
    if (at != NULL) {
        user = cut(&rest, (size_t)(at - rest.data));
        cut(&rest, 1);
    }
    size_t host_bytes = rest.bytes;
    if (rest.bytes > 0 && rest.data[0] == '[') {
        const char *end = memchr(rest.data, ']', rest.bytes);
        if (end == NULL) return;
        host_bytes = (size_t)(end - rest.data) + 1;
    } else {
        host_bytes = span_until(rest, ":");
        for (size_t i = 0; i < host_bytes; i++)
            if (!is_alphanumeric(rest.data[i]) && rest.data[i] != '-' && rest.data[i] != '.') return;
    }
    for (size_t i = host_bytes + 1; i < rest.bytes; i++)
        if (rest.data[i] < '0' || rest.data[i] > '9') return;
    if (host_bytes == 0) return;
    out->user = user;
    out->host = (lt_text){rest.data, host_bytes};
}

static bool parse(lt_text text, url *out) {
    *out         = (url){0};
    lt_text rest = text;
    size_t  end  = span_until(rest, ":/?#");
    if (end < rest.bytes && rest.data[end] == ':') {
        if (end == 0 || !is_alphanumeric(rest.data[0])) return false;
        out->protocol = cut(&rest, end);
        for (size_t i = 0; i < end; i++)
            if (!is_alphanumeric(out->protocol.data[i]) && strchr("+-.", out->protocol.data[i]) == NULL) return false;
        cut(&rest, 1);
        if (rest.bytes == 0) return false;
        out->is_opaque = rest.data[0] != '/';
    }
    size_t fragment = span_until(rest, "#");
    if (fragment < rest.bytes) {
        out->fragment = (lt_text){rest.data + fragment + 1, rest.bytes - fragment - 1};
        rest.bytes    = fragment;
        if (!characters_are_allowed(out->fragment, "[]")) return false;
    }
    if (out->is_opaque) return characters_are_allowed(rest, "[]");
    if (rest.bytes >= 2 && memcmp(rest.data, "//", 2) == 0) {
        cut(&rest, 2);
        out->authority = cut(&rest, span_until(rest, "/?"));
        if (out->authority.bytes == 0 && rest.bytes == 0) return false;
        if (!characters_are_allowed(out->authority, "[]")) return false;
        if (out->authority.bytes == 0)
            out->authority.data = NULL;
        else
            parse_authority(out);
    }
    out->path = cut(&rest, span_until(rest, "?"));
    if (rest.bytes > 0) out->query = (lt_text){rest.data + 1, rest.bytes - 1};
    return characters_are_allowed(out->path, "") && characters_are_allowed(out->query, "[]");
}

// The value behind `key=` in the query, or no data.
static lt_text value_of(lt_text query, lt_text key) {
    for (lt_text rest = query; rest.data != NULL && rest.bytes > 0;) {
        lt_text pair = cut(&rest, span_until(rest, "&"));
        if (rest.bytes > 0) cut(&rest, 1);
        if (pair.bytes > key.bytes && pair.data[key.bytes] == '=' && memcmp(pair.data, key.data, key.bytes) == 0)
            return (lt_text){pair.data + key.bytes + 1, pair.bytes - key.bytes - 1};
    }
    return (lt_text){NULL, 0};
}

static bool part_is(lt_text name, const char *part) {
    return name.bytes == strlen(part) && memcmp(name.data, part, name.bytes) == 0;
}

static lt_text part_of(const url *parsed, lt_text name) {
    if (part_is(name, "HOST")) return parsed->host;
    if (part_is(name, "PATH")) return parsed->path;
    if (part_is(name, "QUERY")) return parsed->query;
    if (part_is(name, "REF")) return parsed->fragment;
    if (part_is(name, "PROTOCOL")) return parsed->protocol;
    if (part_is(name, "AUTHORITY")) return parsed->authority;
    if (part_is(name, "USERINFO")) return parsed->user;
    if (part_is(name, "FILE") && parsed->path.data != NULL)
        return (lt_text){parsed->path.data,
                         parsed->path.bytes + (parsed->query.data == NULL ? 0 : parsed->query.bytes + 1)};
    return (lt_text){NULL, 0};
}

static leat_status parse_url_rows(lt_call *call, bool is_try, leat_error *err) {
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row), name = lt_arg_text(call, 1, row), part = {NULL, 0};
        url     parsed;
        if (parse(text, &parsed))
            part = part_of(&parsed, name);
        else if (!is_try)
            return lt_call_raise(call, err, LT_INVALID_URL, "`%.*s` is no URL; try_parse_url gives NULL instead",
                                 (int)(text.bytes < 80 ? text.bytes : 80), text.data);
        if (call->argument_count > 2)
            part = part_is(name, "QUERY") ? value_of(part, lt_arg_text(call, 2, row)) : (lt_text){NULL, 0};
        if (part.data == NULL)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            lt_call_put_view(call, row, part.data, part.bytes);
    }
    return LEAT_OK;
}
static leat_status parse_url_evaluate(lt_call *call, leat_error *err) { return parse_url_rows(call, false, err); }
static leat_status try_parse_url_evaluate(lt_call *call, leat_error *err) { return parse_url_rows(call, true, err); }

#define TEXTS                                                                                                          \
    {                                                                                                                  \
        LT_TAKES_STRING | LT_TAKES_EXACT, LT_TAKES_STRING | LT_TAKES_EXACT,                                            \
            LT_TAKES_STRING | LT_TAKES_EXACT | LT_TAKES_OPTIONAL                                                       \
    }

const lt_function lt_functions_url_parts[] = {
    {.name     = "parse_url",
     .takes    = TEXTS,
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = parse_url_evaluate,
     .summary  = "HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO of a URL, or a value of its query.",
     .example  = "SELECT parse_url('http://h/p?x=1&y=2', 'QUERY', 'x')",
     .example_result = "1"},
    {.name           = "try_parse_url",
     .takes          = TEXTS,
     .returns        = LT_STRING,
     .evaluate       = try_parse_url_evaluate,
     .summary        = "Part of a URL as parse_url gives it, or NULL when it is no URL.",
     .example        = "SELECT try_parse_url('http://h/p?q=1', 'HOST')",
     .example_result = "h"},
    {0},
};
