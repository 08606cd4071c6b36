#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "parser/parser.h"
#include "planner/nearest.h"

// INSERT: the query's columns go to the table's by position, by the written list or by name; each is stored by the
// rules of store assignment, and what is left out gets its default.

typedef struct insert_state {
    lt_binder              *binder;
    const lt_catalog_entry *table;
    const uint32_t         *targets; // by query column: table column
    uint32_t                target_count;
} insert_state;

static leat_status column_named(const lt_catalog_entry *table, const char *name, uint32_t *out) {
    for (*out = 0; *out < table->column_count; (*out)++)
        if (lt_ascii_compare(table->columns[*out].name, name) == 0) return LEAT_OK;
    return LEAT_DONE;
}

static leat_status written_targets(lt_binder *binder, const lt_catalog_entry *table, const lt_ast_name *columns,
                                   uint32_t count, uint32_t **out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        if (column_named(table, columns[i].text, &(*out)[i]) != LEAT_OK) {
            lt_nearest nearest = {.wanted = columns[i].text};
            for (uint32_t c = 0; c < table->column_count; c++) lt_nearest_offer(&nearest, table->columns[c].name);
            return lt_raise(err, LT_UNRESOLVED_COLUMN__WITH_SUGGESTION, &columns[i].place,
                            "the table `%s` has no column `%s`; did you mean `%s`?", table->name, columns[i].text,
                            nearest.best == NULL ? "" : nearest.best);
        }
        for (uint32_t k = 0; k < i; k++)
            if ((*out)[k] == (*out)[i])
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &columns[i].place, "the column `%s` is listed twice",
                                columns[i].text);
    }
    return LEAT_OK;
}

static leat_status default_ast(lt_binder *binder, const lt_catalog_column *column, lt_ast_expression **out,
                               leat_error *err) {
    const char *sql = column->default_sql == NULL ? "NULL" : column->default_sql;
    return lt_parse_expression(sql, strlen(sql), binder->arena, out, err);
}

static bool is_default_word(const lt_ast_expression *ast) {
    return ast->kind == LT_AST_COLUMN && ast->names.count == 1 && !ast->names.items[0].quoted &&
           lt_ascii_compare(ast->names.items[0].text, "default") == 0;
}

// VALUES (1, DEFAULT): the word stands for the default of the column it goes to.
static leat_status defaults_put(insert_state *self, lt_ast_query *query, leat_error *err) {
    lt_ast_expressions *rows;
    if (query->kind != LT_AST_QUERY_VALUES) return LEAT_OK;
    LT_TRY_NEW_ARRAY(rows, self->binder->arena, query->rows.count, err);
    for (uint32_t r = 0; r < query->rows.count; r++) {
        rows[r] = query->rows.items[r];
        LT_TRY_NEW_ARRAY(rows[r].items, self->binder->arena, rows[r].count, err);
        for (uint32_t c = 0; c < rows[r].count; c++) {
            rows[r].items[c] = query->rows.items[r].items[c];
            if (is_default_word(rows[r].items[c]) && c < self->target_count)
                LT_TRY(default_ast(self->binder, &self->table->columns[self->targets[c]], &rows[r].items[c], err));
        }
    }
    query->rows.items = rows;
    return LEAT_OK;
}

static leat_status arity_check(const insert_state *self, uint32_t count, const lt_place *place, leat_error *err) {
    if (count < self->target_count)
        return lt_raise(err, LT_INSERT_COLUMN_ARITY_MISMATCH__NOT_ENOUGH_DATA_COLUMNS, place,
                        "%u values for %u columns of `%s`", count, self->target_count, self->table->name);
    if (count > self->target_count)
        return lt_raise(err, LT_INSERT_COLUMN_ARITY_MISMATCH__TOO_MANY_DATA_COLUMNS, place,
                        "%u values for %u columns of `%s`", count, self->target_count, self->table->name);
    return LEAT_OK;
}

static leat_status names_targets(insert_state *self, const lt_plan *plan, uint32_t **out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, self->binder->arena, plan->column_count, err);
    for (uint32_t i = 0; i < plan->column_count; i++)
        if (column_named(self->table, plan->columns[i].name, &(*out)[i]) != LEAT_OK)
            return lt_raise(err, LT_INCOMPATIBLE_DATA_FOR_TABLE__EXTRA_COLUMNS, &plan->place,
                            "the table `%s` has no column `%s`", self->table->name, plan->columns[i].name);
    self->targets      = *out;
    self->target_count = plan->column_count;
    return LEAT_OK;
}

