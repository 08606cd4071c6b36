#include "parser/print_node.h"

static void put_field(lt_printer *p, const lt_ast_field *field) {
    lt_put_name(p, &field->name);
    lt_put(p, ": ");
    lt_put_type(p, field->type);
    lt_put_if(p, field->not_null, " NOT NULL");
    if (field->comment.text != NULL) {
        lt_put(p, " COMMENT ");
        lt_put_string(p, field->comment);
    }
}

void lt_put_type(lt_printer *p, const lt_ast_type *type) {
    lt_put_word(p, &type->name);
    for (uint32_t i = 0; i < type->parameters.count; i++) {
        lt_put(p, i == 0 ? "(" : ", ");
        lt_put_word(p, &type->parameters.items[i]);
    }
    lt_put_if(p, type->parameters.count > 0, ")");
    lt_put_if(p, type->has_brackets, "<");
    for (uint32_t i = 0; i < type->nested.count; i++) {
        lt_put_comma(p, i);
        lt_put_type(p, type->nested.items[i]);
    }
    for (uint32_t i = 0; i < type->fields.count; i++) {
        lt_put_comma(p, i);
        put_field(p, &type->fields.items[i]);
    }
    lt_put_if(p, type->has_brackets, ">");
    lt_put_if(p, type->without_zone, " WITHOUT TIME ZONE");
    if (type->from.text != NULL) {
        lt_put(p, " ");
        lt_put_word(p, &type->from);
    }
    if (type->to.text != NULL) {
        lt_put(p, " TO ");
        lt_put_word(p, &type->to);
    }
    if (type->collation.count > 0) {
        lt_put(p, " COLLATE ");
        lt_put_dotted(p, &type->collation);
    }
}
