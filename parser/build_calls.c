#include "parser/build_node.h"

// Calls and what belongs to them: units, filters, named and table arguments, windows with frame and order.

// Of the last part; a list is empty only after an error.
static lt_place names_place(const lt_builder *b, const lt_ast_names *names) {
    return names->count > 0 ? names->items[names->count - 1].place : b->tokens[b->at].place;
}

static bool is_datetime_unit(const lt_ast_name *name) {
    static const char *const units[] = {"YEAR", "QUARTER", "MONTH",  "WEEK",        "DAY",        "DAYOFYEAR",
                                        "HOUR", "MINUTE",  "SECOND", "MILLISECOND", "MICROSECOND"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (lt_build_name_is(name, units[i])) return true;
    return false;
}

static bool call_is(const lt_ast_expression *call, const char *name) {
    return call->call->name.count == 1 && lt_build_name_is(&call->call->name.items[0], name);
}

static bool takes_unit(const lt_ast_expression *call) {
    static const char *const names[] = {"TIMESTAMPADD", "DATEADD",   "DATE_ADD", "TIMESTAMPDIFF",
                                        "DATEDIFF",     "DATE_DIFF", "TIMEDIFF"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (call_is(call, names[i])) return true;
    return false;
}

// YEAR as an argument is a column for the grammar; here it becomes the unit that it is.
static bool unit_take(lt_builder *b, lt_ast_expression **argument, bool any_word) {
    lt_ast_expression *column = *argument;
    if (column->kind != LT_AST_COLUMN || column->names.count != 1 || column->parenthesized) return false;
    lt_ast_name *name = &column->names.items[0];
    if (name->quoted || (!any_word && !is_datetime_unit(name))) return false;
    *argument = lt_build_literal(b, LT_AST_LITERAL_UNIT, &column->place, (lt_ast_text){name->text, name->bytes});
    return true;
}

static lt_ast_expression *call_new(lt_builder *b, lt_ast_expression *function, const lt_token *end) {
    lt_place           place = lt_build_span(&function->place, &end->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_CALL, &place);
    e->call                  = NEW(b, lt_ast_call);
    if (function->kind == LT_AST_COLUMN && !function->parenthesized) {
        e->call->name = function->names;
    } else {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &end->place, "syntax error: only a name can be called");
    }
    return e;
}

lt_ast_expression *lt_build_call(lt_builder *b, lt_ast_expression *function, bool distinct,
                                 const lt_ast_expressions *arguments, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->call->distinct    = distinct;
    lt_build_arguments_set(b, e, arguments);
    for (uint32_t i = 0; i < e->arguments.count; i++) {
        const lt_ast_expression *argument = e->arguments.items[i];
        if (argument->kind == LT_AST_ALIAS && !call_is(e, "STRUCT"))
            lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &argument->name.place,
                          "syntax error at `%s`: only the arguments of struct can be named with AS",
                          argument->name.text);
    }
    if (e->arguments.count == 3 && takes_unit(e)) {
        const lt_ast_expression *unit = e->arguments.items[0];
        if (unit->kind == LT_AST_LITERAL && unit->literal.kind == LT_AST_LITERAL_STRING)
            lt_build_fail(b, LT_INVALID_PARAMETER_VALUE__DATETIME_UNIT, &unit->place,
                          "%s takes its unit as a word: write DAY, not 'DAY'", e->call->name.items[0].text);
        if (unit_take(b, &e->arguments.items[0], false)) e->spelling = LT_AST_SPELLING_UNIT;
    }
    return e;
}

// count(DISTINCT): the word alone is a column's name.
lt_ast_expressions *lt_build_word_argument(lt_builder *b, const lt_token *word) {
    lt_ast_name name = lt_build_name(b, word);
    return lt_build_expressions(b, NULL, lt_build_column(b, &name));
}

lt_ast_expression *lt_build_call_nulls(lt_builder *b, lt_ast_expression *call, lt_ast_call_nulls nulls,
                                       const lt_token *end) {
    (void)b;
    call->call->nulls        = nulls;
    call->call->nulls_inside = end == NULL;
    if (end != NULL) call->place = lt_build_span(&call->place, &end->place);
    return call;
}

