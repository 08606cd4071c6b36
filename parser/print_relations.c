#include "parser/print_node.h"

void lt_put_options(lt_printer *p, const char *word, const lt_ast_options *options) {
    if (options->count == 0) return;
    lt_put(p, word);
    lt_put(p, " (");
    for (uint32_t i = 0; i < options->count; i++) {
        const lt_ast_option *option = &options->items[i];
        lt_put_comma(p, i);
        if (lt_put_is_plain(&option->key))
            lt_put_bytes(p, option->key.text, option->key.bytes);
        else
            lt_put_string(p, (lt_ast_text){option->key.text, option->key.bytes});
        if (option->value != NULL) {
            lt_put(p, " = ");
            lt_put_expression(p, option->value, LT_LEVEL_PRIMARY);
        }
    }
    lt_put(p, ")");
}

void lt_put_items(lt_printer *p, const lt_ast_items *items) {
    for (uint32_t i = 0; i < items->count; i++) {
        const lt_ast_item *item = &items->items[i];
        lt_put_comma(p, i);
        lt_put_expression(p, item->expression, LT_LEVEL_OR);
        if (item->alias.text != NULL) {
            lt_put(p, " AS ");
            lt_put_name(p, &item->alias);
        } else if (item->aliases.count > 0) {
            lt_put(p, " AS ");
            lt_put_name_list(p, &item->aliases);
        }
    }
}

void lt_put_rows(lt_printer *p, const lt_ast_expression_lists *rows) {
    lt_put(p, "VALUES ");
    for (uint32_t i = 0; i < rows->count; i++) {
        lt_put(p, i == 0 ? "(" : ", (");
        lt_put_arguments(p, &rows->items[i], 0);
        lt_put(p, ")");
    }
}

void lt_put_alias(lt_printer *p, const lt_ast_alias *alias) {
    if (alias->name.text == NULL) return;
    lt_put(p, " AS ");
    lt_put_name(p, &alias->name);
    if (alias->columns.count > 0) lt_put_name_list(p, &alias->columns);
}

void lt_put_sample(lt_printer *p, const lt_ast_sample *sample) {
    lt_put(p, "TABLESAMPLE (");
    lt_put_if(p, sample->kind == LT_AST_SAMPLE_BUCKET, "BUCKET ");
    lt_put_expression(p, sample->size, LT_LEVEL_COMPARISON);
    if (sample->kind == LT_AST_SAMPLE_BUCKET) {
        lt_put(p, " OUT OF ");
        lt_put_expression(p, sample->total, LT_LEVEL_COMPARISON);
    } else {
        lt_put(p, sample->kind == LT_AST_SAMPLE_PERCENT ? " PERCENT" : " ROWS");
    }
    lt_put(p, ")");
    if (sample->seed != NULL) {
        lt_put(p, " REPEATABLE (");
        lt_put_expression(p, sample->seed, LT_LEVEL_COMPARISON);
        lt_put(p, ")");
    }
}

static void put_join(lt_printer *p, const lt_ast_relation *relation) {
    static const char *const words[] = {
        [LT_AST_JOIN_COMMA] = ", ",          [LT_AST_JOIN_INNER] = "JOIN ",
        [LT_AST_JOIN_CROSS] = "CROSS JOIN ", [LT_AST_JOIN_LEFT] = "LEFT JOIN ",
        [LT_AST_JOIN_RIGHT] = "RIGHT JOIN ", [LT_AST_JOIN_FULL] = "FULL JOIN ",
        [LT_AST_JOIN_SEMI] = "SEMI JOIN ",   [LT_AST_JOIN_ANTI] = "ANTI JOIN ",
        [LT_AST_JOIN_ASOF] = "ASOF JOIN ",   [LT_AST_JOIN_LEFT_ASOF] = "LEFT ASOF JOIN ",
    };
    const lt_ast_join *join  = relation->join;
    const bool         comma = join->kind == LT_AST_JOIN_COMMA;
    if (relation->left != NULL) {
        lt_put_relation(p, relation->left);
        lt_put_if(p, !comma, " ");
    }
    lt_put_if(p, join->natural, "NATURAL ");
    lt_put(p, words[join->kind]);
    lt_put_if(p, join->lateral, "LATERAL ");
    const bool is_nested =
        !comma && (relation->right->kind == LT_AST_RELATION_JOIN || relation->right->kind == LT_AST_RELATION_PIVOT ||
                   relation->right->kind == LT_AST_RELATION_UNPIVOT);
    lt_put_if(p, is_nested, "(");
    lt_put_relation(p, relation->right);
    lt_put_if(p, is_nested, ")");
    if (join->match_condition != NULL) {
        lt_put(p, " MATCH_CONDITION (");
        lt_put_expression(p, join->match_condition, LT_LEVEL_OR);
        lt_put(p, ")");
    }
    if (join->on != NULL) {
        lt_put(p, " ON ");
        lt_put_expression(p, join->on, LT_LEVEL_OR);
    }
    if (join->using_columns.count > 0) {
        lt_put(p, " USING ");
        lt_put_name_list(p, &join->using_columns);
    }
}

