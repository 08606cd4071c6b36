#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "planner/nearest.h"

// Names: where a column ends and its fields begin, in which scope it is found, and what to say when it is not.
// Order: variables of lambdas, columns (or aliases first, as the clause wants), parameters of SQL functions, the query
// around, session variables.

leat_status lt_names_text(lt_binder *binder, const lt_ast_names *names, const char **out, leat_error *err) {
    const char *text = "";
    for (uint32_t i = 0; i < names->count && text != NULL; i++)
        text = i == 0 ? names->items[i].text : lt_arena_format(binder->arena, "%s.%s", text, names->items[i].text);
    *out = text;
    return text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_relation_of_plan(lt_binder *binder, const lt_plan *plan, const char *relation, lt_relation *out,
                                leat_error *err) {
    *out = (lt_relation){.plan = plan};
    for (uint32_t i = 0; i < plan->column_count; i++) {
        const lt_scope_column column = {.name      = plan->columns[i].name,
                                        .relation  = relation,
                                        .type      = plan->columns[i].type,
                                        .column    = i,
                                        .is_hidden = plan->columns[i].is_hidden};
        LT_LIST_ADD(binder->arena, &out->columns, column, err);
    }
    return LEAT_OK;
}

leat_status lt_raise_unresolved(lt_binder *binder, const lt_scope *scope, const lt_ast_names *names,
                                const lt_place *place, leat_error *err) {
    const char *text;
    LT_TRY(lt_names_text(binder, names, &text, err));
    lt_nearest nearest = {.wanted = lt_ast_names_last(names)};
    for (uint32_t i = 0; scope->relation != NULL && i < scope->relation->columns.count; i++)
        lt_nearest_offer(&nearest, scope->relation->columns.items[i].name);
    for (uint32_t i = 0; scope->alias_use == LT_ALIASES_FIRST && i < scope->aliases->count; i++)
        lt_nearest_offer(&nearest, scope->aliases->items[i].name);
    if (nearest.best == NULL)
        return lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, place, "no column `%s`", text);
    return lt_raise(err, LT_UNRESOLVED_COLUMN__WITH_SUGGESTION, place, "no column `%s`; did you mean `%s`?", text,
                    nearest.best);
}

// ---- fields
// -------------------------------------------------------------------------------------------------------------

static leat_status struct_field(lt_binder *binder, const lt_bound *value, const lt_type *type, const char *name,
                                const lt_place *place, uint32_t *out, leat_error *err) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (lt_ascii_compare(type->fields[i].name, name) == 0) {
            *out = i;
            found++;
        }
    if (found > 1)
        return lt_raise(err, LT_AMBIGUOUS_REFERENCE_TO_FIELDS, place, "`%s` has %u fields named `%s`", value->text,
                        found, name);
    if (found == 0) {
        lt_nearest nearest = {.wanted = name};
        for (uint32_t i = 0; i < type->field_count; i++) lt_nearest_offer(&nearest, type->fields[i].name);
        return lt_raise(err, LT_FIELD_NOT_FOUND, place, "no field `%s` in `%s`; did you mean `%s`?", name,
                        lt_type_text(binder->arena, type), nearest.best == NULL ? "" : nearest.best);
    }
    return LEAT_OK;
}