lt_ast_expression *lt_build_call_within(lt_builder *b, lt_ast_expression *call, const lt_ast_order_items *order,
                                        const lt_token *end) {
    call->call->within_group = *order;
    call->place              = lt_build_span(&call->place, &end->place);
    for (uint32_t i = 0; i < order->count; i++) lt_build_expression_depth(b, call, order->items[i].expression->depth);
    return call;
}

lt_ast_expression *lt_build_call_filter(lt_builder *b, lt_ast_expression *call, lt_ast_expression *filter,
                                        const lt_token *end) {
    call->call->filter = filter;
    call->place        = lt_build_span(&call->place, &end->place);
    lt_build_expression_depth(b, call, filter->depth);
    return call;
}

lt_ast_expression *lt_build_call_over(lt_builder *b, lt_ast_expression *call, lt_ast_window *window) {
    call->call->over = window;
    call->place      = lt_build_span(&call->place, &window->place);
    for (uint32_t i = 0; i < window->partition_by.count; i++)
        lt_build_expression_depth(b, call, window->partition_by.items[i]->depth);
    for (uint32_t i = 0; i < window->order_by.count; i++)
        lt_build_expression_depth(b, call, window->order_by.items[i].expression->depth);
    return call;
}

// f(x FROM y [FOR z]): substring, trim and extract only.
lt_ast_expression *lt_build_call_from(lt_builder *b, lt_ast_expression *function, lt_ast_expression *what,
                                      lt_ast_expression *from, lt_ast_expression *length, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->spelling          = LT_AST_SPELLING_FROM;
    if (call_is(e, "TRIM") && length == NULL) {
        lt_build_argument_add(b, e, from);
        lt_build_argument_add(b, e, what);
    } else if (call_is(e, "EXTRACT") && length == NULL && unit_take(b, &what, true)) {
        lt_build_argument_add(b, e, what);
        lt_build_argument_add(b, e, from);
    } else if (call_is(e, "SUBSTRING") || call_is(e, "SUBSTR")) {
        lt_build_argument_add(b, e, what);
        lt_build_argument_add(b, e, from);
        if (length != NULL) lt_build_argument_add(b, e, length);
    } else {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &from->place, "syntax error: this function takes no FROM");
    }
    return e;
}

lt_ast_expression *lt_build_call_trim(lt_builder *b, lt_ast_expression *function, const lt_token *side,
                                      lt_ast_expression *characters, lt_ast_expression *source, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->spelling          = (side->text[0] | 32) == 'b'   ? LT_AST_SPELLING_TRIM_BOTH
                           : (side->text[0] | 32) == 'l' ? LT_AST_SPELLING_TRIM_LEADING
                                                         : LT_AST_SPELLING_TRIM_TRAILING;
    lt_build_argument_add(b, e, source);
    if (characters != NULL) lt_build_argument_add(b, e, characters);
    return e;
}

lt_ast_expression *lt_build_call_overlay(lt_builder *b, lt_ast_expression *function, lt_ast_expression *input,
                                         lt_ast_expression *replacement, lt_ast_expression *from,
                                         lt_ast_expression *length, const lt_token *end) {
    lt_ast_expression *e = call_new(b, function, end);
    e->spelling          = LT_AST_SPELLING_PLACING;
    if (!call_is(e, "OVERLAY"))
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &replacement->place, "syntax error: only overlay takes PLACING");
    lt_build_argument_add(b, e, input);
    lt_build_argument_add(b, e, replacement);
    lt_build_argument_add(b, e, from);
    if (length != NULL) lt_build_argument_add(b, e, length);
    return e;
}

lt_ast_expression *lt_build_call_position(lt_builder *b, const lt_token *word, lt_ast_expression *needle,
                                          lt_ast_expression *text, const lt_token *end) {
    lt_ast_name        name = lt_build_name(b, word);
    lt_ast_expression *e    = call_new(b, lt_build_column(b, &name), end);
    e->spelling             = LT_AST_SPELLING_IN;
    lt_build_argument_add(b, e, needle);
    lt_build_argument_add(b, e, text);
    return e;
}

lt_ast_expression *lt_build_named_argument(lt_builder *b, const lt_ast_name *name, lt_ast_expression *value) {
    lt_place           place = lt_build_span(&name->place, &value->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_NAMED_ARGUMENT, &place);
    e->name                  = *name;
    lt_build_argument_add(b, e, value);
    return e;
}

