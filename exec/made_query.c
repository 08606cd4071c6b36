#include "exec/made_query.h"

#include "parser/parser.h"

static lt_ast_name name_of(const char *text) {
    return (lt_ast_name){.text = text, .bytes = (uint32_t)strlen(text), .quoted = true};
}

static leat_status argument_set(lt_arena *arena, lt_ast_expression *parent, lt_ast_expression *argument,
                                leat_error *err) {
    LT_TRY_NEW_ARRAY(parent->arguments.items, arena, 1, err);
    parent->arguments.items[0] = argument;
    parent->arguments.count    = 1;
    return LEAT_OK;
}

leat_status lt_made_column(lt_arena *arena, const char *name, lt_ast_expression **out, leat_error *err) {
    LT_TRY_NEW(*out, arena, err);
    LT_TRY_NEW_ARRAY((*out)->names.items, arena, 1, err);
    (*out)->kind           = LT_AST_COLUMN;
    (*out)->names.items[0] = name_of(name);
    (*out)->names.count    = 1;
    return LEAT_OK;
}

leat_status lt_made_cast(lt_arena *arena, lt_ast_expression *value, const lt_type *type, lt_ast_expression **out,
                         leat_error *err) {
    const char *text = lt_type_text(arena, type);
    if (text == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW(*out, arena, err);
    (*out)->kind  = LT_AST_CAST;
    (*out)->place = value->place;
    LT_TRY(argument_set(arena, *out, value, err));
    return lt_parse_type(text, strlen(text), arena, &(*out)->type, err);
}

leat_status lt_made_call(lt_arena *arena, const char *function, lt_ast_expression *argument, lt_ast_expression **out,
                         leat_error *err) {
    lt_ast_call *call;
    LT_TRY_NEW(*out, arena, err);
    LT_TRY_NEW(call, arena, err);
    LT_TRY_NEW_ARRAY(call->name.items, arena, 1, err);
    call->name.items[0] = name_of(function);
    call->name.count    = 1;
    (*out)->kind        = LT_AST_CALL;
    (*out)->call        = call;
    return argument_set(arena, *out, argument, err);
}

leat_status lt_made_query_init(lt_made_query *made, leat_statement *statement, const char *relation,
                               uint32_t item_count, leat_error *err) {
    lt_arena        *arena = &statement->result_arena;
    const lt_place  *place = &statement->tree->place;
    lt_ast_relation *from;
    made->statement = statement;
    LT_TRY_NEW(made->query, arena, err);
    LT_TRY_NEW(made->select, arena, err);
    LT_TRY_NEW(from, arena, err);
    LT_TRY_NEW_ARRAY(from->name.items, arena, 1, err);
    LT_TRY_NEW_ARRAY(made->select->items.items, arena, item_count + 1u, err);
    from->kind                = LT_AST_RELATION_TABLE;
    from->name.items[0]       = name_of(relation);
    from->name.items[0].place = *place;
    from->name.count          = 1;
    from->place               = *place;
    made->select->from        = from;
    made->select->place       = *place;
    made->query->kind         = LT_AST_QUERY_SELECT;
    made->query->select       = made->select;
    made->query->place        = *place;
    return LEAT_OK;
}

void lt_made_query_add(lt_made_query *made, lt_ast_expression *item) {
    made->select->items.items[made->select->items.count++] = (lt_ast_item){.expression = item};
}

leat_status lt_made_query_run(const lt_made_query *made, const lt_type *const *types, lt_segments *out,
                              leat_error *err) {
    leat_statement *statement = made->statement;
    leat_statement  collector = {.session = statement->session};
    lt_query_plan   plan;
    lt_finish_use   once = {0};
    const lt_type **given;
    lt_segments_init(out, NULL, 0, &statement->session->account);
    LT_TRY(lt_query_plan_bind(statement->session, statement, made->query, false, &statement->result_arena, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    LT_TRY_NEW_ARRAY(given, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) given[c] = plan.root->columns[c].type;
    lt_segments_init(&collector.rows, types != NULL ? types : given, plan.root->column_count,
                     &statement->session->account);
    leat_status status =
        lt_query_run_now(statement->session, &plan, &statement->evaluation, lt_statement_give, &collector, err);
    *out = collector.rows;
    return status;
}