leat_status lt_field_bind(lt_binder *binder, const lt_bound *value, const char *name, const lt_place *place,
                          lt_bound *out, leat_error *err) {
    const lt_type *type   = value->expression->type;
    lt_bound       result = {.size = value->size + 1, .depth = value->depth + 1, .name = name};
    if (type->kind == LT_MAP) {
        const lt_vector *key;
        LT_TRY(lt_constant_text(binder->arena, LT_STRING, name, strlen(name), &key, err));
        const lt_bound arguments[2] = {
            *value,
            {.expression = lt_expression_literal(binder->arena, key, place), .text = name, .size = 1, .depth = 1}};
        if (arguments[1].expression == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_call_bind(binder, "[]", arguments, 2, "$1[$2]", place, out, err));
        out->name = name;
        return LEAT_OK;
    }
    const bool is_array = type->kind == LT_ARRAY && type->fields[0].type->kind == LT_STRUCT;
    if (type->kind == LT_ARRAY && !is_array)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, place,
                        "`%s` is %s: its elements are found by number, not by `%s`", value->text,
                        lt_type_text(binder->arena, type), name);
    if (type->kind != LT_STRUCT && !is_array)
        return lt_raise(err, LT_INVALID_EXTRACT_BASE_FIELD_TYPE, place,
                        "`%s` is %s: only a STRUCT, MAP or ARRAY of STRUCT has a field `%s`", value->text,
                        lt_type_text(binder->arena, type), name);
    const lt_type *of = is_array ? type->fields[0].type : type;
    uint32_t       field;
    LT_TRY(struct_field(binder, value, of, name, place, &field, err));
    const lt_type *field_type = of->fields[field].type;
    if (is_array) field_type = lt_type_array(binder->arena, field_type);
    if (field_type == NULL) return lt_raise_no_memory(err);
    lt_expression *expression;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_FIELD, field_type, &value->expression, 1, place, &expression, err));
    expression->field = field;
    LT_TRY(lt_bind_fold(binder, expression, &result.expression, err));
    result.text = lt_arena_format(binder->arena, "%s.%s", value->text, name);
    if (result.text == NULL) return lt_raise_no_memory(err);
    *out = result;
    return LEAT_OK;
}

static leat_status fields_bind(lt_binder *binder, const lt_ast_names *names, uint32_t first, lt_bound *value,
                               leat_error *err) {
    for (uint32_t i = first; i < names->count; i++) {
        const lt_bound outer = *value;
        LT_TRY(lt_field_bind(binder, &outer, names->items[i].text, &names->items[i].place, value, err));
    }
    return LEAT_OK;
}

// ---- where a name is found
// --------------------------------------------------------------------------------------------

// Parts of the name in front of the relation that say where it lives: default.t.a, spark_catalog.default.t.a.
static uint32_t catalog_parts(const lt_binder *binder, const lt_ast_names *names) {
    uint32_t skip = 0;
    if (names->count > 3 && lt_ascii_compare(names->items[0].text, "spark_catalog") == 0) skip = 1;
    if (names->count <= skip + 2) return 0;
    const char *schema = names->items[skip].text;
    const bool  is_one = lt_ascii_compare(schema, "default") == 0 ||
                        (binder->context->catalog != NULL && lt_catalog_schema_find(binder->context->catalog, schema));
    return is_one ? skip + 1 : 0;
}

static leat_status find_column(lt_binder *binder, const lt_relation *relation, const lt_ast_names *names,
                               const char *table, uint32_t part, const lt_scope_column **out, leat_error *err) {
    const char *name = names->items[part].text;
    *out             = NULL;
    for (uint32_t i = 0; i < relation->columns.count; i++) {
        const lt_scope_column *column = &relation->columns.items[i];
        if (lt_ascii_compare(column->name, name) != 0) continue;
        if (table != NULL ? column->relation == NULL || lt_ascii_compare(column->relation, table) != 0
                          : column->is_qualified_only)
            continue;
        if (*out != NULL && (*out)->column != column->column) {
            const char *text;
            LT_TRY(lt_names_text(binder, names, &text, err));
            return lt_raise(err, LT_AMBIGUOUS_REFERENCE, &names->items[0].place,
                            "`%s` is the name of several columns; say which table's", text);
        }
        *out = column;
    }
    return LEAT_OK;
}

