#include "parser/build_node.h"

#include "base/ascii.h"
#include "base/edit_distance.h"

#include <stdio.h>
#include <string.h>

// What every builder needs: memory with a spare behind it, the first error, places, growing lists; names.

// ---- memory, places, errors ----
void lt_build_fail(lt_builder *b, lt_condition condition, const lt_place *place, const char *format, ...) {
    if (b->status != LEAT_OK) return;
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    b->status = lt_raise(b->err, condition, place, "%s", text);
}

void lt_build_too_deep(lt_builder *b) {
    lt_build_fail(b, LT_LIMIT_EXCEEDED, &b->tokens[b->at].place, "nested more than %d deep; use views or CTEs",
                  LT_AST_DEPTH_MAX);
}

// Zeroed memory; the type's spare when there is none left.
void *lt_build_zero(lt_builder *b, size_t bytes, void *spare) {
    void *memory = b->status == LEAT_OK ? lt_arena_zero(b->arena, bytes) : NULL;
    if (memory != NULL) return memory;
    if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
    memset(spare, 0, bytes);
    return spare;
}

// The same for what counts as a node of the tree.
void *lt_build_node(lt_builder *b, size_t bytes, void *spare) {
    if (++b->node_count > LT_AST_NODES_MAX)
        lt_build_fail(b, LT_LIMIT_EXCEEDED, &b->tokens[b->at].place, "a statement of more than %d parts",
                      LT_AST_NODES_MAX);
    return lt_build_zero(b, bytes, spare);
}

lt_ast_text lt_build_text(lt_builder *b, const char *text, size_t bytes) {
    const char *copy = lt_arena_text(b->arena, text, bytes);
    if (copy == NULL && b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
    return copy == NULL ? (lt_ast_text){"", 0} : (lt_ast_text){copy, (uint32_t)bytes};
}

lt_place lt_build_span(const lt_place *first, const lt_place *last) {
    if (first->line == 0) return *last;
    lt_place place = *first;
    if (last->line != 0 && last->offset + last->bytes > first->offset)
        place.bytes = last->offset + last->bytes - first->offset;
    return place;
}

// Room for one more item of `item_bytes` behind `count`; false when there is no memory.
bool lt_build_list_grow(lt_builder *b, void **items, uint32_t count, uint32_t *capacity, size_t item_bytes) {
    if (b->status != LEAT_OK) return false;
    if (count < *capacity) return true;
    uint32_t more  = *capacity == 0 ? 4 : *capacity * 2;
    void    *moved = lt_arena_alloc(b->arena, more * item_bytes);
    if (moved == NULL) {
        b->status = lt_raise_no_memory(b->err);
        return false;
    }
    if (count > 0) memcpy(moved, *items, count * item_bytes);
    *items    = moved;
    *capacity = more;
    return true;
}

// ---- names and texts ----
lt_ast_name lt_build_no_name(void) { return (lt_ast_name){0}; }

lt_ast_name lt_build_name(lt_builder *b, const lt_token *token) {
    lt_ast_name name = {.place = token->place};
    if (token->kind != LT_SCAN_QUOTED_NAME) {
        lt_ast_text text = lt_build_text(b, token->text, token->bytes);
        name.text        = text.text;
        name.bytes       = text.bytes;
        name.quoted      = token->verbatim;
        return name;
    }
    char *text  = lt_arena_alloc(b->arena, token->bytes);
    name.quoted = true;
    name.text   = "";
    if (text == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return name;
    }
    for (uint32_t i = 1; i + 1 < token->bytes; i++) {
        text[name.bytes++] = token->text[i];
        if (token->text[i] == '`') i++;
    }
    text[name.bytes] = '\0';
    name.text        = text;
    return name;
}

LIST_BUILDER(lt_build_names, lt_ast_names, const lt_ast_name *name, *name)
LIST_BUILDER(lt_build_name_lists, lt_ast_name_lists, const lt_ast_names *names, *names)

bool lt_build_name_is(const lt_ast_name *name, const char *word) {
    return !name->quoted && name->bytes == strlen(word) && lt_ascii_equal(name->text, word, name->bytes);
}