lt_ast_expression *lt_build_lambda(lt_builder *b, const lt_token *begin, const lt_ast_names *names,
                                   lt_ast_expression *body) {
    lt_place           first = begin != NULL ? begin->place : names->count > 0 ? names->items[0].place : body->place;
    lt_place           place = lt_build_span(&first, &body->place);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_LAMBDA, &place);
    e->names                 = *names;
    lt_build_argument_add(b, e, body);
    return e;
}

lt_ast_expression *lt_build_table_argument(lt_builder *b, const lt_token *begin, const lt_ast_names *table,
                                           lt_ast_query *query, const lt_ast_window *partition) {
    lt_place           end   = query != NULL ? query->place : names_place(b, table);
    lt_place           place = lt_build_span(&begin->place, &end);
    lt_ast_expression *e     = lt_build_expression_new(b, LT_AST_TABLE_ARGUMENT, &place);
    e->table                 = NEW(b, lt_ast_table_argument);
    if (table != NULL) e->table->table = *table;
    e->table->query = query;
    if (query != NULL) lt_build_expression_depth(b, e, query->depth);
    if (partition != NULL) {
        e->table->single_partition = partition->name.text != NULL;
        e->table->partition_by     = partition->partition_by;
        e->table->order_by         = partition->order_by;
    }
    return e;
}

// Carried in a window: a name stands for WITH SINGLE PARTITION. (a, b) means two columns.
lt_ast_window *lt_build_table_partition(lt_builder *b, const lt_token *single, lt_ast_expression *by,
                                        const lt_ast_order_items *order) {
    lt_ast_window *window = NEW(b, lt_ast_window);
    if (single != NULL) window->name.text = "SINGLE";
    if (by != NULL && by->kind == LT_AST_ROW)
        window->partition_by = by->arguments;
    else if (by != NULL)
        LIST_PUSH(b, &window->partition_by, by);
    if (order != NULL) window->order_by = *order;
    return window;
}

// ---- windows and order ----
lt_ast_window *lt_build_window_reference(lt_builder *b, const lt_ast_name *name) {
    lt_ast_window *window = NEW(b, lt_ast_window);
    window->name          = *name;
    window->place         = name->place;
    return window;
}

lt_ast_window *lt_build_window_named(lt_builder *b, const lt_token *begin, const lt_ast_name *name,
                                     const lt_token *end) {
    lt_ast_window *window = lt_build_window_reference(b, name);
    window->place         = lt_build_span(&begin->place, &end->place);
    return window;
}

lt_ast_window *lt_build_window(lt_builder *b, const lt_token *begin, const lt_ast_expressions *partition,
                               const lt_ast_order_items *order, lt_ast_window *frame, const lt_token *end) {
    lt_ast_window *window = frame != NULL ? frame : NEW(b, lt_ast_window);
    if (partition != NULL) window->partition_by = *partition;
    if (order != NULL) window->order_by = *order;
    window->place = lt_build_span(&begin->place, &end->place);
    return window;
}

lt_ast_window *lt_build_frame(lt_builder *b, lt_ast_frame kind, const lt_ast_bound *start, const lt_ast_bound *end) {
    lt_ast_window *window = NEW(b, lt_ast_window);
    window->frame         = kind;
    window->start         = *start;
    window->has_end       = end != NULL;
    window->end           = end != NULL ? *end : (lt_ast_bound){.kind = LT_AST_CURRENT_ROW, .place = start->place};
    return window;
}

lt_ast_bound lt_build_bound(lt_ast_bound_kind kind, lt_ast_expression *value, const lt_token *token) {
    return (lt_ast_bound){.kind = kind, .value = value, .place = token != NULL ? token->place : value->place};
}

LIST_BUILDER(lt_build_order_items, lt_ast_order_items, const lt_ast_order_item *item, *item)

lt_ast_order_item lt_build_order_item(lt_ast_expression *e, int direction, lt_ast_nulls nulls) {
    return (lt_ast_order_item){
        .expression = e, .descending = direction == 2, .direction_written = direction != 0, .nulls = nulls};
}
