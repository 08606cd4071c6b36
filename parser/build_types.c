#include "parser/build_node.h"

#include <string.h>

lt_ast_type *lt_build_type(lt_builder *b, const lt_ast_name *name) {
    lt_ast_type *type = NEW(b, lt_ast_type);
    type->name        = *name;
    type->place       = name->place;
    return type;
}

lt_ast_type *lt_build_type_collated(lt_builder *b, const lt_ast_name *name, const lt_ast_name *collation) {
    lt_ast_type *type = lt_build_type(b, name);
    LIST_PUSH(b, &type->collation, *collation);
    type->place = lt_build_span(&name->place, &collation->place);
    return type;
}

lt_ast_type *lt_build_type_sized(lt_builder *b, const lt_ast_name *name, const lt_ast_names *numbers,
                                 const lt_token *end) {
    lt_ast_type *type = lt_build_type(b, name);
    type->parameters  = *numbers;
    type->place       = lt_build_span(&name->place, &end->place);
    return type;
}

lt_ast_type *lt_build_type_without_zone(lt_builder *b, const lt_ast_name *name, const lt_token *end) {
    lt_ast_type *type  = lt_build_type(b, name);
    type->without_zone = true;
    type->place        = lt_build_span(&name->place, &end->place);
    return type;
}

// The token spans `INTERVAL unit [TO unit]`; the filter has seen to that.
lt_ast_type *lt_build_type_interval(lt_builder *b, const lt_token *token) {
    lt_ast_name words[4] = {0};
    size_t      count    = 0;
    for (uint32_t i = 0; i < token->bytes && count < 4;) {
        uint32_t begin = i;
        while (i < token->bytes && ((token->text[i] | 32) >= 'a' && (token->text[i] | 32) <= 'z')) i++;
        if (i == begin) {
            i++;
            continue;
        }
        lt_token word  = {.kind = LT_SCAN_WORD, .text = token->text + begin, .bytes = i - begin, .place = token->place};
        words[count++] = lt_build_name(b, &word);
    }
    lt_ast_type *type = lt_build_type(b, &words[0]);
    type->from        = words[1];
    type->to          = words[3];
    type->place       = token->place;
    return type;
}

lt_ast_type *lt_build_type_nested(lt_builder *b, const lt_ast_name *name, const lt_ast_types *nested,
                                  const lt_token *end) {
    lt_ast_type *type     = lt_build_type(b, name);
    type->nested          = *nested;
    type->has_brackets    = true;
    type->place           = lt_build_span(&name->place, &end->place);
    const uint32_t wanted = lt_build_name_is(name, "MAP") ? 2 : 1;
    if (nested->count != wanted)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &type->place, "syntax error: `%s` takes %u type%s", name->text, wanted,
                      wanted == 1 ? "" : "s");
    return type;
}

lt_ast_type *lt_build_type_struct(lt_builder *b, const lt_token *word, const lt_ast_fields *fields,
                                  const lt_token *end) {
    lt_ast_name  name = lt_build_name(b, word);
    lt_ast_type *type = lt_build_type(b, &name);
    if (fields != NULL) type->fields = *fields;
    type->has_brackets = true;
    type->place        = lt_build_span(&word->place, &end->place);
    return type;
}

lt_ast_type *lt_build_schema(lt_builder *b, const lt_ast_fields *fields) {
    lt_ast_type *type  = NEW(b, lt_ast_type);
    type->name         = (lt_ast_name){.text = "STRUCT", .bytes = 6};
    type->fields       = *fields;
    type->has_brackets = true;
    return type;
}

LIST_BUILDER(lt_build_types, lt_ast_types, lt_ast_type *type, type)
LIST_BUILDER(lt_build_fields, lt_ast_fields, const lt_ast_field *field, *field)

lt_ast_names *lt_build_numbers(lt_builder *b, lt_ast_names *list, const lt_token *token) {
    lt_token number = *token;
    number.kind     = LT_SCAN_WORD;
    uint32_t digits = 0;
    while (digits < token->bytes && token->text[digits] >= '0' && token->text[digits] <= '9') digits++;
    if (token->negative || digits < token->bytes)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error: a type takes whole numbers only");
    lt_ast_name name = lt_build_name(b, &number);
    return lt_build_names(b, list, &name);
}

lt_ast_field lt_build_field(const lt_ast_name *name, lt_ast_type *type, bool not_null, lt_ast_text comment) {
    return (lt_ast_field){.name = *name, .type = type, .not_null = not_null, .comment = comment};
}