static leat_status find_in_relation(lt_binder *binder, const lt_relation *relation, const lt_ast_names *names,
                                    bool *out_found, lt_bound *out, leat_error *err) {
    const lt_scope_column *column = NULL;
    const uint32_t         skip   = catalog_parts(binder, names);
    uint32_t               part   = skip + 1;
    if (names->count > skip + 1)
        LT_TRY(find_column(binder, relation, names, names->items[skip].text, part, &column, err));
    if (column == NULL) {
        part = 0;
        LT_TRY(find_column(binder, relation, names, NULL, 0, &column, err));
    }
    *out_found = column != NULL;
    if (column == NULL) return LEAT_OK;
    *out         = (lt_bound){.size = 1, .depth = 1, .text = names->items[part].text, .name = names->items[part].text};
    out->is_name = part + 1 == names->count;
    out->expression = lt_expression_column(binder->arena, column->column, column->type, &names->items[part].place);
    if (out->expression == NULL) return lt_raise_no_memory(err);
    return fields_bind(binder, names, part + 1, out, err);
}

static leat_status find_lambda_variable(lt_binder *binder, const lt_scope *scope, const lt_ast_names *names,
                                        bool *out_found, lt_bound *out, leat_error *err) {
    *out_found = false;
    for (const lt_lambda_frame *frame = scope->lambdas; frame != NULL; frame = frame->outer)
        for (uint32_t i = 0; i < frame->names->count; i++) {
            if (lt_ascii_compare(frame->names->items[i].text, names->items[0].text) != 0) continue;
            lt_expression *variable;
            LT_TRY(lt_expression_new(binder, LT_EXPRESSION_VARIABLE, frame->types[i], NULL, 0, &names->items[0].place,
                                     &variable, err));
            variable->variable = frame->first + i;
            *out               = (lt_bound){.expression = variable,
                                            .text       = "namedlambdavariable()",
                                            .name       = names->items[0].text,
                                            .size       = 1,
                                            .depth      = 1};
            *out_found         = true;
            return fields_bind(binder, names, 1, out, err);
        }
    return LEAT_OK;
}

static leat_status find_alias(lt_binder *binder, const lt_scope *scope, const lt_ast_names *names, bool *out_found,
                              lt_bound *out, leat_error *err) {
    const lt_output *found = NULL;
    *out_found             = false;
    for (uint32_t i = 0; i < scope->aliases->count; i++) {
        const lt_output *output = &scope->aliases->items[i];
        if (!output->has_alias && scope->alias_use != LT_ALIASES_FIRST) continue;
        if (lt_ascii_compare(output->name, names->items[0].text) != 0) continue;
        const bool is_other = found != NULL && !lt_expression_equal(found->expression, output->expression);
        if (is_other && scope->clause == LT_CLAUSE_ORDER_BY && scope->relation != NULL) return LEAT_OK;
        if (is_other)
            return lt_raise(err, LT_AMBIGUOUS_REFERENCE, &names->items[0].place,
                            "`%s` is the name of several output columns", names->items[0].text);
        found = output;
    }
    if (found == NULL) return LEAT_OK;
    if (scope->clause == LT_CLAUSE_SELECT && scope->is_in_over)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__LATERAL_COLUMN_ALIAS_IN_WINDOW, &names->items[0].place,
                        "the alias `%s` cannot be used in a window function of the same SELECT", names->items[0].text);
    if (scope->clause == LT_CLAUSE_SELECT && scope->aggregation != NULL && scope->aggregation->is_inside)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC, &names->items[0].place,
                        "the alias `%s` cannot be used in an aggregate function of the same SELECT",
                        names->items[0].text);
    *out_found = true;
    *out       = (lt_bound){.expression = found->expression,
                            .text       = names->items[0].text,
                            .name       = names->items[0].text,
                            .size       = found->size,
                            .depth      = found->depth + 1,
                            .is_name    = names->count == 1};
    LT_TRY(fields_bind(binder, names, 1, out, err));
    if (scope->clause == LT_CLAUSE_SELECT || scope->clause == LT_CLAUSE_PIPE)
        out->text = lt_arena_format(binder->arena, "lateralAliasReference(%s)", lt_ast_names_last(names));
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status find_parameter(lt_binder *binder, const lt_ast_names *names, bool *out_found, lt_bound *out,
                                  leat_error *err) {
    const lt_parameter_values *parameters = binder->parameters;
    *out_found                            = false;
    if (parameters == NULL) return LEAT_OK;
    const uint32_t part = names->count > 1 && lt_ascii_compare(names->items[0].text, parameters->function) == 0 ? 1 : 0;
    for (uint32_t i = 0; i < parameters->count; i++)
        if (lt_ascii_compare(parameters->names[i], names->items[part].text) == 0) {
            *out       = parameters->values[i];
            *out_found = true;
            return fields_bind(binder, names, part + 1, out, err);
        }
    return LEAT_OK;
}