static void put_left(lt_printer *p, const lt_ast_relation *relation) {
    if (relation->left == NULL) return;
    lt_put_relation(p, relation->left);
    lt_put(p, " ");
}

static void put_pivot(lt_printer *p, const lt_ast_relation *relation) {
    const lt_ast_pivot *pivot = relation->pivot;
    put_left(p, relation);
    lt_put(p, "PIVOT (");
    lt_put_items(p, &pivot->aggregates);
    lt_put(p, " FOR ");
    lt_put_name_list(p, &pivot->columns);
    lt_put(p, " IN (");
    lt_put_items(p, &pivot->values);
    lt_put(p, "))");
    lt_put_alias(p, &relation->alias);
}

static void put_unpivot(lt_printer *p, const lt_ast_relation *relation) {
    const lt_ast_unpivot *unpivot = relation->unpivot;
    put_left(p, relation);
    lt_put(p, "UNPIVOT ");
    lt_put_if(p, unpivot->include_nulls, "INCLUDE NULLS ");
    lt_put_if(p, unpivot->exclude_nulls_written, "EXCLUDE NULLS ");
    lt_put(p, "(");
    if (unpivot->has_tuple)
        lt_put_name_list(p, &unpivot->value_columns);
    else
        lt_put_names(p, &unpivot->value_columns);
    lt_put(p, " FOR ");
    lt_put_name(p, &unpivot->name_column);
    lt_put(p, " IN (");
    for (uint32_t i = 0; i < unpivot->sets.count; i++) {
        const lt_ast_unpivot_set *set = &unpivot->sets.items[i];
        lt_put_comma(p, i);
        if (unpivot->has_tuple)
            lt_put_dotteds(p, &set->columns);
        else
            lt_put_dotted(p, &set->columns.items[0]);
        if (set->alias.text != NULL) {
            lt_put(p, " AS ");
            lt_put_name(p, &set->alias);
        }
    }
    lt_put(p, "))");
    lt_put_alias(p, &relation->alias);
}

static void put_lateral_view(lt_printer *p, const lt_ast_relation *relation) {
    put_left(p, relation);
    lt_put(p, relation->lateral_view_outer ? "LATERAL VIEW OUTER " : "LATERAL VIEW ");
    lt_put_call(p, relation->call);
    lt_put(p, " ");
    lt_put_name(p, &relation->alias.name);
    if (relation->alias.columns.count > 0) {
        lt_put(p, " AS ");
        lt_put_names(p, &relation->alias.columns);
    }
}

static void put_watermark(lt_printer *p, const lt_ast_watermark *watermark) {
    lt_ast_item  item = watermark->item;
    lt_ast_items list = {&item, 1, 1};
    lt_put(p, " WATERMARK ");
    lt_put_items(p, &list);
    lt_put(p, " DELAY OF ");
    lt_put_expression(p, watermark->delay, LT_LEVEL_OR);
}

// Sources: what stands between commas and joins.
static void put_source(lt_printer *p, const lt_ast_relation *relation) {
    lt_put_if(p, relation->is_stream, "STREAM ");
    switch (relation->kind) {
    case LT_AST_RELATION_TABLE:
        lt_put_dotted(p, &relation->name);
        if (relation->as_of != NULL) {
            lt_put(p, " FOR SYSTEM_TIME AS OF ");
            lt_put_expression(p, relation->as_of, LT_LEVEL_COMPARISON);
        }
        lt_put_options(p, " WITH", &relation->options);
        break;
    case LT_AST_RELATION_TABLE_QUERY:
        lt_put_query_parens(p, relation->query);
        break;
    case LT_AST_RELATION_VALUES:
        lt_put_rows(p, &relation->rows);
        break;
    case LT_AST_RELATION_TABLE_CALL:
        lt_put_if(p, relation->table_keyword, "TABLE(");
        lt_put_call(p, relation->call);
        lt_put_if(p, relation->table_keyword, ")");
        break;
    default: // DEDUPLICATE
        lt_put(p, "DEDUPLICATE(TABLE ");
        if (relation->query != NULL)
            lt_put_query_parens(p, relation->query);
        else
            lt_put_dotted(p, &relation->name);
        if (relation->columns.count > 0) {
            lt_put(p, ", COLUMNS ");
            lt_put_name_list(p, &relation->columns);
        }
        lt_put(p, relation->within_watermark ? ", WITHIN WATERMARK)" : ")");
        break;
    }
    if (relation->sample != NULL) {
        lt_put(p, " ");
        lt_put_sample(p, relation->sample);
    }
    if (relation->watermark != NULL) put_watermark(p, relation->watermark);
    lt_put_alias(p, &relation->alias);
}

void lt_put_relation(lt_printer *p, const lt_ast_relation *relation) {
    lt_put_if(p, relation->lateral, "LATERAL ");
    switch (relation->kind) {
    case LT_AST_RELATION_JOIN:
        put_join(p, relation);
        break;
    case LT_AST_RELATION_PIVOT:
        put_pivot(p, relation);
        break;
    case LT_AST_RELATION_UNPIVOT:
        put_unpivot(p, relation);
        break;
    case LT_AST_RELATION_LATERAL_VIEW:
        put_lateral_view(p, relation);
        break;
    default:
        put_source(p, relation);
        break;
    }
}
