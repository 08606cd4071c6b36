#include "parser/print_node.h"

#include "parser/scan.h"

#include <string.h>

void lt_put_bytes(lt_printer *p, const char *text, size_t bytes) {
    if (p->status == LEAT_OK) p->status = lt_buffer_append(p->out, text, bytes, p->err);
}

void lt_put(lt_printer *p, const char *text) { lt_put_bytes(p, text, strlen(text)); }

void lt_put_if(lt_printer *p, bool condition, const char *text) {
    if (condition) lt_put(p, text);
}

void lt_put_comma(lt_printer *p, uint32_t index) { lt_put_if(p, index > 0, ", "); }

// Backslashes are escapes in strings, so they are doubled; a NUL takes three digits, as digits may follow.
void lt_put_string(lt_printer *p, lt_ast_text text) {
    lt_put(p, "'");
    for (uint32_t i = 0; i < text.bytes; i++) {
        switch (text.text[i]) {
        case '\'':
            lt_put(p, "\\'");
            break;
        case '\\':
            lt_put(p, "\\\\");
            break;
        case '\n':
            lt_put(p, "\\n");
            break;
        case '\r':
            lt_put(p, "\\r");
            break;
        case '\0':
            lt_put(p, "\\000");
            break;
        default:
            lt_put_bytes(p, text.text + i, 1);
            break;
        }
    }
    lt_put(p, "'");
}

bool lt_put_is_plain(const lt_ast_name *name) {
    for (uint32_t i = 0; i < name->bytes; i++) {
        const char c = name->text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    }
    return name->bytes > 0;
}

void lt_put_quoted_name(lt_printer *p, const lt_ast_name *name) {
    lt_put(p, "`");
    for (uint32_t i = 0; i < name->bytes; i++) {
        lt_put_if(p, name->text[i] == '`', "`");
        lt_put_bytes(p, name->text + i, 1);
    }
    lt_put(p, "`");
}

// A keyword is put in back-quotes: other text around it may make it one. ALL and DEFAULT mean something as bare names.
void lt_put_name(lt_printer *p, const lt_ast_name *name) {
    const lt_keyword *keyword = name->quoted ? NULL : lt_keyword_find(name->text, name->bytes);
    const bool is_bare = keyword == NULL || strcmp(keyword->text, "ALL") == 0 || strcmp(keyword->text, "DEFAULT") == 0;
    if (name->quoted || !is_bare || !lt_put_is_plain(name))
        lt_put_quoted_name(p, name);
    else
        lt_put_bytes(p, name->text, name->bytes);
}

// A name in a place where a keyword cannot be meant: functions, types, units.
void lt_put_word(lt_printer *p, const lt_ast_name *name) {
    if (name->quoted)
        lt_put_quoted_name(p, name);
    else
        lt_put_bytes(p, name->text, name->bytes);
}

void lt_put_dotted(lt_printer *p, const lt_ast_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        // Behind a dot no word is a keyword.
        lt_put_if(p, i > 0, ".");
        if (i > 0 && lt_put_is_plain(&names->items[i]))
            lt_put_word(p, &names->items[i]);
        else
            lt_put_name(p, &names->items[i]);
    }
}

void lt_put_names(lt_printer *p, const lt_ast_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        lt_put_comma(p, i);
        lt_put_name(p, &names->items[i]);
    }
}

void lt_put_name_list(lt_printer *p, const lt_ast_names *names) {
    lt_put(p, "(");
    lt_put_names(p, names);
    lt_put(p, ")");
}

void lt_put_dotteds(lt_printer *p, const lt_ast_name_lists *lists) {
    lt_put(p, "(");
    for (uint32_t i = 0; i < lists->count; i++) {
        lt_put_comma(p, i);
        lt_put_dotted(p, &lists->items[i]);
    }
    lt_put(p, ")");
}

leat_status lt_print_statement(lt_buffer *out, const lt_ast_statement *statement, leat_error *err) {
    lt_printer p = {.out = out, .err = err};
    lt_put_statement(&p, statement);
    return p.status;
}

leat_status lt_print_query(lt_buffer *out, const lt_ast_query *query, leat_error *err) {
    lt_printer p = {.out = out, .err = err};
    lt_put_query(&p, query);
    return p.status;
}

leat_status lt_print_expression(lt_buffer *out, const lt_ast_expression *expression, leat_error *err) {
    lt_printer p = {.out = out, .err = err};
    lt_put_expression(&p, expression, LT_LEVEL_OR);
    return p.status;
}

leat_status lt_print_type(lt_buffer *out, const lt_ast_type *type, leat_error *err) {
    lt_printer p = {.out = out, .err = err};
    lt_put_type(&p, type);
    return p.status;
}

leat_status lt_print_name(lt_buffer *out, const lt_ast_name *name, leat_error *err) {
    lt_printer p = {.out = out, .err = err};
    lt_put_name(&p, name);
    return p.status;
}