leat_status lt_frame_argument(lt_binder *binder, lt_frame *frame, const lt_expression *expression,
                              const lt_place *place, const lt_expression **out, leat_error *err) {
    uint32_t index = 0;
    while (index < frame->arguments.count && !lt_expression_equal(frame->arguments.items[index], expression)) index++;
    if (index == frame->arguments.count) LT_LIST_ADD(binder->arena, &frame->arguments, expression, err);
    *out = lt_expression_column(binder->arena, LT_SLOT_OUTER + index, expression->type, place);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

uint32_t lt_frame_name_count(const lt_frame *frame) { return frame == NULL ? 0 : frame->names.count; }

leat_status lt_frame_names_turn(lt_binder *binder, lt_frame *frame, uint32_t before, uint32_t since, leat_error *err) {
    const char   **moved;
    const uint32_t count = lt_frame_name_count(frame) - since;
    if (count == 0 || before == since) return LEAT_OK;
    LT_TRY_NEW_ARRAY(moved, binder->arena, count, err);
    memcpy(moved, frame->names.items + since, count * sizeof *moved);
    memmove(frame->names.items + before + count, frame->names.items + before, (since - before) * sizeof *moved);
    memcpy(frame->names.items + before, moved, count * sizeof *moved);
    return LEAT_OK;
}

static leat_status find_outer(lt_binder *binder, lt_frame *frame, const lt_ast_names *names, bool *out_found,
                              lt_bound *out, leat_error *err) {
    lt_scope scope = *frame->outer;
    scope.frame    = NULL; // one level, as in Spark
    scope.lambdas  = NULL;
    if (scope.clause == LT_CLAUSE_ORDER_BY && scope.alias_use == LT_ALIASES_FIRST)
        scope.relation = NULL; // behind the projection only its columns are left
    else
        scope.alias_use = LT_ALIASES_NONE;
    scope.aggregation = NULL;
    LT_TRY(lt_scope_find(binder, &scope, names, out_found, out, err));
    if (!*out_found || lt_expression_is_foldable(out->expression)) return LEAT_OK;
    // A field is an outer column's: that is what is named.
    uint32_t last = names->count - 1;
    for (const lt_expression *at = out->expression; at->kind == LT_EXPRESSION_FIELD && last > 0; at = at->arguments[0])
        last--;
    LT_LIST_ADD(binder->arena, &frame->names, last + 1 < names->count ? names->items[last].text : out->text, err);
    return lt_frame_argument(binder, frame, out->expression, &names->items[0].place, &out->expression, err);
}

static leat_status find_variable(lt_binder *binder, const lt_ast_names *names, bool *out_found, lt_bound *out,
                                 leat_error *err) {
    uint32_t part = 0;
    if (names->count > 2 && lt_ascii_compare(names->items[0].text, "system") == 0) part = 1;
    if (names->count > part + 1 && lt_ascii_compare(names->items[part].text, "session") == 0) part++;
    const lt_catalog_variable *variable =
        binder->context->catalog == NULL ? NULL
                                         : lt_catalog_variable_find(binder->context->catalog, names->items[part].text);
    *out_found = variable != NULL;
    if (variable == NULL) return LEAT_OK;
    *out = (lt_bound){.size    = 1,
                      .depth   = 1,
                      .text    = names->items[part].text,
                      .name    = names->items[part].text,
                      .is_name = names->count == part + 1};
    // SET VAR may replace the value while the plan lives.
    const lt_vector *value;
    LT_TRY(lt_constant_copy(binder->arena, variable->value, &value, err));
    out->expression = lt_expression_literal(binder->arena, value, &names->items[part].place);
    if (out->expression == NULL) return lt_raise_no_memory(err);
    return fields_bind(binder, names, part + 1, out, err);
}

// A column of FROM that is a key of GROUP BY, or a field of one: HAVING prefers it to the aliases of the select list.
static leat_status find_key(lt_binder *binder, const lt_scope *scope, const lt_ast_names *names, bool *out_found,
                            lt_bound *out, leat_error *err) {
    bool     is_column;
    lt_bound column;
    *out_found = false;
    if (scope->grouping == NULL || scope->relation == NULL) return LEAT_OK;
    // A name of several columns is no key, and may still be an alias.
    const leat_status status = find_in_relation(binder, scope->relation, names, &is_column, &column, NULL);
    if (status == LEAT_NO_MEMORY) return lt_raise_no_memory(err);
    if (status != LEAT_OK || !is_column) return LEAT_OK;
    const lt_expression *whole = column.expression;
    while (whole->kind == LT_EXPRESSION_FIELD) whole = whole->arguments[0];
    for (uint32_t i = 0; i < scope->grouping->keys.count; i++) {
        const lt_expression *key = scope->grouping->keys.items[i].expression;
        *out_found |= lt_expression_equal(key, column.expression) || lt_expression_equal(key, whole);
    }
    *out = column;
    return LEAT_OK;
}

leat_status lt_scope_find(lt_binder *binder, lt_scope *scope, const lt_ast_names *names, bool *out_found, lt_bound *out,
                          leat_error *err) {
    // An argument of an aggregate is computed before the output is: there, columns come first.
    const bool is_inside     = scope->aggregation != NULL && scope->aggregation->is_inside;
    const bool aliases_first = scope->alias_use == LT_ALIASES_FIRST && !is_inside;
    LT_TRY(find_lambda_variable(binder, scope, names, out_found, out, err));
    if (!*out_found && aliases_first) LT_TRY(find_key(binder, scope, names, out_found, out, err));
    if (!*out_found && aliases_first) LT_TRY(find_alias(binder, scope, names, out_found, out, err));
    if (!*out_found && scope->relation != NULL)
        LT_TRY(find_in_relation(binder, scope->relation, names, out_found, out, err));
    if (!*out_found && !aliases_first && scope->alias_use != LT_ALIASES_NONE)
        LT_TRY(find_alias(binder, scope, names, out_found, out, err));
    if (!*out_found) LT_TRY(find_parameter(binder, names, out_found, out, err));
    if (!*out_found && scope->frame != NULL && scope->frame->outer != NULL)
        LT_TRY(find_outer(binder, scope->frame, names, out_found, out, err));
    if (!*out_found) LT_TRY(find_variable(binder, names, out_found, out, err));
    return LEAT_OK;
}

// ---- stars
// --------------------------------------------------------------------------------------------------------------

static bool is_excepted(const lt_ast_expression *star, const lt_scope_column *column) {
    for (uint32_t i = 0; i < star->except.count; i++) {
        const lt_ast_names *names = &star->except.items[i];
        if (lt_ascii_compare(lt_ast_names_last(names), column->name) != 0) continue;
        if (names->count == 1 || column->relation == NULL ||
            lt_ascii_compare(names->items[names->count - 2].text, column->relation) == 0)
            return true;
    }
    return false;
}

static leat_status excepts_check(lt_binder *binder, const lt_scope *scope, const lt_ast_expression *star,
                                 leat_error *err) {
    for (uint32_t i = 0; i < star->except.count; i++) {
        bool     is_found = false;
        lt_bound bound;
        if (scope->relation != NULL)
            LT_TRY(find_in_relation(binder, scope->relation, &star->except.items[i], &is_found, &bound, err));
        if (!is_found) return lt_raise_unresolved(binder, scope, &star->except.items[i], &star->place, err);
    }
    return LEAT_OK;
}

// Fields of `value` that a list of excepted names, from part first[i] on, leaves over: EXCEPT (s.a, s.b.c). Names with
// first[i] 0 are about something else. *is_changed: some name is about a field of it.
static leat_status fields_kept(lt_binder *binder, const lt_ast_expression *star, const uint32_t *first,
                               const lt_bound *value, lt_bound *out, bool *is_changed, leat_error *err) {
    const lt_type *type    = value->expression->type;
    lt_bounds      entries = {0};
    *is_changed            = false;
    *out                   = *value;
    if (type->kind != LT_STRUCT) return LEAT_OK;
    for (uint32_t f = 0; f < type->field_count; f++) {
        uint32_t *deeper;
        bool      is_gone = false, is_deeper = false;
        LT_TRY_NEW_ARRAY(deeper, binder->arena, star->except.count, err);
        for (uint32_t i = 0; i < star->except.count; i++) {
            const lt_ast_names *names = &star->except.items[i];
            if (first[i] == 0 || lt_ascii_compare(names->items[first[i]].text, type->fields[f].name) != 0) continue;
            is_gone   = is_gone || first[i] + 1 == names->count;
            is_deeper = true;
            if (first[i] + 1 < names->count) deeper[i] = first[i] + 1;
        }
        *is_changed = *is_changed || is_deeper;
        if (is_gone) continue;
        lt_bound name = {.text = type->fields[f].name, .size = 1, .depth = 1}, field, kept;
        LT_TRY(lt_field_bind(binder, value, type->fields[f].name, &star->place, &field, err));
        bool is_field_changed;
        LT_TRY(fields_kept(binder, star, deeper, &field, &kept, &is_field_changed, err));
        const lt_vector *text;
        LT_TRY(lt_constant_text(binder->arena, LT_STRING, name.text, strlen(name.text), &text, err));
        name.expression = lt_expression_literal(binder->arena, text, &star->place);
        if (name.expression == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(binder->arena, &entries, name, err);
        LT_LIST_ADD(binder->arena, &entries, kept, err);
    }
    if (!*is_changed) return LEAT_OK;
    LT_TRY(lt_call_bind(binder, "named_struct", entries.items, entries.count, NULL, &star->place, out, err));
    return LEAT_OK;
}

// A column of * without the fields that EXCEPT names.
static leat_status column_kept(lt_binder *binder, const lt_ast_expression *star, const lt_scope_column *column,
                               lt_output *output, leat_error *err) {
    uint32_t *first;
    bool      is_changed;
    if (star->except.count == 0 || column->type->kind != LT_STRUCT) return LEAT_OK;
    LT_TRY_NEW_ARRAY(first, binder->arena, star->except.count, err);
    for (uint32_t i = 0; i < star->except.count; i++) {
        const lt_ast_names *names       = &star->except.items[i];
        const bool          is_own      = lt_ascii_compare(names->items[0].text, column->name) == 0;
        const bool          is_of_table = names->count > 2 && column->relation != NULL &&
                                 lt_ascii_compare(names->items[0].text, column->relation) == 0 &&
                                 lt_ascii_compare(names->items[1].text, column->name) == 0;
        first[i] = is_of_table ? 2 : is_own && names->count > 1 ? 1 : 0;
    }
    const lt_bound value = {.expression = output->expression, .text = output->text, .size = 1, .depth = 1};
    lt_bound       kept;
    LT_TRY(fields_kept(binder, star, first, &value, &kept, &is_changed, err));
    if (is_changed) output->relation = NULL;
    output->expression = kept.expression;
    output->size       = kept.size;
    output->depth      = kept.depth;
    return LEAT_OK;
}

static leat_status struct_star(lt_binder *binder, const lt_ast_expression *star, const lt_bound *value, lt_outputs *out,
                               leat_error *err) {
    const lt_type *type = value->expression->type;
    for (uint32_t i = 0; i < star->except.count; i++) {
        uint32_t f = 0;
        while (f < type->field_count &&
               lt_ascii_compare(lt_ast_names_last(&star->except.items[i]), type->fields[f].name) != 0)
            f++;
        if (f == type->field_count)
            return lt_raise(err, LT_UNRESOLVED_COLUMN__WITH_SUGGESTION, &star->place,
                            "no field `%s` to leave out of `%s`", lt_ast_names_last(&star->except.items[i]),
                            value->text);
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const lt_scope_column column = {.name = type->fields[i].name};
        if (is_excepted(star, &column)) continue;
        lt_expression *field;
        LT_TRY(lt_expression_new(binder, LT_EXPRESSION_FIELD, type->fields[i].type, &value->expression, 1, &star->place,
                                 &field, err));
        field->field           = i;
        const lt_output output = {.name       = type->fields[i].name,
                                  .expression = field,
                                  .text       = type->fields[i].name,
                                  .size       = value->size + 1,
                                  .depth      = value->depth + 1};
        LT_LIST_ADD(binder->arena, out, output, err);
    }
    return LEAT_OK;
}

// A merged column of USING stands in its relation twice.
static bool is_listed(const lt_outputs *outputs, uint32_t first, const lt_scope_column *column) {
    for (uint32_t i = first; i < outputs->count; i++)
        if (outputs->items[i].expression->kind == LT_EXPRESSION_COLUMN &&
            outputs->items[i].expression->column == column->column && column->is_qualified_only)
            return true;
    return false;
}

leat_status lt_star_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *star, lt_outputs *out,
                         leat_error *err) {
    const uint32_t before   = out->count;
    const char    *table    = lt_ast_names_last(&star->names);
    bool           is_known = table == NULL;
    for (uint32_t i = 0; scope->relation != NULL && !is_known && i < scope->relation->columns.count; i++)
        is_known = scope->relation->columns.items[i].relation != NULL &&
                   lt_ascii_compare(scope->relation->columns.items[i].relation, table) == 0;
    if (is_known) LT_TRY(excepts_check(binder, scope, star, err));
    for (uint32_t i = 0; scope->relation != NULL && i < scope->relation->columns.count; i++) {
        const lt_scope_column *column = &scope->relation->columns.items[i];
        if (table == NULL ? column->is_qualified_only
                          : column->relation == NULL || lt_ascii_compare(column->relation, table) != 0)
            continue;
        if (column->is_hidden || is_excepted(star, column) || is_listed(out, before, column)) continue;
        lt_output output = {
            .name = column->name, .text = column->name, .relation = column->relation, .size = 1, .depth = 1};
        output.expression = lt_expression_column(binder->arena, column->column, column->type, &star->place);
        if (output.expression == NULL) return lt_raise_no_memory(err);
        LT_TRY(column_kept(binder, star, column, &output, err));
        LT_LIST_ADD(binder->arena, out, output, err);
    }
    if (!is_known) {
        bool     is_found;
        lt_bound value;
        LT_TRY(lt_scope_find(binder, scope, &star->names, &is_found, &value, err));
        if (is_found && value.expression->type->kind == LT_STRUCT) return struct_star(binder, star, &value, out, err);
        return lt_raise(err, LT_CANNOT_RESOLVE_STAR_EXPAND, &star->place, "no table or struct `%s` to take columns of",
                        table);
    }
    if (table == NULL && scope->relation != NULL && scope->relation->columns.count == 0 && out->count == before)
        return lt_raise(err, LT_CANNOT_RESOLVE_STAR_EXPAND, &star->place, "`*` needs a FROM clause");
    return LEAT_OK;
}