static leat_status stored(insert_state *self, const lt_catalog_column *column, const lt_expression *value,
                          const lt_place *place, const lt_expression **out, leat_error *err) {
    const lt_type *type = column->type->kind == LT_STRING ? lt_type_of(LT_STRING) : column->type;
    if (!lt_can_store(value->type, type))
        return lt_raise(err, LT_INCOMPATIBLE_DATA_FOR_TABLE__CANNOT_SAFELY_CAST, place,
                        "%s cannot be stored in the column `%s`, which is %s",
                        lt_type_text(self->binder->arena, value->type), column->name,
                        lt_type_text(self->binder->arena, type));
    *out = value;
    if (lt_type_equal(value->type, type)) return LEAT_OK;
    // Not folded: a value out of range is the INSERT's error when it runs.
    lt_expression *cast;
    LT_TRY(lt_expression_new(self->binder, LT_EXPRESSION_CAST, type, &value, 1, &value->place, &cast, err));
    *out = cast;
    return LEAT_OK;
}

static leat_status table_plan(insert_state *self, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    lt_binder            *binder = self->binder;
    const uint32_t        count  = self->table->column_count;
    const lt_expression **values;
    const char          **names;
    LT_TRY_NEW_ARRAY(values, binder->arena, count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, count, err);
    for (uint32_t i = 0; i < self->target_count; i++) {
        const lt_expression *column;
        const uint32_t       target = self->targets[i];
        LT_TRY(lt_column_new(binder, i, plan->columns[i].type, &column, err));
        LT_TRY(stored(self, &self->table->columns[target], column, &plan->place, &values[target], err));
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = self->table->columns[i].name;
        if (values[i] != NULL) continue;
        lt_ast_expression *ast;
        lt_relation        none  = {0};
        lt_scope           scope = {.clause = LT_CLAUSE_OTHER, .relation = &none};
        lt_bound           bound;
        LT_TRY(default_ast(binder, &self->table->columns[i], &ast, err));
        LT_TRY(lt_bind_expression(binder, &scope, ast, &bound, err));
        LT_TRY(stored(self, &self->table->columns[i], bound.expression, &plan->place, &values[i], err));
    }
    return lt_plan_project(binder, plan, values, names, count, out, err);
}

// REPLACE WHERE: the rows of the table that the condition does not hold for, then the new ones; they overwrite it.
static leat_status kept_rows(insert_state *self, const lt_ast_expression *where, const lt_plan **plan,
                             leat_error *err) {
    lt_binder           *binder = self->binder;
    lt_relation          old;
    lt_bound             bound;
    const lt_expression *is_true;
    const lt_expression *term;
    lt_plan             *both;
    LT_TRY(lt_entry_bind(binder, self->table, self->table->name + self->table->schema_bytes, &where->place, &old, err));
    lt_scope scope = {.clause = LT_CLAUSE_WHERE, .relation = &old};
    LT_TRY(lt_bind_boolean(binder, &scope, where, LT_DATATYPE_MISMATCH__FILTER_NOT_BOOLEAN, &bound, err));
    LT_TRY(lt_literal_int64(binder, LT_BOOLEAN, 1, &is_true, err));
    LT_TRY(lt_equality_new(binder, "<=>", bound.expression, is_true, &term, err));
    LT_TRY(lt_not(binder, term, &term, err));
    LT_TRY(lt_subqueries_filter(binder, &old.plan, term, err));
    LT_TRY(lt_relation_visible(binder, &old, err));
    const lt_plan *inputs[2] = {old.plan, *plan};
    LT_TRY(lt_plan_new(binder, LT_PLAN_UNION_ALL, inputs, 2, (*plan)->column_count, &where->place, &both, err));
    both->columns = (*plan)->columns;
    *plan         = both;
    return LEAT_OK;
}

leat_status lt_bind_insert(lt_bind_context *context, const lt_ast_query *query, const lt_catalog_entry *table,
                           const lt_ast_name *columns, uint32_t column_count, bool is_by_name,
                           const lt_ast_expression *replace_where, lt_query_plan *out, leat_error *err) {
    lt_binder      binder = {.context = context,
                             .arena   = context->arena,
                             .schema  = context->catalog == NULL ? NULL : context->catalog->schema};
    insert_state   self   = {.binder = &binder, .table = table};
    lt_ast_query   copy   = *query;
    lt_relation    relation;
    const lt_plan *plan;
    uint32_t      *targets;
    if (column_count > 0) {
        LT_TRY(written_targets(&binder, table, columns, column_count, &targets, err));
        self.target_count = column_count;
    } else {
        LT_TRY_NEW_ARRAY(targets, binder.arena, table->column_count, err);
        for (uint32_t i = 0; i < table->column_count; i++) targets[i] = i;
        self.target_count = table->column_count;
    }
    self.targets = targets;
    LT_TRY(defaults_put(&self, &copy, err));
    LT_TRY(lt_query_bind(&binder, &copy, NULL, &relation, err));
    LT_TRY(lt_relation_visible(&binder, &relation, err));
    if (is_by_name) LT_TRY(names_targets(&self, relation.plan, &targets, err));
    LT_TRY(arity_check(&self, relation.plan->column_count, &query->place, err));
    LT_TRY(table_plan(&self, relation.plan, &plan, err));
    if (replace_where != NULL) LT_TRY(kept_rows(&self, replace_where, &plan, err));
    return lt_plan_rewrite(&binder, plan, out, err);
}
